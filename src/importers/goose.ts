import type { Item } from '../domain/items/item.ts';
import {
  isJsonObject,
  type Json,
  type JsonObject,
  objectsIn,
  stringField,
} from '../domain/json.ts';
import {
  type Content,
  type Conversation,
  entriesOf,
  type Importer,
  objectField,
  objectsField,
  Tally,
} from './transcript.ts';

/** Sessions of goose: JSON lines, or its export with `conversation`. Parts are named its own way. */
export const goose: Importer = {
  source: 'goose',
  description:
    'goose sessions (JSON lines with role, created and content, or an export with "conversation")',
  matches: (content) => messagesOf(content).some(isOfGoose),
  read: (content) => [readMessages(messagesOf(content))],
};

function messagesOf(content: Content): JsonObject[] {
  if (content.kind !== 'document' || Array.isArray(content.value)) return entriesOf(content);
  return (
    objectsField(content.value, 'conversation') ?? objectsField(content.value, 'messages') ?? []
  );
}

function isOfGoose(message: JsonObject): boolean {
  return (objectsField(message, 'content') ?? []).some(
    ({ type }) => type === 'toolRequest' || type === 'toolResponse',
  );
}

function readMessages(messages: JsonObject[]): Conversation {
  const items: Item[] = [];
  const skipped = new Tally();
  let model: string | null = null;
  for (const message of messages) {
    const { role, content } = message;
    if (typeof role !== 'string' || content === undefined) {
      skipped.add('record_without_message');
      continue;
    }
    const inference = objectField(objectField(message, 'metadata'), 'inference');
    model = stringField(inference, 'resolvedModel') ?? model;
    const parts = (objectsField(message, 'content') ?? []).flatMap((part) => {
      const block = blockOf(part);
      if (block === null) skipped.add(`part:${stringField(part, 'type') ?? 'none'}`);
      return block ?? [];
    });
    if (parts.length === 0) skipped.add('empty_message');
    else items.push({ role: role.toLowerCase(), content: parts });
  }
  return { format: 'anthropic', model, items, skipped, notes: [] };
}

/** A part as a block of Anthropic, whose API has all that goose has; null for what is no content. */
function blockOf(part: JsonObject): JsonObject | null {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: stringField(part, 'text') ?? '' };
    case 'thinking': {
      const { thinking = '', signature } = part;
      return { type: 'thinking', thinking, ...(signature !== undefined && { signature }) };
    }
    case 'image':
      return imageBlock(part);
    case 'toolRequest': {
      const { name, arguments: input } = objectField(objectField(part, 'toolCall'), 'value');
      // A call that goose could not read has an error and no name.
      return {
        type: 'tool_use',
        id: stringField(part, 'id') ?? '',
        name: typeof name === 'string' ? name : 'unreadable_call',
        input: isJsonObject(input) ? input : {},
      };
    }
    case 'toolResponse':
      return resultBlock(part);
    default:
      return null;
  }
}

function resultBlock(part: JsonObject): JsonObject {
  const result = objectField(part, 'toolResult');
  const { value = null } = result;
  const isError = result.status === 'error' || (isJsonObject(value) && value.isError === true);
  const error = stringField(result, 'error');
  return {
    type: 'tool_result',
    tool_use_id: stringField(part, 'id') ?? '',
    content: error ?? resultContent(value),
    ...(isError && { is_error: true }),
  };
}

/** A list of MCP contents, which newer versions put into an object. */
function resultContent(value: Json): string | JsonObject[] {
  const list = isJsonObject(value) ? value.content : value;
  if (typeof list === 'string') return list;
  return objectsIn(list).flatMap((content) => {
    if (content.type === 'text')
      return [{ type: 'text', text: stringField(content, 'text') ?? '' }];
    if (content.type === 'image') return [imageBlock(content)];
    return [{ type: 'text', text: JSON.stringify(content) }];
  });
}

function imageBlock({ data = '', mimeType = 'image/png' }: JsonObject): JsonObject {
  return { type: 'image', source: { type: 'base64', media_type: mimeType, data } };
}
