import type { CompactionRow, PageQuery, SessionRef } from './ports/event-store.ts';
import type { Ports } from './ports/ports.ts';
import { summaryOf } from './session-state.ts';

/** Of one session: its savings are summed over so many compactions, the newest. */
const COMPACTIONS = 100;

/**
 * The sessions of a tenant, newest first, with what their compactions have come to (SPEC 2, section 27).
 * `saved_tokens` is what each next call carries less than without the compactions in place.
 */
export async function sessionOverview(
  { store, world }: Pick<Ports, 'store' | 'world'>,
  tenant: string,
  page: PageQuery,
) {
  const { data, next_cursor } = await store.sessions(tenant, page);
  const rows = await Promise.all(
    data.map(async ({ ref, head, is_archived }) => ({
      ...summaryOf(ref, head, world),
      is_archived,
      ...(await compactionsOf(store, ref)),
    })),
  );
  return { data: rows, next_cursor };
}

async function compactionsOf(store: Ports['store'], ref: SessionRef) {
  const { data, next_cursor } = await store.compactions(ref, { limit: COMPACTIONS });
  return {
    last_compaction: data[0] === undefined ? null : lastOf(data[0]),
    saved_tokens: data.reduce((sum, row) => sum + savedBy(row), 0),
    /** False: there are more compactions than were looked at. */
    is_all_saved: next_cursor === null,
  };
}

function lastOf({ id, status, outcome, requested_at, ended_at, reverted_at }: CompactionRow) {
  return { id, status, outcome, at: ended_at ?? requested_at, is_reverted: reverted_at !== null };
}

function savedBy({ outcome, reverted_at, tokens_before, tokens_after }: CompactionRow): number {
  if (reverted_at !== null || outcome === 'proposed' || outcome === 'discarded') return 0;
  return tokens_before === null || tokens_after === null ? 0 : tokens_before - tokens_after;
}
