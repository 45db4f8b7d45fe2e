import { accept } from '../domain/session/errors.ts';
import { eventPage } from './event-page.ts';
import { findSession } from './find.ts';
import type { SessionRef } from './ports/event-store.ts';
import type { Ports } from './ports/ports.ts';

/**
 * The raw log after a `seq`, oldest first: every item ever appended, also what was compacted away.
 * Rejects: session_not_found.
 */
export async function listItems(
  { store }: Pick<Ports, 'store'>,
  ref: SessionRef,
  page: { after: number; limit: number },
) {
  const session = await findSession(store, ref);
  if (!session.ok) return session;
  const { data, next_cursor } = await eventPage(store, ref, { ...page, types: ['item.appended'] });
  const items = data.flatMap((event) => {
    if (event.type !== 'item.appended') return [];
    const { item, tokens, occurred_at = null } = event.data;
    return [{ seq: event.version, at: event.at, occurred_at, item, tokens }];
  });
  return accept({ data: items, next_cursor });
}
