import { addTo } from '../domain/group-by.ts';
import type { Item } from '../domain/items/item.ts';
import { readUtterances } from '../domain/items/utterances.ts';
import { isJsonObject, type Json, type JsonObject, stringField } from '../domain/json.ts';
import { answeredCalls, type Branch, blockIds } from './claude-code-branch.ts';
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
 * versions write it down as an attachment as well, older ones tell it in their queue alone: there it is put in,
 * and taken out (`remove`) when the results of the round are sent. What waits for the end of the turn
 * (`dequeue`) becomes a message, and `popAll` takes all back to be changed.
 */
export function typedMeanwhile(file: readonly JsonObject[], branch: Branch): Typed {
  const after = new Map<JsonObject, Item[]>();
  const lines = new Set<JsonObject>();
  if (!file.some(isRemoval)) return { after, lines };
  const told = new ToldTexts(file);
  const messages = branch.lines
    .filter((line) => isMessage(line) && branch.kept.has(line))
    .map((line) => ({ line, time: Date.parse(stringField(line, 'timestamp') ?? '') }));
  let waiting: Waiting[] = [];
  let before: JsonObject | undefined;
  for (const [at, line] of file.entries()) {
    // An agent works between a call and its result.
    if (isMessage(line) && !branch.sidechain.has(line)) before = line;
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
        const read = waiting.filter((one) => !told.has(one));
        waiting = [];
        const timestamp = stringField(line, 'timestamp');
        // What was rewound is told nowhere else, either.
        if (read.length === 0 || timestamp === undefined || !before || !branch.kept.has(before)) {
          break;
        }
        const place = lastReadBefore(timestamp, messages);
        if (place === undefined) break;
        for (const one of read) {
          addTo(after, place, { role: 'user', content: one.text, timestamp });
          lines.add(one.line);
        }
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

function isTyped(text: string): boolean {
  if (text === '' || COMMAND.test(text) || TASK_EVENT.test(text)) return false;
  return readUtterances(text).some(({ speaker }) => speaker === 'user');
}

/** The texts of the user's messages and attachments, found by their lines. */
class ToldTexts {
  /** By a line of theirs, each with the place of its message in the file. */
  readonly #withLine = new Map<string, { text: string; at: number }[]>();

  /** By a line that puts a text into the queue: where the same words are put there again. */
  readonly #again = new Map<JsonObject, number>();

  constructor(file: readonly JsonObject[]) {
    const enqueued = new Map<string, number>();
    for (const [before, line] of file.toReversed().entries()) {
      const text = line.operation === 'enqueue' ? stringField(line, 'content')?.trim() : undefined;
      if (text === undefined) continue;
      const again = enqueued.get(text);
      if (again !== undefined) this.#again.set(line, again);
      enqueued.set(text, file.length - 1 - before);
    }
    for (const [at, line] of file.entries()) {
      for (const text of toldIn(line)) {
        const own = ownLines(text);
        const told = { text: `\n${own.join('\n')}\n`, at };
        for (const one of new Set(own)) addTo(this.#withLine, one, told);
      }
    }
  }

  /**
   * Whether a later message holds it, alone or among others that were sent together, before the same words
   * are put into the queue again.
   */
  has(one: Waiting): boolean {
    const again = this.#again.get(one.line) ?? Number.POSITIVE_INFINITY;
    const own = ownLines(one.text);
    const words = `\n${own.join('\n')}\n`;
    const texts = this.#withLine.get(own[0] ?? '') ?? [];
    const later = texts.findLastIndex(({ at }) => at <= one.at) + 1;
    return texts.slice(later).some(({ text, at }) => at < again && text.includes(words));
  }
}

/** The lines of a text; a command for the shell stands in a tag. */
function ownLines(text: string): string[] {
  const command = /^<bash-input>([\s\S]*)<\/bash-input>$/.exec(text.trim());
  return (command?.[1] ?? text).trim().split(/\r?\n/);
}

function toldIn(line: JsonObject): string[] {
  if (line.type === 'user') return textsOf(objectField(line, 'message').content);
  const { type, prompt } = objectField(line, 'attachment');
  return type === 'queued_command' ? textsOf(prompt) : [];
}

function textsOf(content: Json | undefined): string[] {
  if (typeof content === 'string') return [content];
  if (!Array.isArray(content)) return [];
  return content.flatMap((block) => {
    const text = isJsonObject(block) ? stringField(block, 'text') : undefined;
    return text === undefined ? [] : [text];
  });
}

/** A message of the branch; the time is NaN where it has none. */
type Timed = { line: JsonObject; time: number };

/**
 * The last message of the branch at that time, with the results of its round; undefined while one of
 * them is still to come: what is said stands behind it, also when the file is read again.
 */
function lastReadBefore(timestamp: string, messages: readonly Timed[]): JsonObject | undefined {
  const until = Date.parse(timestamp);
  let at = messages.findLastIndex(({ time }) => time <= until);
  while (at >= 0 && answeredCalls(messages[at + 1]?.line ?? {}).length > 0) at++;
  return isAnswered(messages, at) ? messages[at]?.line : undefined;
}

/** Whether all calls of the round that ends at a place have their results; calls that end early stand between them. */
function isAnswered(messages: readonly Timed[], last: number): boolean {
  const answered = new Set<string>();
  let round: string | undefined;
  for (let at = last; at >= 0; at--) {
    const line = messages[at]?.line ?? {};
    if (line.type === 'user') {
      const results = answeredCalls(line);
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
