import { type Atom, atomsOf } from '../items/atoms.ts';
import type { Codec } from '../items/codec.ts';
import { codecFor, type Format } from '../items/codecs.ts';
import type { Item, Normalised } from '../items/item.ts';
import type { Entry, Origin } from '../session/entry.ts';
import type { View } from './view.ts';

/**
 * An item of a rendered context with where it comes from. `seq` is that of the first item of the log
 * that went into it, null for what a compaction made; `edited`: it is not as it was appended. What was
 * only added so that a provider accepts the request has the origin `added`.
 */
export type ContextItem = {
  seq: number | null;
  origin: Origin | 'added';
  edited: boolean;
  item: Item;
};

/**
 * Finds out what the items of a rendered context were made of: rendering joins messages, moves results
 * to their calls and writes attachments as messages. What they say is what entry and item have in common.
 */
export function withOrigins(
  { entries, originals }: Pick<View, 'entries' | 'originals'>,
  rendered: readonly Item[],
  { format, target }: { format: Format; target: Format },
): ContextItem[] {
  const codec = codecFor(target);
  const places = placesOf(entries, codecFor(format));
  return rendered.map((item) => {
    const found = atomsOf(codec, item).flatMap((atom) => places.take(atom) ?? []);
    const first = found.length === 0 ? undefined : entries[Math.min(...found)];
    if (first === undefined) return { seq: null, origin: 'added', edited: false, item };
    const edited = found.some((place) => {
      const seq = entries[place]?.seq ?? null;
      return seq !== null && originals.has(seq);
    });
    return { seq: first.seq, origin: first.origin, edited, item };
  });
}

/** Where the pieces of a context stand, each place to be taken once, by what they say. */
function placesOf(entries: readonly Entry[], codec: Codec) {
  const byKey = new Map<string, { places: number[]; next: number }>();
  for (const [place, { item }] of entries.entries()) {
    const keys = keysOf(codec, [item]);
    // What no rule knows is shown as the provider takes it, control items are shown as messages.
    const shown = isPlain(codec.normalise(item)) ? [] : keysOf(codec, codec.render([item], 'part'));
    for (const key of [...keys, ...shown.filter((each) => !keys.includes(each))]) {
      const own = byKey.get(key);
      if (own === undefined) byKey.set(key, { places: [place], next: 0 });
      else own.places.push(place);
    }
  }
  return {
    take(atom: Atom): number | null {
      const own = byKey.get(keyOf(atom));
      const place = own?.places[own.next] ?? own?.places.at(-1);
      if (own === undefined || place === undefined) return null;
      own.next += 1;
      return place;
    },
  };
}

function keysOf(codec: Codec, items: readonly Item[]): string[] {
  return items.flatMap((item) => atomsOf(codec, item).map(keyOf));
}

function isPlain(item: Normalised): boolean {
  return item.kind === 'message' && item.parts.every(({ kind }) => kind !== 'opaque');
}

/** Calls and results by their ids: their contents may have been edited, or written for another format. */
function keyOf({ anchor, isOfModel, text }: Atom): string {
  return anchor === null ? text : `${isOfModel ? 'call' : 'result'} ${anchor}`;
}
