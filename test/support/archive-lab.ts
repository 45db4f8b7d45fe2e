import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Archive, IdleSession } from '../../src/app/ports/archive.ts';
import type { SearchableStore } from '../../src/app/ports/search-index.ts';
import { Indexer } from '../../src/app/search/indexer.ts';
import { archiveSession } from '../../src/db/archive/archive-session.ts';
import { FolderArchive } from '../../src/db/archive/folder-archive.ts';
import { withArchive } from '../../src/db/archive/with-archive.ts';
import { openPostgresStore } from '../../src/db/postgres/postgres-store.ts';
import { openSqliteStore } from '../../src/db/sqlite/sqlite-store.ts';
import { append, created, item } from '../contracts/session-events.ts';

/** Long before all clocks. */
export const LONG_AGO = '2020-01-01T00:00:00.000Z';
export const LATER = '2030-01-01T00:00:00.000Z';

export const ref = (session_id: string, tenant = 'local') => ({ tenant, session_id });

/** A store without an archive behind it. */
export function openPlain(url: string): Promise<SearchableStore> {
  return url.startsWith('file:')
    ? openSqliteStore({ path: url.slice('file:'.length) })
    : openPostgresStore({ url, onError: () => {} });
}

/** A store as the service has it, whose archive lies in `folder`, or is another one. */
export async function openWith(url: string, archive: Archive | null): Promise<SearchableStore> {
  return withArchive(await openPlain(url), { archive, onLeft: () => {} });
}

export const inFolder = (folder: string, name = 'archive') => new FolderArchive(join(folder, name));

/** A session with these texts, which is indexed. */
export async function write(store: SearchableStore, id: string, texts: readonly string[]) {
  await store.commit(ref(id), append(created, ...texts.map((text) => item(text))), {
    at: LONG_AGO,
  });
  await new Indexer(store, () => {}).catchUp(ref(id), Number.POSITIVE_INFINITY);
}

/** A session of six events that is idle. */
export async function longAgo(url: string, id = 'chat', first = 'Paint it blue.') {
  const store = await openPlain(url);
  await write(store, id, [first, 'two', 'three', 'four', 'five']);
  await store.close();
}

/** The session as the archive command finds it. */
export async function idle(store: SearchableStore, id: string): Promise<IdleSession> {
  const query = { before: LATER, tenant: null, after: 0, limit: 100 };
  const found = (await store.archived.idle(query)).find(({ ref }) => ref.session_id === id);
  if (found === undefined) throw new Error(`${id} is not idle`);
  return found;
}

/** Archives it; throws when it is left in the store. */
export async function putAway(store: SearchableStore, archive: Archive, id: string): Promise<void> {
  const archived = await archiveSession(store, archive, await idle(store, id));
  if (archived === null) throw new Error(`${id} was left in the store`);
}

export const isArchived = async (store: SearchableStore, id: string) =>
  (await store.archived.find(ref(id))) !== null;

export const filesIn = ({ place }: Archive) => readdirSync(place).sort();

export const everyRow = { after: 0, limit: 100_000 };
