import { sessionNotFound } from '../domain/session/create-session.ts';
import { accept, type Outcome, reject } from '../domain/session/errors.ts';
import type { Head } from '../domain/session/head.ts';
import type { CompactionRow, EventStore, SessionRef } from './ports/event-store.ts';

/** Rejects: session_not_found. */
export async function findSession(store: EventStore, ref: SessionRef): Promise<Outcome<Head>> {
  const head = await store.head(ref);
  return head === null ? sessionNotFound() : accept(head);
}

/** Rejects: session_not_found, compaction_not_found. */
export async function findCompaction(
  store: EventStore,
  ref: SessionRef,
  id: string,
): Promise<Outcome<CompactionRow>> {
  const row = await store.compaction(ref, id);
  if (row !== null) return accept(row);
  const session = await findSession(store, ref);
  if (!session.ok) return session;
  return reject(
    'compaction_not_found',
    'the session has no compaction with this id: GET …/compactions lists those it has',
  );
}
