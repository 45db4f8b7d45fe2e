import { accept, type Outcome, reject } from '../../domain/session/errors.ts';
import { lastEvent } from '../last-event.ts';
import { ownEvents } from '../own-events.ts';
import type { EventStore } from '../ports/event-store.ts';
import type { SearchedSession } from '../search/scopes.ts';

/** The items that a compaction took away; `seqs`: of the range only these, null: all. */
export type TakenAway = {
  session: SearchedSession;
  from: number;
  to: number;
  seqs: ReadonlySet<number> | null;
};

/**
 * Which items a compaction took out of the context, or cleared results of. Rejects:
 * compaction_not_found, not_found when it took none away.
 */
export async function takenAway(
  store: EventStore,
  sessions: readonly SearchedSession[],
  id: string,
): Promise<Outcome<TakenAway>> {
  for (const session of sessions) {
    const row = await store.compaction(session.ref, id);
    if (row === null || row.requested_version > session.at) continue;
    const events = await ownEvents(store, session.ref, row);
    const completed = lastEvent(events, 'compaction.completed')?.data;
    if (completed !== undefined) {
      const from = (completed.previous?.through ?? 0) + 1;
      return accept({ session, from, to: completed.through, seqs: null });
    }
    const edits = lastEvent(events, 'compaction.micro_completed')?.data.edits ?? [];
    if (edits.length === 0) {
      const why = row.outcome === null ? 'it has not ended yet' : `it ended as ${row.outcome}`;
      return reject('not_found', `this compaction has taken nothing away: ${why}`);
    }
    const seqs = edits.map(({ seq }) => seq);
    const [from, to] = [Math.min(...seqs), Math.max(...seqs)];
    return accept({ session, from, to, seqs: new Set(seqs) });
  }
  return reject(
    'compaction_not_found',
    'the session has no compaction with this id: context_status names the newest, and search_history ' +
      'the one that took a hit away',
  );
}
