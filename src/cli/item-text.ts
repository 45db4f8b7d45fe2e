import { codecFor, type Format } from '../domain/items/codecs.ts';
import { IMAGE_NOTE, resultPartText } from '../domain/items/convert.ts';
import type { Item, Part } from '../domain/items/item.ts';

/** Who says an item, and each thing that it says; not safe for a terminal yet. */
type ItemText = { who: string; said: string[] };

/** An item of a wire format, or a control item, for people. */
export function itemText(format: Format, item: Item): ItemText {
  const read = codecFor(format).normalise(item);
  switch (read.kind) {
    case 'message': {
      const isTools = read.parts.length > 0 && read.parts.every(isResult);
      return { who: isTools ? 'tool' : read.role, said: read.parts.map(saidBy) };
    }
    case 'attachment':
      return {
        who: read.attachment,
        said: [...(read.path === undefined ? [] : [read.path]), read.text],
      };
    case 'system':
      return { who: 'system', said: [read.content] };
    case 'progress':
    case 'ghost_snapshot':
      return { who: read.kind, said: [JSON.stringify(item)] };
    default:
      return read satisfies never;
  }
}

function isResult({ kind }: Part): boolean {
  return kind === 'tool_result';
}

function saidBy(part: Part): string {
  switch (part.kind) {
    case 'text':
      return part.text;
    case 'thinking':
      return `(thinking) ${part.text}`;
    case 'image':
      return IMAGE_NOTE;
    case 'opaque':
      return resultPartText(part);
    case 'tool_call':
      return `calls ${part.name} ${JSON.stringify(part.input)}`;
    case 'tool_result':
      return `${part.is_error ? '(error) ' : ''}${part.content.map(resultPartText).join('\n')}`;
    default:
      return part satisfies never;
  }
}
