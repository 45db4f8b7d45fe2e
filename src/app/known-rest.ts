import { flawOf, JSON_DEPTH } from '../domain/exact-json.ts';
import { elementsOf } from '../domain/gateway/element-ends.ts';
import type { Item } from '../domain/items/item.ts';
import { isJsonObject, type JsonObject, jsonObjectIn } from '../domain/json.ts';
import { measureJson } from '../domain/json-text.ts';
import type { Told } from '../domain/session/told.ts';
import type { BodyOutline, KnownBeginning } from './known-bodies.ts';
import type { TellingStart } from './told-chain.ts';

/** More is read in another thread, in bytes. */
const MOST_NEW = 131_072;
/** With so many values in it, too. */
const MOST_JSON = { values: 50_000, depth: JSON_DEPTH };

/** What a history comes to, and the places behind its known beginning that it can be gone on from. */
type WholeTold = { told: Told; starts: readonly TellingStart[] };

/** What a body has behind a known beginning of its history. */
type KnownRest = {
  items: Item[];
  /** The fields behind the history, and the items as one of them. */
  fields: JsonObject;
  /** What stands beside the history, in UTF-16 units. */
  beside: number;
  /** What a later body may begin like. */
  outline: (told: WholeTold) => BodyOutline;
};

/**
 * Reads the rest of a body whose history is in `name`. Null where more than that has to be read, or has to
 * be refused.
 */
export function readKnownRest(
  bytes: Uint8Array,
  { place, fields, names, history_at }: KnownBeginning,
  name: string,
): KnownRest | null {
  const behind = bytes.subarray(place.end);
  if (behind.byteLength > MOST_NEW) return null;
  const read = textOf(behind);
  const [, gap, next] = /^([ \t\r\n]*)([,\]])/.exec(read ?? '') ?? [];
  if (read === null || gap === undefined || next !== ',') return null;
  const opening = `{"${name}":[`;
  const text = opening + read.slice(gap.length + 1);
  const { values, depth } = measureJson(text, MOST_JSON);
  if (values > MOST_JSON.values || depth > MOST_JSON.depth) return null;
  const rest = flawOf(text, JSON_DEPTH) === null ? jsonObjectIn(text) : null;
  if (rest === null) return null;
  const items = rest[name];
  const elements = elementsOf(text, name);
  if (elements === null || !isHistory(items)) return null;
  if (names.some((each) => each !== name && Object.hasOwn(rest, each))) return null;
  const toBytes = (end: number) => place.end + gap.length + 1 + bytesTo(text, end) - opening.length;
  return {
    items,
    fields: rest,
    beside: history_at + text.length - (elements.ends.at(-1) ?? 0),
    outline: ({ told, starts }) => ({
      fields,
      names,
      history_at,
      told,
      places: starts
        .filter((start) => start.items < told.items)
        .map((start) => ({
          start,
          end: toBytes(elements.ends[start.items - place.start.items - 1] ?? 0),
        })),
    }),
  };
}

/** How many bytes of UTF-8 a text has up to a place. */
export function bytesTo(text: string, end: number): number {
  return Buffer.byteLength(text.slice(0, end));
}

/** Whether a body begins with a mark of the order of bytes, which is no part of its text. */
export function hasMark(body: Uint8Array): boolean {
  return body[0] === MARK;
}

const MARK = 0xef;

// A mark of the order of bytes stands here in no JSON: it must not vanish.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Null where it is no UTF-8. */
function textOf(bytes: Uint8Array): string | null {
  try {
    return utf8.decode(bytes);
  } catch {
    return null;
  }
}

function isHistory(items: JsonObject[string] | undefined): items is Item[] {
  return Array.isArray(items) && items.every(isJsonObject);
}
