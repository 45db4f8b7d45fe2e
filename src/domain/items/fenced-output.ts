import { rememberingLast } from '../remember.ts';

/**
 * Just after the block that opens here; blocks inside it open with the name of a language. `isOutput`: of a
 * command, which may print what closes the block. Where the text ends with such a sign, that is the program's.
 */
export function endOfFence(text: string, at: number, end: number, isOutput: boolean): number {
  const last = isOutput ? lastFence(text) : null;
  // No block that is open here would have been opened by then.
  if (last?.closes !== undefined && last.closes < at && afterOutput(text, last.end) >= end) {
    return end;
  }
  const fence = new RegExp(FENCE);
  fence.lastIndex = at;
  let depth = 0;
  for (let found = fence.exec(text); found !== null; found = fence.exec(text)) {
    const isOpening = opens(found);
    if (!isOpening && depth === 0) return Math.min(end, afterOutput(text, fence.lastIndex));
    depth += isOpening ? 1 : -1;
  }
  return end;
}

const FENCE = /\n```([^\n]*)/g;

function opens(fence: RegExpMatchArray): boolean {
  return fence[1]?.trim() !== '';
}

/**
 * The last fence of a text; `closes`: where the block begins that it closes, -1 where none is open.
 * Each block of a text asks for it, so a text is read once.
 */
const lastFence = rememberingLast((text): { end: number; closes?: number } | null => {
  const open: number[] = [];
  let last: { end: number; closes?: number } | null = null;
  for (const found of text.matchAll(FENCE)) {
    const end = found.index + found[0].length;
    if (opens(found)) {
      open.push(found.index);
      last = { end };
    } else {
      last = { end, closes: open.pop() ?? -1 };
    }
  }
  return last;
});

/** What pi adds below the output of a command. */
function afterOutput(text: string, at: number): number {
  const notes =
    /(?:\n\n(?:\(command cancelled\)|Command exited with code -?\d{1,10}|\[Output truncated\. Full output: [^\n]{1,500}\])){0,3}/y;
  notes.lastIndex = at;
  return at + (notes.exec(text)?.[0].length ?? 0);
}
