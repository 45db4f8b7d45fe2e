import { isJsonObject, type JsonObject, stringField } from '../../json.ts';
import type { ResultEdits } from '../codec.ts';
import { isControlItem, normaliseControlItem } from '../control-items.ts';
import { imageOf, sourceOfUrl } from '../convert.ts';
import type { ImagePart, Item, Normalised, Part, Role, Source, ToolResult } from '../item.ts';
import { messageOf } from '../own-fields.ts';
import { withInput } from '../replace-input.ts';
import { partsOf } from '../shape.ts';

/** The normalised view of an Anthropic message or control item. */
export function normaliseAnthropic(item: Item): Normalised {
  if (isControlItem(item)) return normaliseControlItem(item);
  return messageOf(item, roleOf(item), partsOf(item.content, partOf));
}

function roleOf({ role }: Item): Role {
  return role === 'assistant' || role === 'system' ? role : 'user';
}

function partOf(block: JsonObject): Part {
  switch (block.type) {
    case 'thinking':
    case 'redacted_thinking':
      return { kind: 'thinking', text: stringField(block, 'thinking') ?? '', source: block };
    case 'tool_use':
      return {
        kind: 'tool_call',
        id: stringField(block, 'id') ?? '',
        name: stringField(block, 'name') ?? '',
        input: block.input ?? {},
        source: block,
      };
    case 'tool_result':
      return {
        kind: 'tool_result',
        call_id: stringField(block, 'tool_use_id') ?? '',
        content: partsOf(block.content, plainPart),
        is_error: block.is_error === true,
      };
    default:
      return plainPart(block);
  }
}

function plainPart(block: JsonObject): ToolResult['content'][number] {
  if (block.type === 'text' && typeof block.text === 'string') {
    return { kind: 'text', text: block.text };
  }
  if (block.type === 'image') return anthropicImage(block);
  return { kind: 'opaque', json: block };
}

function anthropicImage(block: JsonObject): ImagePart {
  return imageOf(block, isJsonObject(block.source) ? imageSource(block.source) : undefined);
}

function imageSource(source: JsonObject): Source | undefined {
  const { type, media_type, data, url } = source;
  if (type === 'base64' && typeof media_type === 'string' && typeof data === 'string') {
    return { kind: 'base64', media_type, data };
  }
  return type === 'url' && typeof url === 'string' ? sourceOfUrl(url) : undefined;
}

/** The message with the content of the named tool results replaced. */
export function editAnthropicResults(item: Item, edits: ResultEdits): Item {
  if (isControlItem(item) || !Array.isArray(item.content)) return item;
  const content = item.content.map((block) => {
    if (!isJsonObject(block) || block.type !== 'tool_result') return block;
    const text = edits.get(stringField(block, 'tool_use_id') ?? '');
    return text === undefined ? block : { ...block, content: text };
  });
  return { ...item, content };
}

/** The message with the input of the named calls replaced. */
export function editAnthropicInputs(item: Item, edits: ResultEdits): Item {
  if (isControlItem(item) || !Array.isArray(item.content)) return item;
  const content = item.content.map((block) => {
    if (!isJsonObject(block) || block.type !== 'tool_use') return block;
    return withInput(block, 'input', edits.get(stringField(block, 'id') ?? ''));
  });
  return { ...item, content };
}
