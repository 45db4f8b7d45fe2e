import { isJsonObject, type Json, type JsonObject, objectsIn, stringField } from '../../json.ts';
import { imageOf, sourceOfUrl } from '../convert.ts';
import type { ImagePart, Item, Part, Source, ToolCall, ToolResult } from '../item.ts';

type Content = ToolResult['content'][number];

/** Whether a part is a call that the client answers; the provider's own tools are answered by itself. */
export function isCall(part: JsonObject): boolean {
  return part.type === 'tool-call' && part.providerExecuted !== true;
}

/** Whether a part of the message answers a call; in an assistant message it is the provider's own tool. */
export function isResult(message: Item, part: JsonObject): boolean {
  return message.role === 'tool' && part.type === 'tool-result';
}

function callOf(part: JsonObject): ToolCall {
  return {
    kind: 'tool_call',
    id: stringField(part, 'toolCallId') ?? '',
    name: stringField(part, 'toolName') ?? '',
    // Version 4 called it `args`.
    input: part.input ?? part.args ?? {},
    source: part,
  };
}

/** The calls of an assistant message that the client answers. */
export function callsOf(message: Item): ToolCall[] {
  if (message.role !== 'assistant') return [];
  return objectsIn(message.content).filter(isCall).map(callOf);
}

/** A part of a message, see `Normalised`. */
export function partOf(message: Item, part: JsonObject): Part {
  if (isResult(message, part)) return resultOf(part);
  if (message.role === 'assistant' && isCall(part)) return callOf(part);
  if (part.type === 'reasoning') {
    return { kind: 'thinking', text: stringField(part, 'text') ?? '', source: part };
  }
  return contentOf(part);
}

function contentOf(part: JsonObject): Content {
  if (part.type === 'text') return { kind: 'text', text: stringField(part, 'text') ?? '' };
  return imageIn(part) ?? { kind: 'opaque', json: part };
}

/** The picture that a part is; version 5 has some as a file of that type. */
function imageIn(part: JsonObject): ImagePart | null {
  const mediaType = stringField(part, 'mediaType') ?? stringField(part, 'mimeType');
  switch (part.type) {
    case 'image':
      return imageOf(part, sourceOf(part.image ?? part.data, mediaType));
    case 'file':
    case 'media':
    case 'image-data':
    case 'image-url': {
      const isImage = part.type.startsWith('image') || mediaType?.startsWith('image/') === true;
      return isImage ? imageOf(part, sourceOf(part.data ?? part.url, mediaType)) : null;
    }
    default:
      return null;
  }
}

/** Bytes in base64 or an address; bytes of another kind cannot travel. */
function sourceOf(given: Json | undefined, mediaType: string | undefined): Source | undefined {
  if (typeof given !== 'string') return undefined;
  if (/^(?:data|https?):/.test(given)) return sourceOfUrl(given);
  const isType = mediaType?.includes('/') === true && !mediaType.endsWith('*');
  return { kind: 'base64', media_type: isType ? mediaType : 'image/png', data: given };
}

function resultOf(part: JsonObject): ToolResult {
  const output = isJsonObject(part.output) ? part.output : { type: 'json', value: part.result };
  return {
    kind: 'tool_result',
    call_id: stringField(part, 'toolCallId') ?? '',
    content: outputContent(output),
    is_error: isErrorType(output) || part.isError === true,
  };
}

function isErrorType({ type }: { type?: Json | undefined }): boolean {
  return type === 'error-text' || type === 'error-json' || type === 'execution-denied';
}

function outputContent(output: {
  type?: Json;
  value?: Json | undefined;
  reason?: Json;
}): Content[] {
  const { type, value, reason } = output;
  if (type === 'content') return objectsIn(value).map(contentOf);
  if (type === 'execution-denied') {
    return [{ kind: 'text', text: deniedText(reason) }];
  }
  if (typeof value === 'string') return value === '' ? [] : [{ kind: 'text', text: value }];
  return value === undefined ? [] : [{ kind: 'text', text: JSON.stringify(value) }];
}

/** What the AI SDK tells its model of a call that the user did not let through, and why. */
export function deniedText(reason: Json | undefined): string {
  const isGiven = typeof reason === 'string' && reason !== '';
  return `Tool call execution denied${isGiven ? `: ${reason}` : '.'}`;
}

/** A result with another text in it; whether it is an error stays. */
export function withText(part: JsonObject, text: string): JsonObject {
  const { result: _, ...rest } = part;
  return { ...rest, output: textOutput(text, resultOf(part).is_error) };
}

export function textOutput(text: string, isError: boolean): JsonObject {
  return { type: isError ? 'error-text' : 'text', value: text };
}
