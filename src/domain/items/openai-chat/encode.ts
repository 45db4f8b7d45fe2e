import type { JsonObject } from '../../json.ts';
import { attachmentText } from '../control-items.ts';
import { argumentsText, IMAGE_NOTE, resultPartText, safeName, urlOfSource } from '../convert.ts';
import type { ImagePart, Item, Message, Normalised, Part, Role, ToolResult } from '../item.ts';

/** A text message. */
export function openaiChatMessage(role: Role, text: string, fields: Item = {}): Item {
  return { role, content: text, ...fields };
}

/** A normalised message as Chat messages: tool results first, each a message of its own. */
export function encodeOpenaiChat(message: Normalised): Item[] {
  switch (message.kind) {
    case 'attachment':
      return message.is_empty ? [] : [openaiChatMessage('user', attachmentText(message))];
    case 'progress':
    case 'system':
    case 'ghost_snapshot':
      return [];
    case 'message':
      return encodeMessage(message);
    default:
      return message satisfies never;
  }
}

function encodeMessage({ role, parts }: Message): Item[] {
  const results = parts.filter((part) => part.kind === 'tool_result');
  const calls = parts.flatMap((part) => (part.kind === 'tool_call' ? [encodeCall(part)] : []));
  const content = [
    // A tool message carries text only, so images of results follow as a user message.
    ...results.flatMap((result) => result.content.filter(isSendableImage)),
    ...parts,
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

function contentPart(part: Part, role: Role): JsonObject[] {
  switch (part.kind) {
    case 'text':
      return part.text === '' ? [] : [{ type: 'text', text: part.text }];
    case 'opaque':
      return [{ type: 'text', text: JSON.stringify(part.json) }];
    case 'image':
      // Only user messages may hold images.
      if (part.source === undefined || role !== 'user') return [{ type: 'text', text: IMAGE_NOTE }];
      return [{ type: 'image_url', image_url: { url: urlOfSource(part.source) } }];
    case 'thinking':
    case 'tool_call':
    case 'tool_result':
      return [];
    default:
      return part satisfies never;
  }
}

function isSendableImage(part: Part): part is ImagePart {
  return part.kind === 'image' && part.source !== undefined;
}

function encodeCall(call: Extract<Part, { kind: 'tool_call' }>): JsonObject {
  return {
    id: call.id,
    type: 'function',
    function: { name: safeName(call.name), arguments: argumentsText(call) },
  };
}

function encodeResult(result: ToolResult): Item {
  return {
    role: 'tool',
    tool_call_id: result.call_id,
    content: result.content.map(resultPartText).join('\n'),
  };
}
