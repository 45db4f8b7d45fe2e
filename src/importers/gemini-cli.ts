import type { Item } from '../domain/items/item.ts';
import { isJsonObject, type Json, type JsonObject, stringField } from '../domain/json.ts';
import { functionCall } from './chat-message.ts';
import { answerIn } from './gemini-parts.ts';
import {
  type Content,
  type Conversation,
  countOtherFields,
  type Importer,
  notesOf,
  numberField,
  objectsField,
  Tally,
} from './transcript.ts';

/** Chats of the Gemini CLI. A message holds its tool calls together with their results. */
export const geminiCli: Importer = {
  source: 'gemini-cli',
  description:
    'Gemini CLI chat (a JSON object with "messages" of type user, gemini …, or JSON lines of them)',
  matches: (content) =>
    content.kind === 'lines'
      ? content.lines.some(isHeader) && content.lines.some(isMessage)
      : documentOf(content) !== undefined,
  read: (content) => {
    if (content.kind === 'lines') return [readLines(content.lines)];
    const document = documentOf(content);
    return document ? [readDocument(document, new Tally())] : [];
  },
};

/** The first line of a file of lines, which says whose they are. */
function isHeader(line: JsonObject): boolean {
  return typeof line.sessionId === 'string' && typeof line.projectHash === 'string';
}

/**
 * A message is written again whenever it has grown, with the same id: the newest line is all of it. What
 * the user has gone back behind is left out, and so is a history that the program has shortened itself:
 * the messages stand before it, and our own compaction decides.
 */
function readLines(lines: readonly JsonObject[]): Conversation {
  const skipped = new Tally();
  const messages = new Map<string, JsonObject>();
  let header: JsonObject = {};
  for (const line of lines) {
    const back = stringField(line, '$rewindTo');
    const id = stringField(line, 'id');
    if (back !== undefined) {
      const ids = [...messages.keys()];
      const gone = messages.has(back) ? ids.slice(ids.indexOf(back)) : [];
      for (const one of gone) messages.delete(one);
      if (gone.length > 0) skipped.add('other_branch', gone.length);
    } else if (isJsonObject(line.$set)) {
      skipped.add(Array.isArray(line.$set.messages) ? 'shortened_history' : 'metadata');
    } else if (id !== undefined) {
      if (messages.has(id)) skipped.add('earlier_state_of_message');
      messages.set(id, line);
    } else if (isHeader(line)) {
      header = { ...header, ...line };
    } else {
      skipped.add(stringField(line, 'type') ?? 'line_without_type');
    }
  }
  return readDocument({ ...header, messages: [...messages.values()] }, skipped);
}

function documentOf(content: Content): JsonObject | undefined {
  if (content.kind !== 'document' || Array.isArray(content.value)) return undefined;
  return objectsField(content.value, 'messages')?.some(isMessage) ? content.value : undefined;
}

function isMessage(message: JsonObject): boolean {
  return message.type === 'gemini' || (message.type === 'user' && !('role' in message));
}

/** Each tool result counts as an entry of its own beside the message that holds it. */
function readDocument(document: JsonObject, skipped: Tally): Conversation {
  const items: Item[] = [];
  const leftOut = new Tally();
  let model: string | null = null;
  for (const message of objectsField(document, 'messages') ?? []) {
    const type = stringField(message, 'type') ?? 'message_without_type';
    const text = textOf(message.content, leftOut);
    if (type !== 'user' && type !== 'gemini') {
      skipped.add(`message:${type}`);
      continue;
    }
    const calls = type === 'gemini' ? (objectsField(message, 'toolCalls') ?? []) : [];
    if (text === '' && calls.length === 0) {
      skipped.add('empty_message');
      continue;
    }
    const item: Item = { role: type === 'user' ? 'user' : 'assistant', content: text || null };
    if (typeof message.timestamp === 'string') item.timestamp = message.timestamp;
    if (type === 'gemini') addModelFields(item, message, calls);
    if (objectsField(message, 'thoughts')?.length) leftOut.add('thoughts');
    // What a command says goes to the model in place of what the user typed; what is no text stands in both.
    const typed = textOf(message.displayContent, new Tally());
    if (type === 'user' && typed.startsWith('/') && !text.startsWith(typed)) {
      items.push({ ...item, content: typed }, { ...item, is_meta: true });
    } else items.push(item);
    for (const call of calls) {
      if ('result' in call) items.push(resultItem(call));
      else skipped.add('call_without_result');
    }
    model = stringField(message, 'model') ?? model;
  }
  countOtherFields(document, 'messages', skipped);
  return { format: 'openai-chat', model, items, skipped, notes: notesOf(leftOut) };
}

function addModelFields(item: Item, message: JsonObject, calls: JsonObject[]): void {
  if (typeof message.model === 'string') item.model = message.model;
  if (calls.length > 0) {
    item.tool_calls = calls.map(({ id, name, args }) => functionCall(id, name, args));
  }
  const { tokens } = message;
  if (!isJsonObject(tokens)) return;
  item.usage = {
    prompt_tokens: numberField(tokens, 'input'),
    completion_tokens: numberField(tokens, 'output') + numberField(tokens, 'thoughts'),
    total_tokens: numberField(tokens, 'total'),
    prompt_tokens_details: { cached_tokens: numberField(tokens, 'cached') },
  };
}

function resultItem(call: JsonObject): Item {
  const parts = objectsField(call, 'result') ?? [];
  return { role: 'tool', tool_call_id: call.id ?? null, content: parts.map(answerIn).join('\n') };
}

/** The text of a message, which is a string or a list of parts. */
function textOf(content: Json | undefined, leftOut: Tally): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .flatMap((part) => {
      if (isJsonObject(part) && typeof part.text === 'string') return [part.text];
      leftOut.add(isJsonObject(part) ? (Object.keys(part)[0] ?? 'empty part') : 'bare value');
      return [];
    })
    .join('\n');
}
