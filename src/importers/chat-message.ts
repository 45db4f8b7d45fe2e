import type { Item } from '../domain/items/item.ts';
import { textInPart } from '../domain/items/openai-chat/normalise.ts';
import { isJsonObject, type Json, type JsonObject, stringField } from '../domain/json.ts';
import { type Conversation, notesOf, objectField, objectsField, Tally } from './transcript.ts';

/** Whose messages the Chat API knows. */
export const CHAT_ROLES: ReadonlySet<string> = new Set([
  'system',
  'developer',
  'user',
  'assistant',
  'tool',
  'function',
]);

/**
 * Bookkeeping of the recorders. `extra`, `raw_data` and `provider_specific_fields` repeat the whole
 * answer of the provider, `thought` and `action` repeat the content.
 */
const RECORDER_FIELDS = new Set(
  `action agent cost error errors extra is_demo message_type provider_specific_fields raw_data
  requestor thought tool_call_ids turn_idx`.split(/\s+/),
);

/**
 * Reads the recorded messages of one conversation as chat messages, in order. Unknown fields stay;
 * what the Chat API cannot express (a user who calls tools) becomes labelled text.
 */
export class ChatReader {
  readonly skipped = new Tally();
  model: string | null = null;
  readonly #items: Item[] = [];
  readonly #leftOut = new Tally();
  /** Names of the tools that the user called, by call id. */
  readonly #userCalls = new Map<string, string>();
  #userResults = 0;
  /** Calls of the last answer that have no result yet, and whether some were recorded without ids. */
  #open: { id: string; name: string | undefined }[] = [];
  #hasUnnamed = false;
  /** So many calls were given ids. */
  #named = 0;

  /** Adds one message, or counts it under `role:<role>` when it is none of the Chat API. */
  add(message: JsonObject): void {
    const role = stringField(message, 'role') ?? 'missing';
    if (!CHAT_ROLES.has(role)) {
      this.skipped.add(`role:${role}`);
      return;
    }
    const item = this.#withoutRecorderFields(message);
    const response = objectField(objectField(message, 'extra'), 'response');
    const model = stringField(message, 'model') ?? stringField(response, 'model');
    if (role === 'assistant') {
      this.model = model ?? this.model;
      if (isJsonObject(response.usage)) item.usage = response.usage;
      const calls = objectsField(message, 'tool_calls');
      if (calls) item.tool_calls = calls.map(chatCall);
      this.#liftCalls(item);
      this.#nameCalls(item);
    } else {
      // Usage beside another role is that of a simulated user, whose context is not this one.
      delete item.usage;
    }
    if (role === 'user') this.#describeUserCalls(message, item);
    this.#items.push(role === 'tool' ? this.#toolItem(message, item) : item);
  }

  /** All that was added. */
  conversation(): Conversation {
    const { model, skipped } = this;
    return { format: 'openai-chat', model, items: this.#items, skipped, notes: this.#notes() };
  }

  #notes(): string[] {
    const notes: string[] = [];
    if (this.#userCalls.size + this.#userResults > 0) {
      notes.push(
        `${this.#userCalls.size} tool calls and ${this.#userResults} tool results of the user ` +
          'are imported as text of user messages.',
      );
    }
    return [...notes, ...notesOf(this.#leftOut, 'Fields')];
  }

  #withoutRecorderFields(message: JsonObject): Item {
    const kept: [string, Json][] = [];
    for (const [key, value] of Object.entries(message)) {
      if (value === null && key !== 'content') continue;
      if (RECORDER_FIELDS.has(key)) this.#leftOut.add(key);
      else kept.push([key, key === 'content' ? chatContent(value) : value]);
    }
    // Not field by field: one that is called `__proto__` would be none.
    return Object.fromEntries(kept);
  }

  /** Takes calls out of the content, where some recorders write them, often a second time. */
  #liftCalls(item: Item): void {
    const { content } = item;
    if (!Array.isArray(content)) return;
    const parts = content.filter(isJsonObject).filter(isCallPart);
    if (parts.length === 0) return;
    const others = content.filter((part) => !isJsonObject(part) || !isCallPart(part));
    item.content = others.length === 0 ? null : others;
    const calls = objectsField(item, 'tool_calls') ?? [];
    const known = new Set(calls.map(({ id }) => id));
    for (const part of parts) {
      const id = callIdOf(part);
      if (known.has(id)) this.#leftOut.add(`content:${textOf(part.type)}`);
      else calls.push(chatCall(flatCall(part)));
      known.add(id);
    }
    item.tool_calls = calls;
  }

  /** Gives ids to the calls of recorders that have none, as Ollama's API: without them no result is known. */
  #nameCalls(item: Item): void {
    this.#open = [];
    this.#hasUnnamed = false;
    const calls = objectsField(item, 'tool_calls');
    if (!calls) return;
    item.tool_calls = calls.map((call) => {
      const given = idIn(call.id);
      if (given === undefined) {
        this.#named += 1;
        this.#hasUnnamed = true;
      }
      const id = given ?? `call_unnamed_${this.#named}`;
      this.#open.push({ id, name: stringField(objectField(call, 'function'), 'name') });
      if (id === call.id) return call;
      return given === undefined ? { type: 'function', ...call, id } : { ...call, id };
    });
  }

  /** The call that a result without an id answers: of its tool, else the oldest; none, where it names another. */
  #answeredBy(message: JsonObject): string | undefined {
    const tool = stringField(message, 'tool_name') ?? stringField(message, 'name');
    return this.#open.find(({ name }) => tool === undefined || name === tool)?.id;
  }

  #describeUserCalls(message: JsonObject, item: Item): void {
    const calls = objectsField(message, 'tool_calls');
    if (!calls) return;
    delete item.tool_calls;
    const text = (message.content ?? null) === null ? [] : [textOf(message.content)];
    for (const call of calls.map(chatCall)) {
      const described = objectField(call, 'function');
      const name = textOf(described.name);
      const id = idIn(call.id);
      if (id !== undefined) this.#userCalls.set(id, name);
      text.push(`[The user calls the tool ${name} with ${textOf(described.arguments)}]`);
    }
    item.content = text.join('\n');
  }

  #toolItem(message: JsonObject, item: Item): Item {
    const { tool_call_id, tool_call_ids } = message;
    const given =
      idIn(tool_call_id) ?? idIn(Array.isArray(tool_call_ids) ? tool_call_ids[0] : undefined);
    const id = given ?? (this.#hasUnnamed ? this.#answeredBy(message) : idIn(message.id));
    this.#open = this.#open.filter((call) => call.id !== id);
    delete item.id;
    const userCall = id === undefined ? undefined : this.#userCalls.get(id);
    if (userCall !== undefined || message.requestor === 'user') {
      this.#userResults += 1;
      const label = `[Result of the user's tool ${userCall ?? 'call'}]`;
      const content = `${label}\n${textOf(message.content)}`;
      return { ...item, role: 'user', content, speaker: 'tool' };
    }
    if (id !== undefined) {
      delete item.tool_name;
      return { ...item, tool_call_id: id };
    }
    delete item.tool_call_id;
    // Without an id it answers no call: an observation, as recorders without tool calling write it.
    return { ...item, role: 'user', speaker: 'tool' };
  }
}

/** A call in the Chat API's shape, also from recorders that put name and arguments flat, such as LangChain. */
function chatCall(call: JsonObject): JsonObject {
  const described = isJsonObject(call.function) ? call.function : call;
  if (described.name === undefined) return call;
  const input = described.arguments ?? described.args ?? described.input;
  if (described === call) return functionCall(call.id, call.name, input);
  return { ...call, function: { ...described, arguments: textOf(input ?? {}) } };
}

/** A call as the Chat API writes it, with its input as JSON in a text. */
export function functionCall(
  id: Json | undefined,
  name: Json | undefined,
  input: Json | undefined,
): JsonObject {
  const described = { name: name ?? null, arguments: textOf(input ?? {}) };
  return { id: id ?? null, type: 'function', function: described };
}

/** An id as it was recorded, some as a number; undefined where there is none, or an empty one. */
function idIn(id: Json | undefined): string | undefined {
  if (typeof id === 'number') return String(id);
  return typeof id === 'string' && id !== '' ? id : undefined;
}

const CALL_PART = /^(?:tool_call|tool_use|tool-call|function_call)$/;

/** Whether a part of a content is a call; who has none of an id and a name is something else. */
function isCallPart(part: JsonObject): boolean {
  const isCall = CALL_PART.test(stringField(part, 'type') ?? '');
  return isCall && typeof part.name === 'string' && callIdOf(part) !== null;
}

function callIdOf(part: JsonObject): string | null {
  return (
    stringField(part, 'tool_call_id') ??
    stringField(part, 'call_id') ??
    stringField(part, 'id') ??
    null
  );
}

function textOf(content: Json | undefined): string {
  return typeof content === 'string' ? content : JSON.stringify(content ?? null);
}

function flatCall(part: JsonObject): JsonObject {
  return {
    id: callIdOf(part),
    name: part.name ?? null,
    arguments: part.arguments ?? part.input ?? {},
  };
}

/** The parts of a content as the Chat API names them, where a recorder has named texts otherwise. */
function chatContent(content: Json): Json {
  if (!Array.isArray(content)) return content;
  return content.map((part) => {
    const text = isJsonObject(part) ? textInPart(part) : undefined;
    return text === undefined || !isJsonObject(part) ? part : { ...part, type: 'text' };
  });
}
