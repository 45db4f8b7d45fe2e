import type { PageQuery } from './ports/event-store.ts';
import type { Ports } from './ports/ports.ts';
import { summaryOf } from './session-state.ts';

/** The sessions of a tenant, newest first. */
export async function listSessions(
  { store, world }: Pick<Ports, 'store' | 'world'>,
  tenant: string,
  page: PageQuery,
) {
  const { data, next_cursor } = await store.sessions(tenant, page);
  return {
    data: data.map(({ ref, head, is_archived }) => ({
      ...summaryOf(ref, head, world),
      archived: is_archived,
    })),
    next_cursor,
  };
}
