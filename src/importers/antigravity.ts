import type { Item } from '../domain/items/item.ts';
import { isJsonObject, type Json, type JsonObject, stringField } from '../domain/json.ts';
import { parseInside } from '../domain/json-text.ts';
import { type Conversation, linesImporter, notesOf, objectsField, Tally } from './transcript.ts';

/**
 * Transcripts of Google's Antigravity (`brain/<id>/.system_generated/logs/transcript.jsonl`): a line for
 * each step, in which a step of a tool names no call. They answer the calls of the step before in their
 * order, and so does what went wrong with a call. What subagents and tasks in the background report comes
 * as a message of the system, which the model reads as one of the user's turn.
 */
export const antigravity = linesImporter({
  source: 'antigravity',
  description: 'Antigravity transcript (JSON lines with step_index, source, type and content)',
  isOwn: (line) => typeof line.step_index === 'number' && typeof line.source === 'string',
  read,
});

type Call = { id: string; type: 'function'; function: { name: string; arguments: string } };

function read(lines: readonly JsonObject[]): Conversation {
  const items: Item[] = [];
  const skipped = new Tally();
  const leftOut = new Tally();
  let open: Call[] = [];
  let told: Item[] = [];
  const tell = () => {
    items.push(...told);
    told = [];
  };
  for (const line of lines) {
    const type = stringField(line, 'type') ?? 'step_without_type';
    const text = stringField(line, 'content') ?? '';
    const at = stringField(line, 'created_at');
    const timed = (item: Item): Item => (at === undefined ? item : { ...item, timestamp: at });
    const isAnswer = line.source === 'MODEL' || type === 'ERROR_MESSAGE';
    if (type === 'USER_INPUT') {
      tell();
      items.push(timed({ role: 'user', content: requestIn(text, leftOut) }));
    } else if (type === 'PLANNER_RESPONSE') {
      tell();
      open = callsOf(line);
      if (typeof line.thinking === 'string') leftOut.add('thinking');
      if (text === '' && open.length === 0) skipped.add('empty_message');
      else {
        const calls = open.length === 0 ? {} : { tool_calls: open };
        items.push(timed({ role: 'assistant', content: text || null, ...calls }));
      }
    } else if (isAnswer && open[0] !== undefined) {
      items.push(timed({ role: 'tool', tool_call_id: open[0].id, content: withoutTimes(text) }));
      open = open.slice(1);
      if (open.length === 0) tell();
    } else if (type === 'SYSTEM_MESSAGE' && text !== '') {
      // Between a call and its answer no message may stand.
      told.push(timed({ role: 'user', content: text }));
      if (open.length === 0) tell();
    } else {
      skipped.add(type);
    }
  }
  tell();
  return { format: 'openai-chat', model: null, items, skipped, notes: notesOf(leftOut) };
}

/** What the program says of a line that it has cut: where the end of a request may be gone. */
const CUT = /\n\nNOTE: The output was truncated because it was too long\.[^\n]{0,200}$/;

/** What the user has written, without what the program says beside it of open files and settings. */
function requestIn(line: string, leftOut: Tally): string {
  const text = line.replace(CUT, '');
  const request = /^<USER_REQUEST>\n?([\s\S]*?)(?:\n?<\/USER_REQUEST>|$)/.exec(text);
  if (request === null) return text;
  for (const [, tag = ''] of text.slice(request[0].length).matchAll(/^<([A-Z_]{1,40})>$/gm)) {
    leftOut.add(tag);
  }
  return request[1] ?? '';
}

function callsOf(line: JsonObject): Call[] {
  const calls = objectsField(line, 'tool_calls') ?? [];
  return calls.map((call, place) => ({
    id: `step_${String(line.step_index)}_${place}`,
    type: 'function',
    function: {
      name: stringField(call, 'name') ?? 'unnamed',
      arguments: JSON.stringify(decoded(call.args)),
    },
  }));
}

/** Each argument is written as JSON in a text. */
function decoded(args: Json | undefined): Json {
  if (!isJsonObject(args)) return {};
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [
      name,
      typeof value === 'string' ? (textIn(value) ?? parseInside(value) ?? value) : value,
    ]),
  );
}

/** The text that a text in JSON's quotes holds. */
function textIn(value: string): string | undefined {
  if (!value.startsWith('"')) return undefined;
  try {
    const text: unknown = JSON.parse(value);
    return typeof text === 'string' ? text : undefined;
  } catch {
    // What was cut short stays as it is.
    return undefined;
  }
}

/** The times stand in the line as well. */
function withoutTimes(text: string): string {
  return text.replace(/^Created At: [^\n]{0,60}\n(?:Completed At: [^\n]{0,60}\n)?/, '');
}
