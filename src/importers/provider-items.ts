import type { Format } from '../domain/items/codecs.ts';
import { isJsonObject, type JsonObject, objectsIn, stringField } from '../domain/json.ts';
import {
  type Conversation,
  countOtherFields,
  entriesOf,
  type Importer,
  objectsField,
  Tally,
} from './transcript.ts';

/** Items of one provider's API, and the field of a request body that holds them. */
type Kind = {
  format: Format;
  field: 'messages' | 'input';
  /** Whether an item is one that only this provider knows. */
  isOwn: (item: JsonObject) => boolean;
};

const ANTHROPIC_BLOCKS: ReadonlySet<string> = new Set([
  ...['tool_use', 'tool_result', 'thinking', 'redacted_thinking', 'server_tool_use'],
  ...['mcp_tool_use', 'document', 'search_result', 'container_upload', 'compaction'],
]);
const RESPONSES_ITEMS: ReadonlySet<string> = new Set([
  ...['function_call', 'function_call_output', 'custom_tool_call', 'custom_tool_call_output'],
  ...['local_shell_call', 'shell_call', 'apply_patch_call', 'computer_call', 'reasoning'],
  ...['web_search_call', 'file_search_call', 'code_interpreter_call', 'mcp_call', 'compaction'],
  ...['image_generation_call', 'tool_search_call', 'mcp_list_tools', 'mcp_approval_request'],
]);
const RESPONSES_PARTS: ReadonlySet<string> = new Set([
  ...['input_text', 'output_text', 'input_image', 'input_file'],
]);

/** Messages of the Anthropic API: also what Cline keeps as `api_conversation_history.json`. */
export const anthropicMessages = importerOf(
  'anthropic-messages',
  'messages of the Anthropic API (an array, JSON lines, or request bodies with "messages")',
  {
    format: 'anthropic',
    field: 'messages',
    isOwn: (item) =>
      typeof item.role === 'string' && (isAnswer(item) || partsOf(item).some(isOfAnthropic)),
  },
);

/** A whole answer, as the API gives it and some clients keep it. */
function isAnswer(item: JsonObject): boolean {
  return item.type === 'message' && 'stop_reason' in item;
}

/** The model of the newest whole answer. */
function answeredBy(items: readonly JsonObject[]): string | null {
  return stringField(items.findLast(isAnswer) ?? {}, 'model') ?? null;
}

function isOfAnthropic(block: JsonObject): boolean {
  const type = stringField(block, 'type') ?? '';
  return (
    ANTHROPIC_BLOCKS.has(type) ||
    type.endsWith('_tool_result') ||
    (type === 'image' && isJsonObject(block.source))
  );
}

/** Items of the Responses API, as they stand in `input`. */
export const responsesItems = importerOf(
  'openai-responses',
  'items of the OpenAI Responses API (an array, JSON lines, or request bodies with "input")',
  {
    format: 'openai-responses',
    field: 'input',
    isOwn: (item) =>
      item.role === undefined
        ? RESPONSES_ITEMS.has(stringField(item, 'type') ?? '')
        : partsOf(item).some((part) => RESPONSES_PARTS.has(stringField(part, 'type') ?? '')),
  },
);

function importerOf(source: string, description: string, kind: Kind): Importer {
  return {
    source,
    description,
    matches: (content) => {
      const entries = entriesOf(content);
      return isConversation(entries, kind) || entries.some((entry) => isRequest(entry, kind));
    },
    read: (content) => {
      const entries = entriesOf(content);
      if (isConversation(entries, kind)) return [conversation(entries, answeredBy(entries), kind)];
      const requests = entries.filter((entry) => isRequest(entry, kind));
      const read = requests.map((request) => {
        const items = objectsField(request, kind.field) ?? [];
        const found = conversation(items, stringField(request, 'model') ?? null, kind);
        countOtherFields(request, kind.field, found.skipped);
        return found;
      });
      const others = entries.length - requests.length;
      if (others > 0) read[0]?.skipped.add(`record_without_${kind.field}`, others);
      return read;
    },
  };
}

/** Chat messages may hold blocks of others, but nobody else has these fields and roles. */
function isOfChat({ role, tool_calls, function_call }: JsonObject): boolean {
  return (
    role === 'tool' ||
    role === 'function' ||
    Array.isArray(tool_calls) ||
    isJsonObject(function_call)
  );
}

function isConversation(items: readonly JsonObject[], { isOwn }: Kind): boolean {
  return items.some(isOwn) && !items.some(isOfChat);
}

function isRequest(record: JsonObject, kind: Kind): boolean {
  const items = objectsField(record, kind.field);
  if (items === undefined || record.role !== undefined) return false;
  // Only a request to Anthropic has its system prompt beside the messages.
  const isAnthropic =
    kind.format === 'anthropic' && record.system != null && 'max_tokens' in record;
  // Nobody else has messages in `input`, however plain they are.
  const isResponses = kind.field === 'input' && items.some(({ role }) => typeof role === 'string');
  const isKnown = isAnthropic || isResponses;
  return isConversation(items, kind) || (isKnown && !items.some(isOfChat));
}

function conversation(items: JsonObject[], model: string | null, kind: Kind): Conversation {
  return { format: kind.format, model, items, skipped: new Tally(), notes: [] };
}

function partsOf({ content }: JsonObject): JsonObject[] {
  return objectsIn(content);
}
