import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import type { Item } from './item.ts';

/** What clients change from one request to the next without meaning anything by it. */
const CHANGING: ReadonlySet<string> = new Set(['cache_control']);
/** Of the item itself: ids that providers add, and what clients note about an answer. */
const ADDED: ReadonlySet<string> = new Set([
  ...CHANGING,
  'id',
  'status',
  'internal_chat_message_metadata_passthrough',
]);

/**
 * An item as it is told, as text of which there is one for each content: two items of one text say the
 * same. It is far quicker to write than to take the item apart (`atomsOf`), and says less: items that
 * say the same may well have different texts.
 */
export function toldText(item: Item): string {
  let text = '';
  for (const name of sortedKeys(item)) {
    const value = item[name];
    if (value === undefined || ADDED.has(name)) continue;
    text += sized(name) + (name === 'content' ? contentText(value) : valueText(value));
  }
  return `{${text}}`;
}

/** A string is a list of one text. */
function contentText(content: Json): string {
  return typeof content === 'string'
    ? `[{${sized('text')}${sized(content)}${sized('type')}${sized('text')}}]`
    : valueText(content);
}

function valueText(value: Json): string {
  if (typeof value === 'string') return sized(value);
  if (Array.isArray(value)) return `[${value.map(valueText).join('')}]`;
  if (!isJsonObject(value)) return `${value};`;
  let text = '';
  for (const name of sortedKeys(value)) {
    const inner = value[name];
    if (inner !== undefined && !CHANGING.has(name)) text += sized(name) + valueText(inner);
  }
  return `{${text}}`;
}

/** Most objects have few keys, which are quicker put in order one by one than sorted. */
function sortedKeys(object: JsonObject): string[] {
  const keys = Object.keys(object);
  if (keys.length > FEW_KEYS) return keys.sort();
  for (let next = 1; next < keys.length; next++) {
    const key = keys[next] ?? '';
    let at = next;
    for (let before = keys[at - 1]; before !== undefined && before > key; before = keys[at - 1]) {
      keys[at] = before;
      at -= 1;
    }
    keys[at] = key;
  }
  return keys;
}

const FEW_KEYS = 12;

/** With its length before it: nothing has to be escaped. */
function sized(text: string): string {
  return `${text.length}:${text}`;
}
