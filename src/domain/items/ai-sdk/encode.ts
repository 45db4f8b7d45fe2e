import type { JsonObject } from '../../json.ts';
import { visibleControl } from '../control-items.ts';
import { inputObject, namedParts, resultPartText, textOf } from '../convert.ts';
import type { ImagePart, Item, Message, Normalised, Part, Role, ToolResult } from '../item.ts';
import { type FilePart, readOpaque } from '../opaque.ts';
import { textOutput } from './parts.ts';

/** A text message. */
export function aiSdkMessage(role: Role, text: string, fields: Item = {}): Item {
  return { role, content: text, ...fields };
}

/** A normalised message as model messages: tool results first, in a message of their own. */
export function encodeAiSdk(message: Normalised): Item[] {
  if (message.kind === 'message') return encodeMessage(message);
  return visibleControl(message, (text) => aiSdkMessage('user', text));
}

function encodeMessage(message: Message): Item[] {
  const { role } = message;
  const parts = namedParts(message);
  const results = parts.filter((part) => part.kind === 'tool_result');
  const content = parts.flatMap((part) => contentOf(part, role));
  const messages: Item[] = [];
  if (results.length > 0) messages.push({ role: 'tool', content: results.map(encodeResult) });
  if (content.length > 0) messages.push({ role, content: compact(content, role) });
  return messages;
}

function compact(content: JsonObject[], role: Role): string | JsonObject[] {
  const texts = content.map(({ text }) => (typeof text === 'string' ? text : ''));
  // A system message takes a string only.
  return role === 'system' || (content.length === 1 && content[0]?.type === 'text')
    ? texts.join('\n\n')
    : content;
}

function contentOf(part: Part, role: Role): JsonObject[] {
  switch (part.kind) {
    case 'text':
      return part.text === '' ? [] : [{ type: 'text', text: part.text }];
    case 'image':
      return [imageFor(part, role)];
    case 'opaque':
      return readOpaque(part.json).flatMap((one): JsonObject[] => {
        if (one.kind === 'text') return contentOf(one, role);
        if (one.kind === 'image') return [imageFor(one, role)];
        if (one.kind === 'file' && role === 'user') return [fileOf(one)];
        return [{ type: 'text', text: textOf(one) }];
      });
    case 'tool_call':
      return [
        {
          type: 'tool-call',
          toolCallId: part.id,
          toolName: part.name,
          input: inputObject(part.input),
        },
      ];
    case 'thinking':
    case 'tool_result':
      return [];
    default:
      return part satisfies never;
  }
}

/** Only user messages hold pictures. */
function imageFor(part: ImagePart, role: Role): JsonObject {
  const { source } = part;
  if (source === undefined || role !== 'user') return { type: 'text', text: textOf(part) };
  return source.kind === 'url'
    ? { type: 'image', image: source.url }
    : { type: 'image', image: source.data, mediaType: source.media_type };
}

function fileOf({ name, source }: FilePart): JsonObject {
  return source.kind === 'url'
    ? { type: 'file', data: source.url, mediaType: 'application/pdf', filename: name }
    : { type: 'file', data: source.data, mediaType: source.media_type, filename: name };
}

/** `render` adds the name of its tool, which stands in the call. */
function encodeResult({ call_id, content, is_error }: ToolResult): JsonObject {
  const isText = content.every(({ kind }) => kind === 'text');
  const hasBytes = content.some((part) => part.kind === 'image' && part.source?.kind === 'base64');
  return {
    type: 'tool-result',
    toolCallId: call_id,
    output:
      isText || !hasBytes
        ? textOutput(content.map(resultPartText).join('\n'), is_error)
        : { type: 'content', value: content.map(outputPart) },
  };
}

function outputPart(part: ToolResult['content'][number]): JsonObject {
  if (part.kind === 'image' && part.source?.kind === 'base64') {
    return { type: 'media', data: part.source.data, mediaType: part.source.media_type };
  }
  return { type: 'text', text: resultPartText(part) };
}
