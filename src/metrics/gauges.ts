import type { EventStore } from '../app/ports/event-store.ts';
import type { Indexer } from '../app/search/indexer.ts';
import type { Measurement } from './catalogue.ts';

/** Pending compactions that are counted; there are rarely any. */
const MOST_COUNTED = 10_000;

/** What is measured when somebody looks. Without the store, what is known without it. */
export async function gauges(
  store: Pick<EventStore, 'pending'>,
  indexer: Pick<Indexer, 'waiting'>,
  now: () => Date,
): Promise<Measurement[]> {
  const { sessions, ms } = indexer.waiting();
  const pending = await store.pending(MOST_COUNTED).catch(() => null);
  return [
    { metric: 'palimpsest_search_index_waiting_sessions', labels: {}, value: sessions },
    { metric: 'palimpsest_search_index_lag_seconds', labels: {}, value: ms / 1000 },
    ...(pending === null ? [] : ofPending(pending, now)),
  ];
}

function ofPending(pending: readonly { requested_at: string }[], now: () => Date): Measurement[] {
  const [oldest] = pending;
  const ms = oldest === undefined ? 0 : now().getTime() - Date.parse(oldest.requested_at);
  const value = Math.max(0, ms) / 1000;
  return [
    { metric: 'palimpsest_compactions_pending', labels: {}, value: pending.length },
    { metric: 'palimpsest_oldest_pending_compaction_seconds', labels: {}, value },
  ];
}
