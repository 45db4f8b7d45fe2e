import type { Format } from '../../domain/items/codecs.ts';
import type { Told } from '../../domain/session/told.ts';
import { lastUsed } from '../last-used.ts';
import type { Telling } from '../telling.ts';
import { HistoryKeys, type HistoryState, noHistory } from './history-keys.ts';

/** A few hundred bytes each. */
const MOST_HISTORIES = 10_000;

/**
 * What histories have come to that were told before. Clients send all of theirs with each turn, and to
 * take it apart takes five times as long as to see that its beginning is known.
 */
export class KnownHistories {
  readonly #states = lastUsed<HistoryState>(MOST_HISTORIES);

  /** What a history comes to, of which only what is new since `before` is taken apart. */
  state(scope: string, telling: Telling): HistoryState {
    const { format, known, before, told } = telling;
    const start = before === null ? undefined : this.#states.get(keyOf(scope, format, before.key));
    const from = start === undefined ? 0 : known;
    const { state } = this.#begun(scope, format, from === 0 ? undefined : start).add(
      telling.itemsFrom(from),
    );
    this.#states.set(keyOf(scope, format, told.key), state);
    return state;
  }

  /** The same for a history whose known beginning has come to something already; null: it has not. */
  onward(scope: string, telling: Telling): HistoryState | null {
    const { format, known, before } = telling;
    if (known === 0 || before === null) return null;
    return this.#states.has(keyOf(scope, format, before.key)) ? this.state(scope, telling) : null;
  }

  /** Notes what a history comes to that was told elsewhere. */
  note(scope: string, format: Format, told: Told, state: HistoryState): void {
    this.#states.set(keyOf(scope, format, told.key), state);
  }

  #begun(scope: string, format: Format, state: HistoryState | undefined): HistoryKeys {
    return new HistoryKeys(format, state ?? noHistory(scope, format));
  }
}

function keyOf(...parts: [scope: string, format: Format, told: string]): string {
  return JSON.stringify(parts);
}
