import type { SearchableStore } from '../app/ports/search-index.ts';
import type { NewEvent } from '../domain/session/events.ts';
import type { Head } from '../domain/session/head.ts';
import { measurementsOf } from './of-events.ts';
import type { Record } from './registry.ts';

/** The store, with what its commits say and how long it takes told to `record`. */
export function measuredStore(store: SearchableStore, record: Record): SearchableStore {
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
  return {
    search: store.search,
    commit: (ref, decide, options) =>
      timed('commit', async () => {
        let made: { before: Head | null; events: readonly NewEvent[] } | null = null;
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
      }),
    head: (ref) => timed('head', () => store.head(ref)),
    events: (ref, query) => timed('events', () => store.events(ref, query)),
    rows: (ref, query) => timed('rows', () => store.rows(ref, query)),
    restore: (ref, session) => timed('restore', () => store.restore(ref, session)),
    sessions: (tenant, page) => timed('sessions', () => store.sessions(tenant, page)),
    compactions: (ref, page) => timed('compactions', () => store.compactions(ref, page)),
    compaction: (ref, id) => timed('compaction', () => store.compaction(ref, id)),
    pending: (limit) => timed('pending', () => store.pending(limit)),
    due: (nowMs, limit) => timed('due', () => store.due(nowMs, limit)),
    erase: (ref) => timed('erase', () => store.erase(ref)),
    subscribe: (ref, listener) => store.subscribe(ref, listener),
    hear: (listener) => store.hear(listener),
    ring: (key) => store.ring(key),
    doubt: () => store.doubt(),
    verify: () => store.verify(),
    rebuild: () => store.rebuild(),
    ping: () => store.ping(),
    close: () => store.close(),
  };
}

type Made = { before: Head | null; events: readonly NewEvent[] };

function tell(made: Made | null, record: Record): void {
  if (made === null) return;
  for (const measurement of measurementsOf(made.before, made.events)) record(measurement);
}
