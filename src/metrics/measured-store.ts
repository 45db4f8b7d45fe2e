import type { EventStore } from '../app/ports/event-store.ts';
import type { NewEvent } from '../domain/session/events.ts';
import type { Head } from '../domain/session/head.ts';
import { measurementsOf } from './of-events.ts';
import type { Record } from './registry.ts';

/** What is timed; a search asks the store for much else. */
const TIMED = [
  'head',
  'events',
  'rows',
  'restore',
  'sessions',
  'compactions',
  'compaction',
  'pending',
  'due',
  'erase',
] as const;

/** The store, with what its commits say and how long it takes told to `record`. */
export function measuredStore<S extends EventStore>(store: S, record: Record): S {
  const timed = async <T>(operation: string, run: () => Promise<T>): Promise<T> => {
    const started = performance.now();
    try {
      return await run();
    } catch (error) {
      record({ metric: 'palimpsest_store_errors_total', labels: { operation }, value: 1 });
      throw error;
    } finally {
      const value = (performance.now() - started) / 1000;
      record({ metric: 'palimpsest_store_duration_seconds', labels: { operation }, value });
    }
  };
  const commit: EventStore['commit'] = (ref, decide, options) =>
    timed('commit', async () => {
      let made: Made | null = null;
      const committed = await store.commit(
        ref,
        (before) => {
          const decided = decide(before);
          // The store may ask again; what it was told last is what it has written.
          made = decided.ok ? { before, events: decided.value.events } : null;
          return decided;
        },
        options,
      );
      if (committed.ok && !committed.value.replayed) tell(made, record);
      return committed;
    });
  const measured = new Map<string | symbol, unknown>([['commit', commit]]);
  for (const operation of TIMED) {
    const run: (...asked: never[]) => Promise<unknown> = store[operation].bind(store);
    measured.set(operation, (...asked: never[]) => timed(operation, () => run(...asked)));
  }
  return new Proxy(store, {
    get: (target, name) => {
      if (measured.has(name)) return measured.get(name);
      const own: unknown = Reflect.get(target, name, target);
      if (typeof own !== 'function') return own;
      // Methods read private fields, which a proxy does not have.
      const bound: unknown = own.bind(target);
      measured.set(name, bound);
      return bound;
    },
  });
}

type Made = { before: Head | null; events: readonly NewEvent[] };

function tell(made: Made | null, record: Record): void {
  if (made === null) return;
  for (const measurement of measurementsOf(made.before, made.events)) record(measurement);
}
