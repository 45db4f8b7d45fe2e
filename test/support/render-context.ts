import { codecFor, type Format } from '../../src/domain/items/codecs.ts';
import { resultPartText } from '../../src/domain/items/convert.ts';
import type { Item, Normalised, Part } from '../../src/domain/items/item.ts';
import type { Entry } from '../../src/domain/session/entry.ts';

const LONGEST = 64;
const HEAD = 40;
const TAIL = 20;

/** A context as text for snapshots, one readable line per entry: origin, seq, tokens, what it says. */
export function renderContext(format: Format, entries: readonly Entry[]): string {
  const lines = entries.map(
    ({ origin, seq, tokens, item }) =>
      `${origin.padEnd(12)} ${String(seq ?? '-').padStart(3)} ${String(tokens).padStart(5)}t  ${sayItem(format, item)}`,
  );
  return `${lines.join('\n')}\n`;
}

/** What goes to the model, one line per message. */
export function renderItems(format: Format, items: readonly Item[]): string {
  return `${items.map((item) => sayItem(format, item)).join('\n')}\n`;
}

function sayItem(format: Format, item: Item): string {
  const normalised = codecFor(format).normalise(item);
  return normalised.kind === 'message' && normalised.is_compact_summary
    ? `${say(normalised)} (summary)`
    : say(normalised);
}

function say(item: Normalised): string {
  switch (item.kind) {
    case 'message':
      return `${item.role}: ${item.parts.map(sayPart).join(' + ')}`;
    case 'attachment':
      return `[${item.attachment}${item.path === undefined ? '' : ` ${item.path}`}] ${short(item.text)}`;
    case 'system':
      return `<${item.subtype}>`;
    case 'progress':
    case 'ghost_snapshot':
      return `<${item.kind}>`;
    default:
      return item satisfies never;
  }
}

function sayPart(part: Part): string {
  switch (part.kind) {
    case 'text':
      return short(part.text);
    case 'image':
      return '[image]';
    case 'thinking':
      return `(thinks: ${short(part.text)})`;
    case 'tool_call':
      return `call ${part.id} ${part.name} ${short(JSON.stringify(part.input))}`;
    case 'tool_result':
      return `result ${part.call_id}: ${short(part.content.map(resultPartText).join(' '))}`;
    case 'opaque':
      return short(JSON.stringify(part.json));
    default:
      return part satisfies never;
  }
}

function short(text: string): string {
  const line = text.replaceAll('\n', '⏎').trim();
  if (line.length <= LONGEST) return line;
  return `${line.slice(0, HEAD)} … ${line.slice(-TAIL)} (${text.length} characters)`;
}
