import { accept, type Outcome, reject } from '../domain/session/errors.ts';
import type { Head } from '../domain/session/head.ts';
import { type EventPageQuery, eventPage } from './event-page.ts';
import { findSession } from './find.ts';
import type { Page, SessionRef, StoredEvent } from './ports/event-store.ts';
import type { Ports } from './ports/ports.ts';

/** The events of a session, oldest first. Rejects: session_not_found. */
export async function listEvents(
  { store }: Pick<Ports, 'store'>,
  ref: SessionRef,
  query: EventPageQuery,
): Promise<Outcome<Page<StoredEvent>>> {
  const session = await findSession(store, ref);
  return session.ok ? accept(await eventPage(store, ref, query)) : session;
}

/**
 * The session whose events are to be followed after a version. Rejects: session_not_found, version_not_found:
 * who has seen more than there is has seen another log, and would wait for what never comes.
 */
export async function findFollowed(
  { store }: Pick<Ports, 'store'>,
  ref: SessionRef,
  after: number,
): Promise<Outcome<Head>> {
  const session = await findSession(store, ref);
  if (!session.ok || after <= session.value.state.version) return session;
  return reject(
    'version_not_found',
    `the session is at version ${session.value.state.version}: there is nothing to go on from after version ${after}`,
  );
}
