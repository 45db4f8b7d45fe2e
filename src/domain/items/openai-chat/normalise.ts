import { isJsonObject, type JsonObject, stringField } from '../../json.ts';
import type { ResultEdits } from '../codec.ts';
import { isControlItem, normaliseControlItem } from '../control-items.ts';
import { imageOf, sourceOfUrl } from '../convert.ts';
import type { ImagePart, Item, Message, Normalised, Part, TextPart, ToolResult } from '../item.ts';
import { messageOf } from '../own-fields.ts';
import { partsOf } from '../shape.ts';
import { answeredCallId, callsOf, withInputs } from './calls.ts';

/** The normalised view of a Chat Completions message or control item. */
export function normaliseOpenaiChat(item: Item): Normalised {
  return isControlItem(item) ? normaliseControlItem(item) : normaliseMessage(item);
}

function normaliseMessage(item: Item): Message {
  const callId = answeredCallId(item);
  if (callId !== undefined) {
    const isError = item.is_error === true || item.error === true;
    const content = partsOf(item.content, partOf);
    return messageOf(item, 'user', [
      { kind: 'tool_result', call_id: callId, content, is_error: isError },
    ]);
  }
  switch (item.role) {
    case 'assistant':
      return messageOf(item, 'assistant', assistantParts(item));
    case 'user': {
      const message = messageOf(item, 'user', partsOf(item.content, partOf));
      const name = stringField(item, 'name') ?? '';
      return name === '' ? message : { ...message, name };
    }
    default:
      return messageOf(item, 'system', partsOf(item.content, partOf));
  }
}

function assistantParts(item: Item): Part[] {
  // Not in OpenAI's own API, but what compatible servers send beside the content.
  const reasoning = stringField(item, 'reasoning_content') ?? '';
  const refusal = stringField(item, 'refusal') ?? '';
  return [
    ...(reasoning === ''
      ? []
      : [{ kind: 'thinking', text: reasoning, source: reasoning } as const]),
    ...partsOf(item.content, partOf),
    ...spokenParts(item),
    ...(refusal === '' ? [] : [{ kind: 'text', text: refusal } as const]),
    ...callsOf(item),
  ];
}

/** What the assistant has said aloud, where the content does not say it in writing. */
function spokenParts({ audio, content }: Item): TextPart[] {
  const text = isJsonObject(audio) ? (stringField(audio, 'transcript') ?? '') : '';
  const isWritten = partsOf(content, partOf).some(
    (part) => part.kind === 'text' && part.text !== '',
  );
  return text === '' || isWritten ? [] : [{ kind: 'text', text }];
}

/** A part of a content array, see `Normalised`. */
export function partOf(block: JsonObject): ToolResult['content'][number] {
  switch (block.type) {
    case 'text':
      return { kind: 'text', text: stringField(block, 'text') ?? '' };
    case 'refusal':
      return { kind: 'text', text: stringField(block, 'refusal') ?? '' };
    case 'image_url':
      return chatImage(block);
    default: {
      const text = textInPart(block);
      return text === undefined ? { kind: 'opaque', json: block } : { kind: 'text', text };
    }
  }
}

/** Parts of text as others name them: `input_text`, `output_text`, `tool_output`. */
const TEXT_PART = /^(?:input_|output_|tool_)?(?:text|output)$/;

/** The text of a part that this API names otherwise; undefined for parts of other kinds. */
export function textInPart(block: JsonObject): string | undefined {
  return TEXT_PART.test(stringField(block, 'type') ?? '') ? stringField(block, 'text') : undefined;
}

function chatImage(block: JsonObject): ImagePart {
  const image = block.image_url;
  const url = isJsonObject(image) ? stringField(image, 'url') : undefined;
  return imageOf(block, url === undefined ? undefined : sourceOfUrl(url));
}

/** The message with its content replaced when it is one of the named tool results. */
export function editOpenaiChatResults(item: Item, edits: ResultEdits): Item {
  if (isControlItem(item)) return item;
  const callId = answeredCallId(item);
  const text = callId === undefined ? undefined : edits.get(callId);
  return text === undefined ? item : { ...item, content: text };
}

/** The message with the arguments of the named calls replaced. */
export function editOpenaiChatInputs(item: Item, edits: ResultEdits): Item {
  return isControlItem(item) ? item : withInputs(item, edits);
}
