import { existsSync } from 'node:fs';
import type { SearchableStore } from '../../app/ports/search-index.ts';
import type { DatabaseSettings } from '../../config.ts';
import { errorMessage } from '../../domain/error-message.ts';
import { describeDatabase, openStore } from '../../open-store.ts';
import { quantity } from '../quantity.ts';
import { type Finding, note, ok, trouble } from './finding.ts';

const MOST_PENDING = 100;
const SESSIONS_AT_A_TIME = 500;
/** Of a large store a part is looked at, in milliseconds. */
const LONGEST_LOOK_MS = 5_000;

/** Whether the store opens and answers, and how far its search index is. `exists`: it can be used. */
export async function checkStore(
  database: DatabaseSettings,
): Promise<{ findings: Finding[]; exists: boolean }> {
  const name = describeDatabase(database);
  if (database.kind === 'sqlite' && !existsSync(database.path)) {
    const advice =
      'the service makes it at its first start; if there should be one, set DATABASE_URL';
    return { findings: [note('store', `none at ${name} yet`, advice)], exists: false };
  }
  let store: SearchableStore;
  try {
    store = await openStore(database, () => {});
  } catch (error) {
    const advice =
      database.kind === 'sqlite'
        ? 'check DATABASE_URL, and who may read the file'
        : 'start PostgreSQL, and check host, user, password and database in DATABASE_URL';
    return { findings: [trouble('store', errorMessage(error), advice)], exists: false };
  }
  try {
    return { findings: [await answering(store, name), await indexed(store)], exists: true };
  } finally {
    await store.close();
  }
}

async function answering(store: SearchableStore, name: string): Promise<Finding> {
  try {
    await store.ping();
    const pending = (await store.pending(MOST_PENDING)).length;
    if (pending === 0)
      return ok('store', `${name} answers; "palimpsest verify" compares all of it`);
    const count = `${pending}${pending === MOST_PENDING ? ' or more' : ''}`;
    return note(
      'store',
      `${name} answers; compactions that have not ended: ${count}`,
      'a service, or a worker, has to run to carry them out',
    );
  } catch (error) {
    return trouble('store', `${name}: ${errorMessage(error)}`, 'see the log of the service');
  }
}

async function indexed(store: SearchableStore): Promise<Finding> {
  const until = performance.now() + LONGEST_LOOK_MS;
  const counted = { sessions: 0, documents: 0, behind: 0 };
  try {
    for (let after: number | null = 0; after !== null && performance.now() < until; ) {
      const page: Awaited<ReturnType<typeof store.search.positions>> = await store.search.positions(
        after,
        SESSIONS_AT_A_TIME,
      );
      counted.sessions += page.data.length;
      counted.behind += page.data.filter(({ indexed, version }) => indexed < version).length;
      for (const { documents } of page.data) counted.documents += documents;
      after = page.next;
    }
  } catch (error) {
    return trouble('search', errorMessage(error), '"palimpsest reindex" writes the index anew');
  }
  const { sessions, documents, behind } = counted;
  const says = `${quantity(sessions, 'session')}, ${quantity(documents, 'document')} in the index`;
  if (behind === 0) return ok('search', says);
  return note(
    'search',
    `${says}; not to their end: ${behind}`,
    'a running service catches up, and searches wait for it',
  );
}
