import type { Item } from '../domain/items/item.ts';
import { readUtterances } from '../domain/items/utterances.ts';
import { isJsonObject, type Json, type JsonObject, stringField } from '../domain/json.ts';
import { type Branch, blockIds } from './claude-code-branch.ts';
import { objectField } from './transcript.ts';

/** A command to the program waits for the end of the turn; a path is none. */
const COMMAND = /^\/[\w:-]+(?:\s|$)/;
/** What Claude Code queues for programs that watch it. */
const TASK_EVENT = /^\{"task_id":/;

/** Items to stand after a line, and the lines of the queue that they were made of. */
type Typed = { after: ReadonlyMap<JsonObject, Item[]>; lines: ReadonlySet<JsonObject> };

type Waiting = { line: JsonObject; text: string; at: number };

/**
 * What the user typed while the agent was working, by the line after which the model has read it. Newer
 * versions write it down as an attachment, older ones tell it in their queue alone: there it is put in,
 * and taken out (`remove`) when the results of the round are sent. What waits for the end of the turn
 * (`dequeue`) becomes a message, and `popAll` takes all back to be changed.
 */
export function typedMeanwhile(file: readonly JsonObject[], branch: Branch): Typed {
  const after = new Map<JsonObject, Item[]>();
  const lines = new Set<JsonObject>();
  if (!file.some(isRemoval) || file.some(isQueuedCommand)) return { after, lines };
  const told = toldTexts(file);
  let waiting: Waiting[] = [];
  let before: JsonObject | undefined;
  for (const [at, line] of file.entries()) {
    if (isMessage(line)) before = line;
    if (line.type !== 'queue-operation') continue;
    switch (line.operation) {
      case 'enqueue': {
        const text = stringField(line, 'content')?.trim() ?? '';
        if (isTyped(text)) waiting.push({ line, text, at });
        break;
      }
      case 'popAll':
        waiting = [];
        break;
      case 'remove': {
        const read = waiting.filter((one) => !isTold(one, told));
        waiting = [];
        const timestamp = stringField(line, 'timestamp');
        // What was rewound is told nowhere else, either.
        if (read.length === 0 || timestamp === undefined || !before || !branch.kept.has(before)) {
          break;
        }
        const place = lastReadBefore(timestamp, branch);
        if (place === undefined) break;
        const items = read.map(({ text }): Item => ({ role: 'user', content: text, timestamp }));
        after.set(place, [...(after.get(place) ?? []), ...items]);
        for (const one of read) lines.add(one.line);
        break;
      }
      default:
    }
  }
  return { after, lines };
}

function isRemoval({ type, operation }: JsonObject): boolean {
  return type === 'queue-operation' && operation === 'remove';
}

function isQueuedCommand(line: JsonObject): boolean {
  return line.type === 'attachment' && objectField(line, 'attachment').type === 'queued_command';
}

function isTyped(text: string): boolean {
  if (text === '' || COMMAND.test(text) || TASK_EVENT.test(text)) return false;
  return readUtterances(text).some(({ speaker }) => speaker === 'user');
}

/** The texts of the user's messages, each with the place of its line. */
function toldTexts(file: readonly JsonObject[]): { text: string; at: number }[] {
  return file.flatMap((line, at) => {
    if (line.type !== 'user') return [];
    const texts = textsOf(objectField(line, 'message').content);
    return texts.map((text) => ({ text: `\n${text.trim()}\n`, at }));
  });
}

function textsOf(content: Json | undefined): string[] {
  if (typeof content === 'string') return [content];
  if (!Array.isArray(content)) return [];
  return content.flatMap((block) => {
    const text = isJsonObject(block) ? stringField(block, 'text') : undefined;
    return text === undefined ? [] : [text];
  });
}

/** Whether a later line holds it, alone or among others that were sent together. */
function isTold(one: Waiting, told: readonly { text: string; at: number }[]): boolean {
  const lines = `\n${one.text}\n`;
  return told.some(({ text, at }) => at > one.at && text.includes(lines));
}

/**
 * The last message of the branch at that time, with the results of its round; undefined while one of
 * them is still to come: what is said stands behind it, also when the file is read again.
 */
function lastReadBefore(timestamp: string, { lines, kept }: Branch): JsonObject | undefined {
  const messages = lines.filter((line) => isMessage(line) && kept.has(line));
  let at = messages.findLastIndex((line) => {
    const own = stringField(line, 'timestamp');
    return own !== undefined && Date.parse(own) <= Date.parse(timestamp);
  });
  while (at >= 0 && resultsIn(messages[at + 1]).length > 0) at++;
  return isAnswered(messages.slice(0, at + 1)) ? messages[at] : undefined;
}

/** Whether all calls of the last round have their results; calls that end early stand between them. */
function isAnswered(messages: readonly JsonObject[]): boolean {
  const answered = new Set<string>();
  let round: string | undefined;
  for (const line of messages.toReversed()) {
    if (line.type === 'user') {
      const results = resultsIn(line);
      if (results.length === 0) return true;
      for (const id of results) answered.add(id);
      continue;
    }
    const own = stringField(objectField(line, 'message'), 'id') ?? '';
    round ??= own;
    if (own !== round) return true;
    if (blockIds(line, 'tool_use', 'id').some((id) => !answered.has(id))) return false;
  }
  return true;
}

function isMessage(line: JsonObject): boolean {
  return (line.type === 'user' || line.type === 'assistant') && isJsonObject(line.message);
}

function resultsIn(line: JsonObject | undefined): string[] {
  return line?.type === 'user' ? blockIds(line, 'tool_result', 'tool_use_id') : [];
}
