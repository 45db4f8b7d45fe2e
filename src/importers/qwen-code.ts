import type { Item } from '../domain/items/item.ts';
import { type Json, type JsonObject, stringField } from '../domain/json.ts';
import { functionCall } from './chat-message.ts';
import { answerIn } from './gemini-parts.ts';
import {
  type Conversation,
  linesImporter,
  notesOf,
  numberField,
  objectField,
  objectsField,
  Tally,
} from './transcript.ts';
import { branchOf } from './tree.ts';

/**
 * Sessions of Qwen Code: JSON lines that form a tree by `uuid` and `parentUuid`, as those of Claude Code do,
 * around messages with the parts of Gemini's API.
 */
export const qwenCode = linesImporter({
  source: 'qwen-code',
  description: 'Qwen Code session (JSON lines with uuid, parentUuid and a message with parts)',
  isOwn: (line) => 'parentUuid' in line && partsOf(line) !== undefined,
  read: readLines,
});

function partsOf(line: JsonObject): JsonObject[] | undefined {
  return objectsField(objectField(line, 'message'), 'parts');
}

function readLines(lines: JsonObject[]): Conversation {
  const branch = newestBranch(lines);
  const items: Item[] = [];
  const skipped = new Tally();
  const leftOut = new Tally();
  let model: string | null = null;
  for (const line of lines) {
    const reason = skipReason(line, branch);
    if (reason !== undefined) {
      skipped.add(reason);
      continue;
    }
    const made = itemsOf(line, leftOut);
    if (made.length === 0) skipped.add('empty_message');
    const { timestamp } = line;
    for (const item of made) {
      items.push(typeof timestamp === 'string' ? { ...item, timestamp } : item);
    }
    model = stringField(line, 'model') ?? model;
  }
  return { format: 'openai-chat', model, items, skipped, notes: notesOf(leftOut) };
}

/** The kind under which a line is left out; undefined for one that becomes items. */
function skipReason(line: JsonObject, branch: ReadonlySet<string>): string | undefined {
  const type = stringField(line, 'type') ?? 'line_without_type';
  // A history that the program has shortened itself follows the messages that it stands for.
  if (type === 'system') return `system:${stringField(line, 'subtype') ?? 'unnamed'}`;
  if (partsOf(line) === undefined) return type;
  return branch.has(stringField(line, 'uuid') ?? '') ? undefined : 'other_branch';
}

/** The ids on the way to the newest message, or to where the user has gone back after it. */
function newestBranch(lines: readonly JsonObject[]): ReadonlySet<string> {
  const parents = new Map<string, string | undefined>();
  let leaf: string | undefined;
  for (const line of lines) {
    const id = stringField(line, 'uuid');
    if (id === undefined) continue;
    parents.set(id, stringField(line, 'parentUuid'));
    if (line.type !== 'system' || line.subtype === 'rewind') leaf = id;
  }
  return leaf === undefined ? new Set() : branchOf(leaf, parents);
}

function itemsOf(line: JsonObject, leftOut: Tally): Item[] {
  const parts = partsOf(line) ?? [];
  if (line.type === 'tool_result') return parts.map(resultItem);
  const texts: string[] = [];
  const calls: JsonObject[] = [];
  for (const part of parts) {
    const { id, name, args } = objectField(part, 'functionCall');
    if (typeof name === 'string') calls.push(functionCall(id, name, args));
    else if (part.thought === true) leftOut.add('thought');
    else if (typeof part.text === 'string') texts.push(part.text);
    else leftOut.add(Object.keys(part)[0] ?? 'empty part');
  }
  if (line.type === 'user') return texts.length === 0 ? [] : userItems(texts, line);
  if (texts.length === 0 && calls.length === 0) return [];
  const item: Item = { role: 'assistant', content: texts.join('\n') || null };
  if (calls.length > 0) item.tool_calls = calls;
  if (typeof line.model === 'string') item.model = line.model;
  const usage = objectField(line, 'usageMetadata');
  if ('promptTokenCount' in usage) item.usage = usageOf(usage);
  return [item];
}

/** What hooks have put beside the user's words, and what the program has said in their place, is not theirs. */
function userItems(texts: readonly string[], line: JsonObject): Item[] {
  if (line.subtype === 'notification') {
    return [{ role: 'user', content: texts.join('\n'), speaker: 'program' }];
  }
  const ofHooks = texts.filter((text) => /^\s*<qwen:[\w-]{1,60}>/.test(text));
  const own = texts.filter((text) => !ofHooks.includes(text));
  return [
    ...(own.length > 0 ? [{ role: 'user', content: own.join('\n') }] : []),
    ...ofHooks.map((content): Item => ({ role: 'user', content, speaker: 'hook' })),
  ];
}

function resultItem(part: JsonObject): Item {
  const id: Json = objectField(part, 'functionResponse').id ?? null;
  return { role: 'tool', tool_call_id: id, content: answerIn(part) };
}

function usageOf(usage: JsonObject): JsonObject {
  return {
    prompt_tokens: numberField(usage, 'promptTokenCount'),
    completion_tokens:
      numberField(usage, 'candidatesTokenCount') + numberField(usage, 'thoughtsTokenCount'),
    total_tokens: numberField(usage, 'totalTokenCount'),
    prompt_tokens_details: { cached_tokens: numberField(usage, 'cachedContentTokenCount') },
  };
}
