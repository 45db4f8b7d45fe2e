import type { JsonObject } from '../../json.ts';
import { visibleControl } from '../control-items.ts';
import {
  argumentsText,
  IMAGE_NOTE,
  resultPartText,
  safeName,
  shortId,
  textOf,
  urlOfSource,
} from '../convert.ts';
import type { Item, Message, Normalised, Part, Role, ToolResult } from '../item.ts';
import { type AudioPart, type FilePart, type PlainPart, plainParts } from '../opaque.ts';

/** Servers of this format refuse longer call ids. */
const LONGEST_ID = 40;

/** A text message. */
export function openaiChatMessage(role: Role, text: string, fields: Item = {}): Item {
  return { role, content: text, ...fields };
}

/** A normalised message as Chat messages: tool results first, each a message of its own. */
export function encodeOpenaiChat(message: Normalised): Item[] {
  if (message.kind === 'message') return encodeMessage(message);
  return visibleControl(message, (text) => openaiChatMessage('user', text));
}

function encodeMessage({ role, parts }: Message): Item[] {
  const results = parts.filter((part) => part.kind === 'tool_result');
  const calls = parts.flatMap((part) => (part.kind === 'tool_call' ? [encodeCall(part)] : []));
  const content = [
    // A tool message carries text only, so images and files of results follow as a user message.
    ...results.flatMap((result) => result.content.flatMap(plainParts).filter(isSendable)),
    ...parts.flatMap(plainParts),
  ].flatMap((part) => contentPart(part, role));
  const messages = results.map(encodeResult);
  if (content.length > 0 || calls.length > 0) {
    messages.push({
      role,
      content: compact(content),
      ...(calls.length > 0 && { tool_calls: calls }),
    });
  }
  return messages;
}

function compact(content: JsonObject[]): string | JsonObject[] | null {
  const only = content[0];
  if (only === undefined) return null;
  return content.length === 1 && typeof only.text === 'string' ? only.text : content;
}

function contentPart(part: PlainPart, role: Role): JsonObject[] {
  switch (part.kind) {
    case 'text':
      return part.text === '' ? [] : [{ type: 'text', text: part.text }];
    case 'image':
      // Only user messages may hold more than text.
      if (part.source === undefined || role !== 'user') return [{ type: 'text', text: IMAGE_NOTE }];
      return [{ type: 'image_url', image_url: { url: urlOfSource(part.source) } }];
    case 'file':
    case 'audio':
      if (role === 'user' && isSendable(part)) return [filePart(part)];
      return [{ type: 'text', text: textOf(part) }];
    case 'thinking':
    case 'tool_call':
    case 'tool_result':
      return [];
    default:
      return part satisfies never;
  }
}

function filePart(part: FilePart | AudioPart): JsonObject {
  if (part.kind === 'audio') {
    return { type: 'input_audio', input_audio: { data: part.data, format: part.format } };
  }
  const file = { filename: part.name, file_data: urlOfSource(part.source) };
  return { type: 'file', file };
}

/** Files travel by their bytes alone, and sound in two formats. */
function isSendable(part: PlainPart): boolean {
  if (part.kind === 'audio') return part.format === 'wav' || part.format === 'mp3';
  if (part.kind === 'file') return part.source.kind === 'base64';
  return part.kind === 'image' && part.source !== undefined;
}

function encodeCall(call: Extract<Part, { kind: 'tool_call' }>): JsonObject {
  return {
    id: shortId(call.id, LONGEST_ID),
    type: 'function',
    function: { name: safeName(call.name), arguments: argumentsText(call) },
  };
}

function encodeResult(result: ToolResult): Item {
  return {
    role: 'tool',
    tool_call_id: shortId(result.call_id, LONGEST_ID),
    content: result.content.map(resultPartText).join('\n'),
  };
}
