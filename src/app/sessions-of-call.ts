import { indexedId } from '../domain/search/names.ts';
import { callKey } from './gateway/caller-keys.ts';
import type { Ports } from './ports/ports.ts';
import { searchedSessions } from './search/scopes.ts';
import { tenantCaughtUp } from './search/search.ts';

/** More than these sessions are as good as two. */
const MOST = 5;
/** How long the index is waited for. */
const PATIENCE_MS = 500;

/**
 * The sessions in which a call stands, by its id: by what the gateway has noted, and by the index of all
 * that was appended. A fork has copies of the calls of its parents: of these only one is named, that which
 * the gateway has noted, else the newest.
 */
export async function sessionsOfCall(
  { store, indexer }: Pick<Ports, 'store' | 'indexer'>,
  tenant: string,
  call_id: string,
): Promise<string[]> {
  // What was acknowledged a moment ago may have the call as well.
  await tenantCaughtUp({ store, indexer }, tenant, performance.now() + PATIENCE_MS);
  const noted = await store.gatewayKeys.find(tenant, [callKey(call_id)]);
  const indexed = await store.search.sessionsOfCall(tenant, indexedId(call_id), MOST);
  const all = new Set([...(noted === null ? [] : [noted.session_id]), ...indexed]);
  if (all.size < 2) return [...all];
  const families: Set<string>[] = [];
  const distinct: string[] = [];
  for (const session_id of all) {
    const past = await searchedSessions(store, { tenant, session_id });
    const ids = past.ok ? past.value.map(({ ref }) => ref.session_id) : [session_id];
    const family = families.find((known) => ids.some((id) => known.has(id)));
    if (family === undefined) {
      families.push(new Set(ids));
      distinct.push(session_id);
    } else {
      for (const id of ids) family.add(id);
    }
  }
  return distinct;
}
