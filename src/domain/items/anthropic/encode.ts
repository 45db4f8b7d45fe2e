import type { JsonObject } from '../../json.ts';
import { visibleControl } from '../control-items.ts';
import { IMAGE_NOTE, inputObject, namedParts, safeId, safeName, textOf } from '../convert.ts';
import type { ImagePart, Item, Normalised, Part, Role, ToolResult } from '../item.ts';
import { type FilePart, fileNote, plainParts, type SaidPart } from '../opaque.ts';

const IMAGE_TYPES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'];

/** What opens a user message that stands for a system message. */
export const SYSTEM_LABEL = 'System instructions:\n';

/**
 * A text message. Only the newest models take a system message inside the conversation, so what others
 * call one becomes a labelled user message.
 */
export function anthropicMessage(role: Role, text: string, fields: Item = {}): Item {
  if (role === 'system') return { role: 'user', content: SYSTEM_LABEL + text, ...fields };
  return { role, content: text, ...fields };
}

/** A normalised message as Anthropic messages; thinking of another provider is left out. */
export function encodeAnthropic(message: Normalised): Item[] {
  if (message.kind !== 'message') {
    return visibleControl(message, (text) => anthropicMessage('user', text));
  }
  const { role } = message;
  const content = namedParts(message).flatMap((part) => blockOf(part, role));
  if (content.length === 0) return [];
  if (role !== 'system') return [{ role, content }];
  return [{ role: 'user', content: [{ type: 'text', text: SYSTEM_LABEL }, ...content] }];
}

function blockOf(part: Part, role: Role): JsonObject[] {
  switch (part.kind) {
    case 'thinking':
      return [];
    case 'tool_call':
      return [
        {
          type: 'tool_use',
          id: safeId(part.id),
          name: safeName(part.name),
          input: inputObject(part.input),
        },
      ];
    case 'tool_result':
      return [
        {
          type: 'tool_result',
          tool_use_id: safeId(part.call_id),
          content: part.content.flatMap((inner) => plainBlocks(inner, 'user')),
          ...(part.is_error && { is_error: true }),
        },
      ];
    default:
      return plainBlocks(part, role);
  }
}

function plainBlocks(part: ToolResult['content'][number], role: Role): JsonObject[] {
  return plainParts(part).map((one) => plainBlock(one, role));
}

function plainBlock(part: SaidPart, role: Role): JsonObject {
  // Only what is said to the model may hold more than text.
  if (part.kind === 'image' && role === 'user') return imageBlock(part);
  if (part.kind === 'file' && role === 'user') return fileBlock(part);
  return { type: 'text', text: textOf(part) };
}

/** Anthropic takes PDF documents and pictures; of other files the model gets to know the name. */
function fileBlock(file: FilePart): JsonObject {
  const { name: title, source } = file;
  if (source.kind === 'url')
    return { type: 'document', source: { type: 'url', url: source.url }, title };
  const { media_type, data } = source;
  if (media_type.startsWith('image/')) return imageBlock({ kind: 'image', source });
  if (media_type !== 'application/pdf') return { type: 'text', text: fileNote(file) };
  return { type: 'document', source: { type: 'base64', media_type, data }, title };
}

function imageBlock({ source }: ImagePart): JsonObject {
  if (source === undefined) return { type: 'text', text: IMAGE_NOTE };
  if (source.kind === 'url') return { type: 'image', source: { type: 'url', url: source.url } };
  const { media_type, data } = source;
  if (!IMAGE_TYPES.includes(media_type)) return { type: 'text', text: IMAGE_NOTE };
  return { type: 'image', source: { type: 'base64', media_type, data } };
}
