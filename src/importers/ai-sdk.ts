import { deniedText } from '../domain/items/ai-sdk/parts.ts';
import type { Item } from '../domain/items/item.ts';
import {
  isJsonObject,
  type Json,
  type JsonObject,
  objectsIn,
  stringField,
} from '../domain/json.ts';
import {
  type Conversation,
  countOtherFields,
  entriesOf,
  type Importer,
  objectsField,
  Tally,
} from './transcript.ts';

/**
 * Messages of the AI SDK: those that a page shows (`parts`, and `toolInvocations` of version 4), and those
 * that a model is sent (`tool-call`, `tool-result`). A message that a page shows holds its calls together
 * with their results, and several answers of the model.
 */
export const aiSdk: Importer = {
  source: 'ai-sdk',
  description:
    'messages of the AI SDK (an array, JSON lines, or an object with "messages"; UI or model messages)',
  matches: (content) => conversationsIn(entriesOf(content)).length > 0,
  read: (content) => conversationsIn(entriesOf(content)).map(read),
};

type Held = { messages: JsonObject[]; record: JsonObject | null };

function conversationsIn(entries: JsonObject[]): Held[] {
  if (entries.some(isOwn)) return [{ messages: entries, record: null }];
  return entries.flatMap((record) => {
    const messages = objectsField(record, 'messages');
    return messages?.some(isOwn) ? [{ messages, record }] : [];
  });
}

/** Known by what no provider's messages have. */
function isOwn({ role, parts, content, toolInvocations }: JsonObject): boolean {
  if (typeof role !== 'string') return false;
  if (Array.isArray(toolInvocations)) return true;
  // Gemini's parts have no type.
  if (objectsIn(parts).some(({ type }) => typeof type === 'string')) return true;
  return objectsIn(content).some(
    (part) => part.type === 'tool-call' || part.type === 'tool-result' || isOwnFile(part),
  );
}

/** Other formats have their files in a field of another name. */
function isOwnFile({ type, mediaType, mimeType, image }: JsonObject): boolean {
  const isTyped = typeof mediaType === 'string' || typeof mimeType === 'string';
  return (type === 'file' && isTyped) || (type === 'image' && image !== undefined);
}

function read({ messages, record }: Held): Conversation {
  const reader = new Reader();
  for (const message of messages) reader.message(message);
  if (record !== null) countOtherFields(record, 'messages', reader.skipped);
  const model = record === null ? null : (stringField(record, 'model') ?? null);
  const { items, skipped } = reader;
  return { format: 'openai-chat', model, items, skipped, notes: [] };
}

type Result = { id: string; content: string; is_error: boolean };

class Reader {
  readonly items: Item[] = [];
  readonly skipped = new Tally();

  message(message: JsonObject): void {
    const role = stringField(message, 'role') ?? 'missing';
    const parts = partsOf(message);
    switch (role) {
      case 'system':
        this.#add({ role, content: textOf(parts) });
        return;
      case 'user':
        this.#add({ role, content: this.#userContent(parts) });
        return;
      case 'assistant':
        this.#assistant(parts);
        return;
      case 'tool':
        for (const part of parts) {
          const result = part.type === 'tool-result' ? resultOf(part) : null;
          if (result === null) this.skipped.add(`part:${kindOf(part)}`);
          else this.#result(result);
        }
        return;
      default:
        this.skipped.add(`role:${role}`);
    }
  }

  #userContent(parts: readonly JsonObject[]): Json {
    if (parts.every(({ type }) => type === 'text')) return textOf(parts);
    return parts.flatMap((part): JsonObject[] => {
      if (part.type === 'text') return [{ type: 'text', text: stringField(part, 'text') ?? '' }];
      const file = part.type === 'file' || part.type === 'image' ? fileOf(part) : null;
      if (file === null) this.skipped.add(`part:${kindOf(part)}`);
      return file === null ? [] : [file];
    });
  }

  /** What the model says after a result is another answer of it. */
  #assistant(parts: readonly JsonObject[]): void {
    let text: string[] = [];
    let thoughts: string[] = [];
    let calls: JsonObject[] = [];
    let results: Result[] = [];
    const flush = () => {
      if (text.length > 0 || calls.length > 0) {
        this.#add({
          role: 'assistant',
          content: text.length > 0 ? text.join('\n') : null,
          ...(thoughts.length > 0 && { reasoning_content: thoughts.join('\n') }),
          ...(calls.length > 0 && { tool_calls: calls }),
        });
      }
      for (const result of results) this.#result(result);
      text = [];
      thoughts = [];
      calls = [];
      results = [];
    };
    for (const part of parts) {
      const call = callOf(part);
      if (call !== null) {
        calls.push(call);
        const result = resultOf(part);
        if (result !== null) results.push(result);
        continue;
      }
      if (part.type === 'step-start' || results.length > 0) flush();
      if (part.type === 'tool-result') {
        const result = resultOf(part);
        if (result !== null) results.push(result);
      } else if (part.type === 'text') {
        const said = stringField(part, 'text') ?? '';
        if (said !== '') text.push(said);
      } else if (part.type === 'reasoning') {
        thoughts.push(stringField(part, 'text') ?? stringField(part, 'reasoning') ?? '');
      } else if (part.type !== 'step-start') this.skipped.add(`part:${kindOf(part)}`);
    }
    flush();
  }

  #result({ id, content, is_error }: Result): void {
    this.items.push({ role: 'tool', tool_call_id: id, content, ...(is_error && { is_error }) });
  }

  #add(item: Item): void {
    if (item.content === '') this.skipped.add('empty_message');
    else this.items.push(item);
  }
}

/** The parts of a message in order; version 4 keeps calls beside the text that came after them. */
function partsOf({ parts, content, toolInvocations }: JsonObject): JsonObject[] {
  const shown = objectsIn(parts);
  if (shown.some(({ type }) => type === 'text')) return shown;
  if (shown.length > 0 && typeof content === 'string') {
    return [...shown, { type: 'text', text: content }];
  }
  if (shown.length > 0) return shown;
  const calls = objectsIn(toolInvocations).map((toolInvocation) => ({
    type: 'tool-invocation',
    toolInvocation,
  }));
  const said = typeof content === 'string' ? [{ type: 'text', text: content }] : objectsIn(content);
  return [...calls, ...said];
}

/** A part of a page is `tool-NAME` or `dynamic-tool`, in version 4 `tool-invocation`; of a model `tool-call`. */
function heldCall(part: JsonObject): JsonObject | null {
  const { type, toolInvocation } = part;
  if (type === 'tool-invocation') return isJsonObject(toolInvocation) ? toolInvocation : null;
  if (type === 'tool-call' || type === 'dynamic-tool') return part;
  const isTool = typeof type === 'string' && type.startsWith('tool-') && 'state' in part;
  return isTool ? { ...part, toolName: type.slice('tool-'.length) } : null;
}

function callOf(part: JsonObject): JsonObject | null {
  const call = heldCall(part);
  if (call === null) return null;
  const input = call.input ?? call.args ?? call.rawInput ?? {};
  return {
    id: call.toolCallId ?? null,
    type: 'function',
    function: {
      name: call.toolName ?? null,
      arguments: typeof input === 'string' ? input : JSON.stringify(input),
    },
  };
}

/** The result that a part holds, or is; null for one whose call has not been answered. */
function resultOf(part: JsonObject): Result | null {
  const held = heldCall(part) ?? part;
  const id = stringField(held, 'toolCallId');
  const value = [held.output, held.result, held.errorText, refusalIn(held)].find(
    (one) => one !== undefined,
  );
  if (id === undefined || value === undefined) return null;
  return { id, content: resultText(value), is_error: isRefused(held, value) };
}

/** Only then are its words the user's: a tool may have fetched a text that is worded as a refusal. */
function isRefused({ state }: JsonObject, value: Json): boolean {
  return state === 'output-denied' || (isJsonObject(value) && value.type === 'execution-denied');
}

/** What the user has said against a call that was asked for. */
function refusalIn({ state, approval }: JsonObject): string | undefined {
  if (state !== 'output-denied') return undefined;
  return deniedText(isJsonObject(approval) ? approval.reason : undefined);
}

/** A model's message says of what kind the output is: `{ type: 'text', value }`. */
function resultText(output: Json): string {
  if (typeof output === 'string') return output;
  if (!isJsonObject(output) || typeof output.type !== 'string') return JSON.stringify(output);
  const { type, value, reason } = output;
  if (type === 'execution-denied') return deniedText(reason);
  if (type === 'content') return objectsIn(value).map(contentText).join('\n');
  if (value === undefined) return JSON.stringify(output);
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function contentText(part: JsonObject): string {
  return stringField(part, 'text') ?? JSON.stringify(part);
}

/** A note where the format cannot carry it, which takes other files by their bytes; null where there are none. */
function fileOf(part: JsonObject): JsonObject | null {
  const said = stringField(part, 'mediaType') ?? stringField(part, 'mimeType') ?? 'image';
  // Version 7 may say no more than that it is a picture.
  const type = said === 'image' || said === 'image/*' ? 'image/png' : said;
  const given = givenIn(part);
  const filename = stringField(part, 'filename') ?? 'file';
  if (given === undefined) return null;
  if (given.kind === 'text') return { type: 'text', text: `${filename}:\n${given.text}` };
  const isUrl = /^(?:data|https?):/.test(given.text);
  const url = isUrl ? given.text : `data:${type};base64,${given.text}`;
  if (type.startsWith('image/')) return { type: 'image_url', image_url: { url } };
  if (/^https?:/.test(url)) return { type: 'text', text: `[file ${filename}: ${url}]` };
  return { type: 'file', file: { filename, file_data: url } };
}

type Given = { kind: 'bytes' | 'text'; text: string };

/** Bytes or an address; version 7 says in an object which of them it is, or a text. */
function givenIn(part: JsonObject): Given | undefined {
  for (const field of [part.url, part.data, part.image]) {
    if (typeof field === 'string') return { kind: 'bytes', text: field };
    if (!isJsonObject(field)) continue;
    const text = stringField(field, 'text');
    if (field.type === 'text' && text !== undefined) return { kind: 'text', text };
    const bytes = stringField(field, 'url') ?? stringField(field, 'data');
    if (bytes !== undefined) return { kind: 'bytes', text: bytes };
  }
  return undefined;
}

function textOf(parts: readonly JsonObject[]): string {
  return parts.map((part) => stringField(part, 'text') ?? '').join('\n');
}

function kindOf({ type }: JsonObject): string {
  return typeof type === 'string' ? type : 'without_type';
}
