import type { Origin } from '../context/entry.ts';
import type { ToolCall, ToolResult } from '../items/item.ts';
import { callsByResult, pairedParts } from '../items/pairing.ts';
import { isJsonObject, stringField } from '../json.ts';
import type { Config } from '../policy/config.ts';
import type { TextCounter } from '../tokens/count.ts';
import { truncateMiddle } from '../tokens/truncate.ts';
import type { Material } from './material.ts';

export type RestoredFile = { path: string; content: string };

const READ_TOOLS = new Set(['read', 'read_file', 'view', 'open_file', 'view_file', 'cat']);
const PATH_FIELDS = ['path', 'file_path', 'filename', 'file', 'absolute_path', 'target_file'];

type Known = {
  path: string;
  content: string;
  index: number;
  origin: Origin;
  isEdited: boolean;
};

/**
 * The files to restore, newest first (SPEC section 9): the latest content that the session knows of
 * each, from file attachments and results of read-like tools, cut to `restore_tokens_per_file` and
 * together within `restore_total_file_budget` tokens. Files whose latest content stands in the initial
 * context or behind the cut are left out: it stays there by itself.
 */
export function filesToRestore(
  material: readonly Material[],
  cut: number,
  config: Config,
  count: TextCounter,
): RestoredFile[] {
  const newest = knownFiles(material)
    .filter(({ index, origin }) => index < cut && origin !== 'initial')
    .filter(({ path }) => !isExcluded(path, config.restore_exclude))
    .sort((a, b) => recency(b) - recency(a))
    .slice(0, config.restore_max_files);
  const files: RestoredFile[] = [];
  let budget = config.restore_total_file_budget;
  for (const { path, content, isEdited } of newest) {
    const note = isEdited ? '[edited after this was read]\n' : '';
    const text = truncateMiddle(note + content, config.restore_tokens_per_file, count);
    if (text === '') continue;
    const tokens = count(text);
    if (tokens > budget) {
      if (config.restore_over_budget === 'stop') break;
      continue;
    }
    budget -= tokens;
    files.push({ path, content: text });
  }
  return files;
}

/** What an earlier compaction restored stands newest first, and is older than all in the log. */
function recency({ index, origin }: Known): number {
  return origin === 'file' ? -index : index;
}

function knownFiles(material: readonly Material[]): Known[] {
  const files = new Map<string, Known>();
  const answered = callsByResult(pairedParts(material.map(({ original }) => original)));
  material.forEach(({ entry: { origin }, original }, index) => {
    if (original.kind === 'attachment' && original.attachment === 'file') {
      const { path, text } = original;
      if (path !== undefined && text !== '') {
        files.set(path, { path, content: text, index, origin, isEdited: false });
      }
    }
    if (original.kind !== 'message') return;
    for (const part of original.parts) {
      if (part.kind === 'tool_call') noteCall(part, files);
      if (part.kind !== 'tool_result') continue;
      const call = answered.get(part);
      const path = call && isRead(call) ? pathOf(call) : undefined;
      const content = textOf(part);
      if (path === undefined || part.is_error || content === '') continue;
      files.set(path, { path, content, index, origin, isEdited: false });
    }
  });
  return [...files.values()];
}

/** Any other tool that names a known file by a path field has probably changed it since. */
function noteCall(call: ToolCall, files: Map<string, Known>): void {
  const path = pathOf(call);
  if (path === undefined || isRead(call)) return;
  const file = files.get(path);
  if (file !== undefined && /edit|write|patch|replace|insert/i.test(call.name))
    file.isEdited = true;
}

function isRead({ name }: ToolCall): boolean {
  return READ_TOOLS.has(name.toLowerCase());
}

function pathOf(call: ToolCall): string | undefined {
  const { input } = call;
  if (!isJsonObject(input)) return undefined;
  for (const field of PATH_FIELDS) {
    const path = stringField(input, field);
    if (path !== undefined && path !== '') return path;
  }
  return undefined;
}

function textOf(result: ToolResult): string {
  return result.content.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n');
}

/** `*.x` matches the end of a path, anything else any part of it. */
export function isExcluded(path: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) =>
    pattern.startsWith('*') ? path.endsWith(pattern.slice(1)) : path.includes(pattern),
  );
}

/**
 * The newest todo or plan attachment if it is not empty and stands in front of the cut; one behind
 * the cut or in the initial context stays in the context by itself.
 */
export function latestAttachment(
  material: readonly Material[],
  cut: number,
  kind: 'todo' | 'plan',
): Material | null {
  const index = material.findLastIndex(
    ({ item }) => item.kind === 'attachment' && item.attachment === kind,
  );
  const found = material[index];
  if (found === undefined || index >= cut || found.entry.origin === 'initial') return null;
  return found.item.kind === 'attachment' && !found.item.is_empty ? found : null;
}
