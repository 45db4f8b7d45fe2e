import type { Attachment } from '../items/item.ts';
import { type Block, type KnownText, lastLine, wholeText } from './known-text.ts';
import { beforeCut } from './result-text.ts';

/** What a file attachment tells of its file, whether a client posted it or a compaction restored it. */
export function textOfRestored(item: Attachment): { text: KnownText; changedBy: string | null } {
  const { text, lines } = item;
  if (lines === undefined) {
    // As it was written by versions that replayed no edits.
    const old = '[edited after this was read]\n';
    if (text.startsWith(old)) {
      return { text: wholeText(text.slice(old.length)), changedBy: 'an edit' };
    }
    // A text that was cut somewhere is no whole one, whoever has cut it.
    const start = beforeCut(text);
    if (start === text) return { text: wholeText(text), changedBy: null };
    const block = { first: 1, text: start.replace(/\n$/, '') };
    return { text: { blocks: start === '' ? [] : [block], total: null }, changedBy: null };
  }
  const all = text.split('\n');
  const blocks: Block[] = [];
  let nextAt = 0;
  for (const { at, from, to } of lines.parts) {
    // Each line of the text stands for one line of the file: a client may say that it stands for many.
    if (at < nextAt) continue;
    const own = all.slice(at, at + to - from + 1);
    if (own.length !== to - from + 1) continue;
    blocks.push({ first: from, text: own.join('\n') });
    nextAt = at + own.length;
  }
  return { text: { blocks: joined(blocks), total: lines.total }, changedBy: lines.changed_by };
}

function joined(blocks: readonly Block[]): Block[] {
  const result: Block[] = [];
  let next = 0;
  for (const block of [...blocks].sort((a, b) => a.first - b.first)) {
    if (block.first < next) continue;
    const last = result.at(-1);
    if (last !== undefined && block.first === next) last.text += `\n${block.text}`;
    else result.push({ ...block });
    next = lastLine(block) + 1;
  }
  return result;
}
