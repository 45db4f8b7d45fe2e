import type { Item } from '../domain/items/item.ts';
import {
  isJsonObject,
  type Json,
  type JsonObject,
  objectsIn,
  stringField,
} from '../domain/json.ts';
import { functionCall } from './chat-message.ts';
import {
  type Content,
  type Conversation,
  type Importer,
  isoTime,
  notesOf,
  objectField,
  Tally,
} from './transcript.ts';

/**
 * Chats of VS Code: what "Chat: Export Chat…" writes, and the files of `chatSessions`. A request holds what the
 * user typed; what the model was sent and has answered stands in the `metadata` of its result, in rounds.
 */
export const vscodeChat: Importer = {
  source: 'vscode-chat',
  description: 'VS Code chats (an export with "responderUsername" and "requests")',
  matches: (content) => chatIn(content) !== null,
  read: (content) => {
    const chat = chatIn(content);
    return chat === null ? [] : [readChat(chat)];
  },
};

function chatIn(content: Content): JsonObject | null {
  if (content.kind !== 'document' || Array.isArray(content.value)) return null;
  const { value } = content;
  const isChat = typeof value.responderUsername === 'string';
  return isChat && objectsIn(value.requests).some(({ message }) => isJsonObject(message))
    ? value
    : null;
}

function readChat(chat: JsonObject): Conversation {
  const items: Item[] = [];
  const skipped = new Tally();
  const leftOut = new Tally();
  let model: string | null = null;
  for (const request of objectsIn(chat.requests)) {
    model = stringField(request, 'modelId') ?? model;
    const text = stringField(objectField(request, 'message'), 'text') ?? '';
    if (text.trim() === '') skipped.add('empty_message');
    else items.push(timed({ role: 'user', content: text }, request.timestamp));
    for (const { kind } of objectsIn(objectField(request, 'variableData').variables)) {
      leftOut.add(`attached ${typeof kind === 'string' ? kind : 'part'}`);
    }
    if (isJsonObject(objectField(request, 'result').errorDetails)) skipped.add('error');
    items.push(...answersTo(request));
  }
  return { format: 'openai-chat', model, items, skipped, notes: notesOf(leftOut) };
}

/** The rounds of a request, each with the results of its calls; else what was shown as the answer. */
function answersTo(request: JsonObject): Item[] {
  const metadata = objectField(objectField(request, 'result'), 'metadata');
  const results = objectField(metadata, 'toolCallResults');
  const items = objectsIn(metadata.toolCallRounds).flatMap((round): Item[] => {
    const calls = objectsIn(round.toolCalls);
    const said = stringField(round, 'response') ?? '';
    if (said === '' && calls.length === 0) return [];
    const answer: Item = { role: 'assistant', content: said === '' ? null : said };
    if (calls.length > 0) {
      answer.tool_calls = calls.map(({ id, name, arguments: given }) =>
        functionCall(id, name, given === '' ? {} : given),
      );
    }
    const answered = calls.flatMap(({ id }): Item[] => {
      const result = typeof id === 'string' ? results[id] : undefined;
      if (!isJsonObject(result)) return [];
      const content = objectsIn(result.content).map((part) =>
        textsOf(part.value).join('').replace(/^\n/, ''),
      );
      return [{ role: 'tool', tool_call_id: id ?? null, content: content.join('\n') }];
    });
    return [timed(answer, round.timestamp), ...answered];
  });
  const shown = items.length > 0 ? '' : shownBy(request);
  return shown === '' ? items : [{ role: 'assistant', content: shown }];
}

/** What VS Code has shown of an answer: Markdown, with the names of what it links to. */
function shownBy(request: JsonObject): string {
  const parts = objectsIn(request.response).map((part) => {
    if (part.kind === undefined) return stringField(part, 'value') ?? '';
    return part.kind === 'inlineReference' ? (stringField(part, 'name') ?? '') : '';
  });
  return parts.join('').trim();
}

/** A text, or those of a tree of elements that a prompt was made of, in their order. */
function textsOf(value: Json | undefined): string[] {
  if (typeof value === 'string') return [value];
  if (!isJsonObject(value)) return [];
  const { node, text, children, lineBreakBefore } = value;
  if (typeof text === 'string') return [lineBreakBefore === true ? `\n${text}` : text];
  return isJsonObject(node) ? textsOf(node) : objectsIn(children).flatMap(textsOf);
}

function timed(item: Item, milliseconds: Json | undefined): Item {
  const timestamp = isoTime(milliseconds);
  return timestamp === undefined ? item : { ...item, timestamp };
}
