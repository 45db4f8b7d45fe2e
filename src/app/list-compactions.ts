import { accept, type Outcome } from '../domain/session/errors.ts';
import { type Compaction, compactionOf } from './compaction-detail.ts';
import { findSession } from './find.ts';
import type { Page, PageQuery, SessionRef } from './ports/event-store.ts';
import type { Ports } from './ports/ports.ts';

/** The compactions of a session, newest first. Rejects: session_not_found. */
export async function listCompactions(
  { store }: Pick<Ports, 'store'>,
  ref: SessionRef,
  page: PageQuery,
): Promise<Outcome<Page<Compaction>>> {
  const session = await findSession(store, ref);
  if (!session.ok) return session;
  const { data, next_cursor } = await store.compactions(ref, page);
  return accept({ data: data.map((row) => compactionOf(ref, row)), next_cursor });
}
