import { existsSync } from 'node:fs';
import type { SearchableStore } from '../../app/ports/search-index.ts';
import type { ArchivePlace } from '../../config/archive-place.ts';
import type { DatabaseSettings } from '../../config.ts';
import { isSqliteError } from '../../db/sqlite/driver.ts';
import { errorMessage } from '../../domain/error-message.ts';
import { describeDatabase, openStore } from '../../open-store.ts';
import { quantity } from '../quantity.ts';
import { type Finding, note, ok, trouble } from './finding.ts';

const MOST_PENDING = 100;
const SESSIONS_AT_A_TIME = 500;
/** Of a large store a part is looked at, in milliseconds; for the index, and for the events. */
const LONGEST_LOOK_MS = 5_000;

/**
 * Whether the store opens and answers, whether its events are as they were written, and how far its search
 * index is. `exists`: it can be used.
 */
export async function checkStore(
  database: DatabaseSettings,
  archive: ArchivePlace | null,
): Promise<{ findings: Finding[]; exists: boolean }> {
  const name = describeDatabase(database);
  if (database.kind === 'sqlite' && !existsSync(database.path)) {
    const advice =
      'the service makes it at its first start; if there should be one, set DATABASE_URL';
    return { findings: [note('store', `none at ${name} yet`, advice)], exists: false };
  }
  let store: SearchableStore;
  try {
    store = await openStore(database, () => {}, { archive });
  } catch (error) {
    return {
      findings: [trouble('store', errorMessage(error), adviceOn(error, database))],
      exists: false,
    };
  }
  try {
    const findings = [await answering(store, name), await written(store), await indexed(store)];
    return { findings, exists: true };
  } finally {
    await store.close();
  }
}

function adviceOn(error: unknown, { kind }: DatabaseSettings): string {
  const cause = error instanceof Error ? error.cause : null;
  // A file of something else is no damage, but another name.
  if (isSqliteError(cause) && cause.code.startsWith('SQLITE_CORRUPT')) {
    return 'the file is damaged or cut off: move it away, and restore a backup';
  }
  return kind === 'sqlite'
    ? 'check DATABASE_URL, and who may read the file'
    : 'start PostgreSQL, and check host, user, password and database in DATABASE_URL';
}

async function answering(store: SearchableStore, name: string): Promise<Finding> {
  try {
    await store.ping();
    const pending = (await store.pending(MOST_PENDING)).length;
    if (pending === 0) return ok('store', `${name} answers`);
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

/** Compares events with their hashes, and heads with events, as `verify` does; of a large store the oldest. */
async function written(store: SearchableStore): Promise<Finding> {
  const until = performance.now() + LONGEST_LOOK_MS;
  try {
    const { sessions, events, problems } = await store.verify(until);
    const isAll = performance.now() <= until;
    const looked = `${quantity(sessions, 'session')}, ${quantity(events, 'event')}`;
    const [problem] = problems;
    if (problem !== undefined) {
      const says = `${quantity(problems.length, 'problem')} in ${looked}, such as: ${problem}`;
      return trouble(
        'events',
        says,
        '"palimpsest verify" names all; docs/operations.md says how to restore',
      );
    }
    const said = `${looked}: as they were written`;
    return ok('events', isAll ? said : `the oldest ${said}; "palimpsest verify" compares all`);
  } catch (error) {
    return trouble('events', errorMessage(error), '"palimpsest verify" looks at all of them');
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
