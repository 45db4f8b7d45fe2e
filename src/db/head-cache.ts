import { LRUCache } from 'lru-cache';
import type { Settings, State } from '../domain/session/head.ts';
import type { Current } from './group-plan.ts';

/** Heads kept in memory: so many characters of JSON, of which a plain one has about 2,000. */
const CACHED_CHARACTERS = 32_000_000;
/** What a head has beside its settings and the ids of open calls and commands, in characters. */
const PLAIN_STATE = 2_000;
/** What stands around an id of those. */
const AROUND_ID = 10;

/**
 * The parsed heads of recent sessions, by the sessions' keys. They are shared with everybody who reads
 * them: they are never changed, only replaced. Whether one is still the newest is for the store to know.
 */
export class HeadCache<T extends Current> {
  readonly #heads = new LRUCache<string, T>({
    maxSize: CACHED_CHARACTERS,
    sizeCalculation: ({ head }) => this.#sizeOf(head),
  });
  /** Settings rarely change: appends hand on the same object. */
  readonly #settingsSizes = new WeakMap<Settings, number>();

  get(key: string): T | undefined {
    return this.#heads.get(key);
  }

  set(key: string, session: T): void {
    this.#heads.set(key, session);
  }

  delete(key: string): void {
    this.#heads.delete(key);
  }

  clear(): void {
    this.#heads.clear();
  }

  #sizeOf({ settings, state }: Current['head']): number {
    let size = this.#settingsSizes.get(settings);
    if (size === undefined) {
      size = JSON.stringify(settings).length;
      this.#settingsSizes.set(settings, size);
    }
    return size + sizeOfState(state);
  }
}

/** About how many characters of JSON a state has; cheap, as it is asked with every append. */
export function sizeOfState({ open_commands, open_calls }: State): number {
  const { calls, results, succeeded } = open_calls;
  const ids = [open_commands.map(({ id }) => id), ...calls, results, succeeded].flat();
  return ids.reduce((sum, id) => sum + id.length + AROUND_ID, PLAIN_STATE);
}
