import { accept, type Outcome } from '../domain/session/errors.ts';
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
