import type { Item } from '../domain/items/item.ts';
import { isJsonObject, type JsonObject, stringField } from '../domain/json.ts';
import {
  type Content,
  type Conversation,
  countOtherFields,
  type Importer,
  isoTime,
  notesOf,
  numberField,
  objectField,
  objectsField,
  Tally,
} from './transcript.ts';

/**
 * Sessions of OpenCode: what `opencode export` prints, or the list of messages that its server answers.
 * A message holds its tool calls together with their results, in steps.
 */
export const opencode: Importer = {
  source: 'opencode',
  description:
    'OpenCode session (the output of `opencode export`, with messages of info and parts)',
  matches: (content) => messagesOf(content).some(isMessage),
  read: (content) => [readMessages(content)],
};

function messagesOf(content: Content): JsonObject[] {
  if (content.kind !== 'document') return [];
  if (Array.isArray(content.value)) return content.value;
  return objectsField(content.value, 'messages') ?? [];
}

function isMessage({ info, parts }: JsonObject): boolean {
  return isJsonObject(info) && typeof info.role === 'string' && Array.isArray(parts);
}

/** What the model has been told of a session, as far as it is read. */
type Reading = { items: Item[]; skipped: Tally; leftOut: Tally };

function readMessages(content: Content): Conversation {
  const reading: Reading = { items: [], skipped: new Tally(), leftOut: new Tally() };
  const document = content.kind === 'document' && isJsonObject(content.value) ? content.value : {};
  const isUndone = undoneFrom(document);
  let model: string | null = null;
  for (const message of messagesOf(content)) {
    const info = objectField(message, 'info');
    if (!isMessage(message)) {
      reading.skipped.add('record_without_message');
    } else if (isUndone(info)) {
      reading.skipped.add('other_branch');
    } else if (info.role === 'assistant' && info.summary === true) {
      // The messages that it stands for are imported themselves: our own compaction decides.
      reading.skipped.add('recorded_summary');
    } else {
      if (info.role === 'assistant') readAnswer(message, reading);
      else readRequest(message, reading);
      model = stringField(info, 'modelID') ?? model;
    }
  }
  const { items, skipped, leftOut } = reading;
  countOtherFields(document, 'messages', skipped);
  return { format: 'anthropic', model, items, skipped, notes: notesOf(leftOut) };
}

/** Tells the messages that the user has gone back behind; a session remembers the first of them. */
function undoneFrom(document: JsonObject): (info: JsonObject) => boolean {
  const first = stringField(objectField(objectField(document, 'info'), 'revert'), 'messageID');
  let isUndone = false;
  return ({ id }) => {
    isUndone ||= first !== undefined && id === first;
    return isUndone;
  };
}

/** What the program puts in beside the user's words, such as files that they name, is not theirs. */
function readRequest(message: JsonObject, { items, skipped, leftOut }: Reading): void {
  const own: JsonObject[] = [];
  const put: JsonObject[] = [];
  for (const part of objectsField(message, 'parts') ?? []) {
    const block = part.ignored === true ? 'ignored text' : inputBlock(part);
    if (typeof block === 'string') leftOut.add(block);
    else (part.synthetic === true ? put : own).push(block);
  }
  const times = timesOf(message);
  if (own.length > 0) items.push({ role: 'user', content: own, ...times });
  if (put.length > 0) items.push({ role: 'user', content: put, speaker: 'program', ...times });
  if (own.length + put.length === 0) skipped.add('empty_message');
}

/** The block of a part that is for the model, or the kind under which it is left out. */
function inputBlock(part: JsonObject): JsonObject | string {
  const type = stringField(part, 'type') ?? 'part without type';
  if (type === 'text') return textBlock(part) ?? 'empty text';
  const [, mediaType, data] =
    /^data:(image\/[\w.+-]{1,40});base64,(.*)$/s.exec(stringField(part, 'url') ?? '') ?? [];
  if (type !== 'file' || mediaType === undefined || data === undefined) return type;
  return { type: 'image', source: { type: 'base64', media_type: mediaType, data } };
}

/** Each step is a message of its own, with the results of its calls after it. */
function readAnswer(message: JsonObject, { items, skipped, leftOut }: Reading): void {
  const times = timesOf(message);
  const model = stringField(objectField(message, 'info'), 'modelID');
  let blocks: JsonObject[] = [];
  let results: JsonObject[] = [];
  let usage: JsonObject | undefined;
  const before = items.length;
  const endStep = () => {
    if (blocks.length > 0) {
      const fields = { ...(model !== undefined && { model }), ...(usage && { usage }), ...times };
      items.push({ role: 'assistant', content: blocks, ...fields });
    }
    if (results.length > 0) items.push({ role: 'user', content: results, ...times });
    blocks = [];
    results = [];
    usage = undefined;
  };
  for (const part of objectsField(message, 'parts') ?? []) {
    switch (part.type) {
      case 'step-start':
        endStep();
        break;
      case 'step-finish':
        usage = usageOf(objectField(part, 'tokens'));
        endStep();
        break;
      case 'tool': {
        blocks.push(callBlock(part));
        const result = resultBlock(part);
        if (result === undefined) leftOut.add('call without result');
        else results.push(result);
        break;
      }
      default: {
        const block = part.type === 'reasoning' ? thinkingBlock(part) : textBlock(part);
        if (block === undefined) leftOut.add(stringField(part, 'type') ?? 'part without type');
        else blocks.push(block);
      }
    }
  }
  endStep();
  if (items.length === before) skipped.add('empty_message');
}

function textBlock({ type, text }: JsonObject): JsonObject | undefined {
  return type === 'text' && typeof text === 'string' && text !== '' ? { type, text } : undefined;
}

/** Anthropic refuses thinking without its own signature. */
function thinkingBlock(part: JsonObject): JsonObject | undefined {
  const signature = stringField(
    objectField(objectField(part, 'metadata'), 'anthropic'),
    'signature',
  );
  const thinking = stringField(part, 'text') ?? '';
  return signature === undefined ? undefined : { type: 'thinking', thinking, signature };
}

function callBlock(part: JsonObject): JsonObject {
  return {
    type: 'tool_use',
    id: stringField(part, 'callID') ?? '',
    name: stringField(part, 'tool') ?? '',
    input: objectField(objectField(part, 'state'), 'input'),
  };
}

function resultBlock(part: JsonObject): JsonObject | undefined {
  const state = objectField(part, 'state');
  const result = { type: 'tool_result', tool_use_id: stringField(part, 'callID') ?? '' };
  if (state.status === 'completed')
    return { ...result, content: stringField(state, 'output') ?? '' };
  if (state.status !== 'error') return undefined;
  return { ...result, content: stringField(state, 'error') ?? '', is_error: true };
}

function usageOf(tokens: JsonObject): JsonObject {
  const cache = objectField(tokens, 'cache');
  return {
    input_tokens: numberField(tokens, 'input'),
    output_tokens: numberField(tokens, 'output') + numberField(tokens, 'reasoning'),
    cache_read_input_tokens: numberField(cache, 'read'),
    cache_creation_input_tokens: numberField(cache, 'write'),
  };
}

function timesOf(message: JsonObject): { timestamp?: string } {
  const timestamp = isoTime(objectField(objectField(message, 'info'), 'time').created);
  return timestamp === undefined ? {} : { timestamp };
}
