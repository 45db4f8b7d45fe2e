import type { SessionRef } from '../../app/ports/event-store.ts';
import type { SessionWrite } from '../session-row.ts';
import type { CompactionRows } from './compaction-rows.ts';
import type { EventRows } from './event-rows.ts';
import type { IdempotencyRows } from './idempotency-rows.ts';
import type { SessionRows } from './session-rows.ts';

export type Tables = {
  sessions: SessionRows;
  events: EventRows;
  compactions: CompactionRows;
  idempotency: IdempotencyRows;
};

/** To be called in a transaction. */
export function writeSession(tables: Tables, ref: SessionRef, write: SessionWrite): void {
  // First: the rows of the other tables refer to it.
  tables.sessions.write(ref, write.after, write);
  for (const row of write.rows) tables.events.insert(ref, row);
  for (const [key, answer] of write.kept) tables.idempotency.insert(ref, key, answer);
  for (const row of write.compactions) tables.compactions.put(ref, row);
}
