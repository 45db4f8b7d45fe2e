import { groupBy } from '../group-by.ts';
import { codecFor } from '../items/codecs.ts';
import { type Entry, sumOfTokens } from '../session/entry.ts';
import { accept, type Outcome, reject } from '../session/errors.ts';
import { asPinned, type PinnedItems } from '../session/pin-commands.ts';
import { savedBy } from '../session/result-edits.ts';
import { safeCuts } from './invariants/safe-cuts.ts';
import type { View } from './view.ts';

/** Items that stand or fall together; a longer run is no single thing to be remembered. */
const MOST_ITEMS = 200;

/**
 * What has to be pinned with an item of the log: a call with its results, all pieces of a message,
 * reasoning with what it led to. `then` is a context that holds the item, `now` that of today. Rejects:
 * not_pinnable.
 */
export function pinnedItems(seq: number, then: View, now: View): Outcome<PinnedItems> {
  const codec = codecFor(then.format);
  const index = then.entries.findIndex((entry) => entry.origin === 'log' && entry.seq === seq);
  const cuts = safeCuts(then.entries.map(({ item }) => codec.normalise(item)));
  const from = cuts.lastIndexOf(true, index);
  const to = cuts.indexOf(true, index + 1);
  if (index < 0 || to < 0) {
    return reject(
      'not_pinnable',
      `item ${seq} belongs to a call whose result is not there yet: pin it when the result has come`,
    );
  }
  const unit = then.entries.slice(from, to).filter(({ origin }) => origin === 'log');
  if (unit.length > MOST_ITEMS) {
    return reject(
      'not_pinnable',
      `item ${seq} cannot stand without ${unit.length - 1} others, and at most ${MOST_ITEMS} are pinned at once`,
    );
  }
  const entries = unit.map((entry) => asPinned(asAppended(entry, then)));
  return accept({ seq, entries, tokens_change: sumOfTokens(entries) - standing(entries, now) });
}

/** What the context loses when items are no longer pinned, or are taken back as a pin. */
export function tokensWithout(pinned: readonly Entry[], now: View): number {
  const isInFront = new Set(
    now.entries.flatMap(({ seq, origin }) => (origin === 'pinned' ? [seq] : [])),
  );
  const edits = groupBy(now.edits.values(), ({ seq }) => seq);
  return pinned.reduce(
    (sum, { seq, tokens }) =>
      sum - (isInFront.has(seq) ? tokens : savedBy(edits.get(seq ?? 0) ?? [])),
    0,
  );
}

function asAppended(entry: Entry, { originals, edits }: View): Entry {
  const original = entry.seq === null ? undefined : originals.get(entry.seq);
  if (original === undefined) return entry;
  const own = [...edits.values()].filter(({ seq }) => seq === entry.seq);
  return { ...entry, item: original, tokens: entry.tokens + savedBy(own) };
}

/** What these items count in a context as it is. */
function standing(items: readonly Entry[], { entries }: View): number {
  const tokens = new Map(entries.map((entry) => [entry.seq, entry.tokens]));
  return items.reduce((sum, { seq }) => sum + (seq === null ? 0 : (tokens.get(seq) ?? 0)), 0);
}
