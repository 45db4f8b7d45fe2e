import type { JsonObject } from '../../json.ts';
import { attachmentText } from '../control-items.ts';
import { IMAGE_NOTE, inputObject, safeId, safeName } from '../convert.ts';
import type { ImagePart, Item, Normalised, Part, Role, ToolResult } from '../item.ts';

const SYSTEM_LABEL = 'System instructions:\n';

/** A text message; Anthropic has no system message, so that role becomes a labelled user message. */
export function anthropicMessage(role: Role, text: string, fields: Item = {}): Item {
  if (role === 'system') return { role: 'user', content: SYSTEM_LABEL + text, ...fields };
  return { role, content: text, ...fields };
}

/** A normalised message as Anthropic messages; thinking of another provider is left out. */
export function encodeAnthropic(message: Normalised): Item[] {
  switch (message.kind) {
    case 'attachment':
      return message.is_empty ? [] : [anthropicMessage('user', attachmentText(message))];
    case 'progress':
    case 'system':
    case 'ghost_snapshot':
      return [];
    case 'message': {
      const content = message.parts.flatMap(blockOf);
      if (content.length === 0) return [];
      if (message.role !== 'system') return [{ role: message.role, content }];
      return [{ role: 'user', content: [{ type: 'text', text: SYSTEM_LABEL }, ...content] }];
    }
    default:
      return message satisfies never;
  }
}

function blockOf(part: Part): JsonObject[] {
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
          content: part.content.map(plainBlock),
          ...(part.is_error && { is_error: true }),
        },
      ];
    default:
      return [plainBlock(part)];
  }
}

function plainBlock(part: ToolResult['content'][number]): JsonObject {
  switch (part.kind) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'image':
      return imageBlock(part);
    case 'opaque':
      return { type: 'text', text: JSON.stringify(part.json) };
    default:
      return part satisfies never;
  }
}

function imageBlock({ source }: ImagePart): JsonObject {
  if (source === undefined) return { type: 'text', text: IMAGE_NOTE };
  if (source.kind === 'url') return { type: 'image', source: { type: 'url', url: source.url } };
  const { media_type, data } = source;
  return { type: 'image', source: { type: 'base64', media_type, data } };
}
