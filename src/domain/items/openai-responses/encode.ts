import type { JsonObject } from '../../json.ts';
import { visibleControl } from '../control-items.ts';
import {
  argumentsText,
  IMAGE_NOTE,
  namedParts,
  resultPartText,
  safeName,
  shortId,
  textOf,
  urlOfSource,
} from '../convert.ts';
import type { Item, Message, Normalised, Part, Role, ToolResult } from '../item.ts';
import { type FilePart, type PlainPart, plainParts } from '../opaque.ts';

/** The API refuses longer call ids. */
const LONGEST_ID = 64;

/** A text message. */
export function openaiResponsesMessage(role: Role, text: string, fields: Item = {}): Item {
  return { type: 'message', role, content: [textPart(text, role)], ...fields };
}

/** A normalised message as Responses items, in the order of its parts. */
export function encodeOpenaiResponses(message: Normalised): Item[] {
  if (message.kind === 'message') return encodeMessage(message);
  return visibleControl(message, (text) => openaiResponsesMessage('user', text));
}

function encodeMessage(message: Message): Item[] {
  const { role } = message;
  const items: Item[] = [];
  let content: JsonObject[] = [];
  const flush = () => {
    if (content.length > 0) items.push({ type: 'message', role, content });
    content = [];
  };
  for (const part of namedParts(message)) {
    const item = toolItem(part);
    if (item === undefined) {
      content.push(...contentPart(part, role));
      continue;
    }
    flush();
    items.push(item);
  }
  flush();
  return items;
}

function toolItem(part: Part): Item | undefined {
  if (part.kind === 'tool_call') {
    return {
      type: 'function_call',
      call_id: shortId(part.id, LONGEST_ID),
      name: safeName(part.name),
      arguments: argumentsText(part),
    };
  }
  if (part.kind === 'tool_result') {
    return {
      type: 'function_call_output',
      call_id: shortId(part.call_id, LONGEST_ID),
      output: outputOf(part),
    };
  }
  return undefined;
}

function outputOf({ content }: ToolResult): string | JsonObject[] {
  const parts = content.flatMap((part) => contentPart(part, 'user'));
  const isText = parts.every((part) => part.type === 'input_text');
  return isText ? content.map(resultPartText).join('\n') : parts;
}

function contentPart(part: Part, role: Role): JsonObject[] {
  return plainParts(part).flatMap((one) => plainPart(one, role));
}

function plainPart(part: PlainPart, role: Role): JsonObject[] {
  switch (part.kind) {
    case 'text':
      return part.text === '' ? [] : [textPart(part.text, role)];
    case 'image':
      // What the model wrote holds text only.
      if (part.source === undefined || role === 'assistant') return [textPart(IMAGE_NOTE, role)];
      return [{ type: 'input_image', detail: 'auto', image_url: urlOfSource(part.source) }];
    case 'file':
      if (role === 'assistant') return [textPart(textOf(part), role)];
      return [filePart(part)];
    case 'audio':
      return [textPart(textOf(part), role)];
    case 'thinking':
    case 'tool_call':
    case 'tool_result':
      return [];
    default:
      return part satisfies never;
  }
}

function filePart({ name, source }: FilePart): JsonObject {
  if (source.kind === 'url') return { type: 'input_file', file_url: source.url };
  return { type: 'input_file', filename: name, file_data: urlOfSource(source) };
}

function textPart(text: string, role: Role): JsonObject {
  return { type: role === 'assistant' ? 'output_text' : 'input_text', text };
}
