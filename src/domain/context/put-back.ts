import { canonicalJson } from '../canonical-json.ts';
import { codecFor, type Format } from '../items/codecs.ts';
import { resultPartText } from '../items/convert.ts';
import type { Item, Normalised } from '../items/item.ts';
import { isJsonObject, type Json, stringField } from '../json.ts';
import type { Entry, Origin } from '../session/entry.ts';

/** What a compaction has put back of an item that it took away. */
export type PutBack = {
  origin: Origin;
  /** Of a restored file or plan. */
  path: string | null;
  /** All of the item, word for word. */
  is_whole: boolean;
};

/** So many lines of a restored text are looked for, spread over it. */
const LINES = 40;
/** Shorter ones stand in any text. */
const SHORTEST_LINE = 8;
/** Between a read and the end of the session a file may have been changed here and there. */
const SHARE = 0.8;

/**
 * What of an item stands again in the entries of a base: the item itself (instructions, the user's
 * messages, plans), or a file most of whose restored lines stand in the item.
 */
export function putBackOf(entries: readonly Entry[], item: Item, format: Format): PutBack[] {
  const whole = canonicalJson(item);
  let told: string | null = null;
  return entries.flatMap(({ origin, item: entry }): PutBack[] => {
    if (origin === 'boundary' || origin === 'summary' || origin === 'hook') return [];
    const { attachment } = entry;
    const path = isJsonObject(attachment) ? (stringField(attachment, 'path') ?? null) : null;
    if (canonicalJson(entry) === whole) return [{ origin, path, is_whole: true }];
    const content = isJsonObject(attachment) ? stringField(attachment, 'content') : undefined;
    if (origin !== 'file' || content === undefined) return [];
    told ??= textOf(codecFor(format).normalise(item));
    return standsIn(content, told) ? [{ origin, path, is_whole: false }] : [];
  });
}

function standsIn(content: string, told: string): boolean {
  const lines = content.split('\n').flatMap((line) => {
    const bare = line.trim();
    return bare.length < SHORTEST_LINE ? [] : [bare];
  });
  const step = Math.max(1, Math.floor(lines.length / LINES));
  const some = lines.filter((_, index) => index % step === 0);
  const found = some.filter((line) => told.includes(line)).length;
  return found > 0 && found >= some.length * SHARE;
}

function textOf(item: Normalised): string {
  if (item.kind === 'attachment') return item.text;
  if (item.kind !== 'message') return '';
  const texts = item.parts.flatMap((part): string[] => {
    switch (part.kind) {
      case 'text':
        return [part.text];
      case 'tool_call':
        return stringsIn(part.input);
      case 'tool_result':
        return part.content.map(resultPartText);
      default:
        return [];
    }
  });
  return texts.join('\n');
}

function stringsIn(value: Json): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(stringsIn);
  return isJsonObject(value) ? Object.values(value).flatMap(stringsIn) : [];
}
