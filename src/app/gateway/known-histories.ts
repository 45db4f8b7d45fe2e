import { LRUCache } from 'lru-cache';
import type { Format } from '../../domain/items/codecs.ts';
import type { Telling } from '../telling.ts';
import { HistoryKeys, type HistoryState, noHistory } from './history-keys.ts';

/** A few hundred bytes each. */
const MOST_HISTORIES = 10_000;

/**
 * What histories have come to that were told before. Clients send all of theirs with each turn, and to
 * take it apart takes five times as long as to see that its beginning is known.
 */
export class KnownHistories {
  readonly #states = new LRUCache<string, HistoryState>({ max: MOST_HISTORIES });

  /** What a history comes to, of which only what is new since `before` is taken apart. */
  state(scope: string, { format, items, known, before, told }: Telling): HistoryState {
    const start = before === null ? undefined : this.#states.get(keyOf(scope, format, before.key));
    const from = start === undefined ? 0 : known;
    const { state } = this.#begun(scope, format, from === 0 ? undefined : start).add(
      items.slice(from),
    );
    this.#states.set(keyOf(scope, format, told.key), state);
    return state;
  }

  #begun(scope: string, format: Format, state: HistoryState | undefined): HistoryKeys {
    return new HistoryKeys(format, state ?? noHistory(scope, format));
  }
}

function keyOf(...parts: [scope: string, format: Format, told: string]): string {
  return JSON.stringify(parts);
}
