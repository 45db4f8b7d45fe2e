import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { codecFor } from '../../src/domain/items/codecs.ts';
import type { Item, Normalised } from '../../src/domain/items/item.ts';
import { isJsonObject, type Json, type JsonObject, stringField } from '../../src/domain/json.ts';
import { textOf as textOfFile } from '../../src/importers/read-transcripts.ts';

/** One compaction that a tool recorded: what it covered, what it wrote, what came after it. */
export type RecordedCompaction = {
  name: string;
  covered: Normalised[];
  recorded_summary: string;
  after: Normalised[];
};

type Line = { uuid: string; parent: string | null; raw: JsonObject };

/** All compactions in the transcripts below a folder (`*.jsonl`, plain or gzipped), in the order of the files. */
export function recordedCompactions(folder: string): RecordedCompaction[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.jsonl(\.gz)?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
  return files
    .sort()
    .flatMap((path) => compactionsOf(basename(path).replace(/\.jsonl(\.gz)?$/, ''), path));
}

function compactionsOf(name: string, path: string): RecordedCompaction[] {
  const lines = readLines(path);
  const byUuid = new Map(lines.map((line) => [line.uuid, line]));
  const boundaries = lines.filter((line) => line.raw.subtype === 'compact_boundary');
  return boundaries.flatMap((boundary, index) => {
    const covered = segmentUpTo(endBefore(boundary, lines, byUuid), lines, byUuid);
    const next = boundaries[index + 1];
    const following = segmentUpTo(
      next ? endBefore(next, lines, byUuid) : lines.findLast(isMessage),
      lines,
      byUuid,
    );
    const summary = following.find((line) => line.raw.isCompactSummary === true);
    // A session that broke off, or whose file was cut.
    if (summary === undefined) return [];
    return [
      {
        name: `${name}#${index + 1}`,
        covered: covered.map(normalised),
        recorded_summary: textOf(normalised(summary)),
        after: following.filter((line) => line !== summary).map(normalised),
      },
    ];
  });
}

/**
 * The main chain that ends at a line and begins after the boundary before it. The lines of one API
 * message and the results of its parallel calls hang beside the chain and belong to it.
 */
function segmentUpTo(
  end: Line | undefined,
  lines: readonly Line[],
  byUuid: Map<string, Line>,
): Line[] {
  const chain = new Set<Line>();
  for (let line = end; line !== undefined; line = byUuid.get(line.parent ?? '')) {
    if (line.raw.subtype === 'compact_boundary' || chain.has(line)) break;
    chain.add(line);
  }
  const messageIds = new Set([...chain].map(messageId).filter((id) => id !== undefined));
  for (const line of lines) if (messageIds.has(messageId(line) ?? '')) chain.add(line);
  const callIds = new Set([...chain].flatMap((line) => blockIds(line, 'tool_use', 'id')));
  for (const line of lines) {
    if (blockIds(line, 'tool_result', 'tool_use_id').some((id) => callIds.has(id))) chain.add(line);
  }
  return lines.filter(
    (line) => chain.has(line) && (line.raw.type === 'user' || line.raw.type === 'assistant'),
  );
}

function readLines(path: string): Line[] {
  const lines: Line[] = [];
  for (const text of textOfFile(basename(path), readFileSync(path)).split('\n')) {
    if (text.trim() === '') continue;
    const raw: Json = JSON.parse(text);
    if (!isJsonObject(raw) || raw.isSidechain === true) continue;
    const uuid = stringField(raw, 'uuid');
    if (uuid === undefined) continue;
    const parent = stringField(raw, 'parentUuid') ?? stringField(raw, 'logicalParentUuid') ?? null;
    lines.push({ uuid, parent, raw });
  }
  return lines;
}

/** The line that a boundary follows; the message before it in the file when that one is not there. */
function endBefore(
  boundary: Line,
  lines: readonly Line[],
  byUuid: Map<string, Line>,
): Line | undefined {
  const named = byUuid.get(boundary.parent ?? '');
  return named ?? lines.slice(0, lines.indexOf(boundary)).findLast(isMessage);
}

function isMessage(line: Line): boolean {
  return messageOf(line) !== undefined;
}

function messageOf(line: Line): JsonObject | undefined {
  return isJsonObject(line.raw.message) ? line.raw.message : undefined;
}

function messageId(line: Line): string | undefined {
  const message = messageOf(line);
  return message && stringField(message, 'id');
}

function blockIds(line: Line, type: string, key: string): string[] {
  const content = messageOf(line)?.content;
  if (!Array.isArray(content)) return [];
  return content
    .filter(isJsonObject)
    .filter((block) => block.type === type)
    .map((block) => stringField(block, key) ?? '');
}

function normalised(line: Line): Normalised {
  const message = messageOf(line);
  const item: Item = {
    role: message?.role ?? 'user',
    content: message?.content ?? '',
    is_meta: line.raw.isMeta === true,
    is_compact_summary: line.raw.isCompactSummary === true,
    is_api_error_message: line.raw.isApiErrorMessage === true,
  };
  return codecFor('anthropic').normalise(item);
}

function textOf(item: Normalised): string {
  if (item.kind !== 'message') return '';
  return item.parts.map((part) => (part.kind === 'text' ? part.text : '')).join('\n');
}
