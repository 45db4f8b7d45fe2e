import type { Item } from '../domain/items/item.ts';
import { isJsonObject, type JsonObject, stringField } from '../domain/json.ts';
import { attachmentItem, speakerOfOrigin } from './claude-code-attachments.ts';
import { type Branch, selectBranch } from './claude-code-branch.ts';
import { typedMeanwhile } from './claude-code-queue.ts';
import { sessionsIn } from './claude-code-sessions.ts';
import { type Conversation, linesImporter, Tally } from './transcript.ts';

/** Sessions of Claude Code: JSON lines that form a graph by `uuid` and `parentUuid`. */
export const claudeCode = linesImporter({
  source: 'claude-code',
  description: 'Claude Code session (JSON lines with uuid, parentUuid and message)',
  isOwn: isMessageLine,
  read: readLines,
  split: sessionsIn,
});

function isMessageLine(line: JsonObject): boolean {
  return (
    (line.type === 'user' || line.type === 'assistant') &&
    'parentUuid' in line &&
    isJsonObject(line.message)
  );
}

/**
 * The whole history of the newest leaf, in the order of its chain. What the tool itself compacted is imported
 * in full, so its boundaries and summaries are left out: our own compaction decides.
 */
function readLines(file: JsonObject[]): Conversation {
  const branch = selectBranch(file);
  const { lines, earlyResults } = branch;
  const usageLines = lastLineOfEachMessage(lines.filter((line) => branch.kept.has(line)));
  const items: Item[] = [];
  const skipped = new Tally();
  const typed = typedMeanwhile(file, branch);
  let model: string | null = null;

  for (const line of lines) {
    if (typed.lines.has(line)) continue;
    const reason = skipReason(line, branch);
    if (reason !== undefined) {
      skipped.add(reason);
      continue;
    }
    const item =
      line.type === 'attachment' ? attachmentItem(line) : messageItem(line, usageLines.has(line));
    if (typeof item === 'string') {
      skipped.add(item);
      continue;
    }
    items.push(item, ...(typed.after.get(line) ?? []));
    model = modelOf(line) ?? model;
  }
  const notes =
    earlyResults === 0
      ? []
      : [
          `Tool results that came before their calls in the file and were put after them: ${earlyResults}.`,
        ];
  return { format: 'anthropic', model, items, skipped, notes };
}

/** The kind under which a line is left out; undefined for one that becomes an item. */
function skipReason(line: JsonObject, branch: Branch): string | undefined {
  if (branch.sidechain.has(line)) return 'sidechain';
  if (branch.repeated.has(line)) return 'repeated_uuid';
  if (line.type === 'system') {
    const subtype = stringField(line, 'subtype') ?? 'unnamed';
    return subtype === 'compact_boundary' ? subtype : `system:${subtype}`;
  }
  if (line.type === 'attachment') return branch.kept.has(line) ? undefined : 'other_branch';
  if (!isMessageLine(line)) return stringField(line, 'type') ?? 'line_without_type';
  if (line.isCompactSummary === true) return 'recorded_summary';
  return branch.kept.has(line) ? undefined : 'other_branch';
}

/** The message of a line, with what the program says about it; its usage where `hasUsage`. */
export function messageItem(line: JsonObject, hasUsage: boolean): Item {
  const message = messageOf(line);
  const item: Item = { role: message.role ?? null, content: message.content ?? null };
  const id = stringField(message, 'id');
  const model = stringField(message, 'model');
  if (id !== undefined) item.id = id;
  if (model !== undefined) item.model = model;
  if (hasUsage && isJsonObject(message.usage)) item.usage = message.usage;
  if (typeof line.timestamp === 'string') item.timestamp = line.timestamp;
  if (line.isMeta === true) item.is_meta = true;
  if (line.isVisibleInTranscriptOnly === true) item.is_visible_in_transcript_only = true;
  if (line.isApiErrorMessage === true) item.is_api_error_message = true;
  // In a file of its own an agent speaks for itself: it is another one only in a file of others.
  if (typeof line.agentId === 'string' && line.isSidechain !== true) item.agent_id = line.agentId;
  const speaker = speakerOfOrigin(line.origin);
  if (speaker !== undefined) item.speaker = speaker;
  return item;
}

/** Every line of a message repeats its usage, the last one with the final figures. */
export function lastLineOfEachMessage(lines: readonly JsonObject[]): ReadonlySet<JsonObject> {
  const last = new Map<string, JsonObject>();
  for (const line of lines) {
    if (line.type !== 'assistant') continue;
    const id = stringField(messageOf(line), 'id') ?? stringField(line, 'uuid');
    if (id !== undefined) last.set(id, line);
  }
  return new Set(last.values());
}

/** Messages that the tool made up itself name no model. */
export function modelOf(line: JsonObject): string | undefined {
  const model = stringField(messageOf(line), 'model');
  return model === '<synthetic>' ? undefined : model;
}

function messageOf(line: JsonObject): JsonObject {
  return isJsonObject(line.message) ? line.message : {};
}
