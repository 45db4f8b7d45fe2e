import type { EventStore, SessionRef, StoredEvent } from './ports/event-store.ts';

/** The version at which a fork says what it has inherited. */
export const FORKED = 2;

/**
 * The session that a session was forked from. Null where the parent was erased and its id has been taken by
 * another one since, whose items were never the past of this fork.
 */
export async function forkedFrom(
  store: Pick<EventStore, 'head'>,
  { tenant }: SessionRef,
  { at, data }: Extract<StoredEvent, { type: 'session.forked' }>,
): Promise<SessionRef | null> {
  const parent = { tenant, session_id: data.parent_session_id };
  const head = await store.head(parent);
  if (head === null) return parent;
  const { created_at, version } = head.state;
  return created_at > at || version < data.parent_version ? null : parent;
}
