import { byPlace } from '../app/by-place.ts';
import { type Archive, ArchiveError, type IdleSession } from '../app/ports/archive.ts';
import type { SessionRef } from '../app/ports/event-store.ts';
import type { SearchableStore } from '../app/ports/search-index.ts';
import { isDamage } from '../app/ports/store-trouble-error.ts';
import { Indexer } from '../app/search/indexer.ts';
import { type ArchivePlace, archivePlace } from '../config/archive-place.ts';
import { SettingsError } from '../config/settings-error.ts';
import { readSettings } from '../config.ts';
import { type Archived, archiveSession } from '../db/archive/archive-session.ts';
import { sweepArchive } from '../db/archive/sweep-archive.ts';
import { openArchive, openStore } from '../open-store.ts';
import { archiveWords, tellTrouble } from './archive-trouble.ts';
import { tellDamaged } from './damaged.ts';
import { refuseMissingStore } from './existing-store.ts';
import { quantity } from './quantity.ts';
import { stopped } from './stopped.ts';
import { plainText } from './terminal/plain-text.ts';
import { kilobytes } from './words.ts';

export type ArchiveFlags = {
  /** Milliseconds. */
  before: number;
  to?: string;
  tenant?: string;
  dryRun?: boolean;
};

const SESSIONS_AT_A_TIME = 100;

type Counted = {
  sessions: number;
  events: number;
  bytes: number;
  left: number;
  damaged: SessionRef[];
};

/**
 * Archives the idle sessions of the configured store, one after the other, and prints what it came to. False
 * when it was stopped, the archive fails, or a session is damaged, which stays where it is; what is archived
 * until then stays so.
 */
export async function archiveCommand(flags: ArchiveFlags): Promise<boolean> {
  const { database, archive: known } = readSettings(process.env);
  const place = placeOf(flags.to, known);
  refuseMissingStore(database);
  const store = await openStore(database, tellTrouble, { archive: place });
  const counted: Counted = { sessions: 0, events: 0, bytes: 0, left: 0, damaged: [] };
  const stop = stopped();
  let problem: string | null = null;
  try {
    const archive = openArchive(place);
    if (!flags.dryRun) await sweepArchive(store, archive, tellTrouble);
    for await (const session of idleSessions(store, flags)) {
      if (stop.aborted) break;
      await (flags.dryRun ? count(session, counted) : put(store, archive, session, counted));
    }
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error;
    problem = `the archive ${place.text} cannot be used: ${archiveWords(error)}`;
  } finally {
    await store.close();
  }
  say(counted, place.text, flags.dryRun === true);
  tellDamaged(counted.damaged);
  if (problem !== null) console.error(plainText(problem));
  if (known === null && counted.sessions > 0 && !flags.dryRun) {
    console.error(
      plainText(
        `Set PALIMPSEST_ARCHIVE=${place.text} for the service, or it cannot bring them back.`,
      ),
    );
  }
  return problem === null && !stop.aborted && counted.damaged.length === 0;
}

/** A service brings back from its own archive only. */
function placeOf(to: string | undefined, known: ArchivePlace | null): ArchivePlace {
  const place = archivePlace('--to', to) ?? known;
  if (place === null) {
    throw new SettingsError(
      'say where the archive is: --to FOLDER or s3://BUCKET/PREFIX, or PALIMPSEST_ARCHIVE',
    );
  }
  if (known !== null && place.text !== known.text) {
    throw new SettingsError(
      `--to ${to} is not PALIMPSEST_ARCHIVE=${known.text}, which sessions are brought back from: leave --to out`,
    );
  }
  return place;
}

/** All that are idle when this begins, each once. */
function idleSessions(
  store: SearchableStore,
  { before, tenant }: ArchiveFlags,
): AsyncGenerator<IdleSession> {
  const time = new Date(Date.now() - before).toISOString();
  const query = { before: time, tenant: tenant ?? null, limit: SESSIONS_AT_A_TIME };
  return byPlace((after) => store.archived.idle({ ...query, after }));
}

async function put(
  store: SearchableStore,
  archive: Archive,
  session: IdleSession,
  counted: Counted,
): Promise<void> {
  let archived: Archived;
  try {
    // What is not indexed yet would be brought back to be.
    await new Indexer(store, () => {}).catchUp(session.ref, Number.POSITIVE_INFINITY);
    archived = await archiveSession(store, archive, session);
  } catch (error) {
    if (!isDamage(error)) throw error;
    counted.damaged.push(session.ref);
    return;
  }
  if (archived === null) {
    counted.left += 1;
    return;
  }
  counted.bytes += archived.bytes;
  await count(session, counted);
}

async function count({ version }: IdleSession, counted: Counted): Promise<void> {
  counted.sessions += 1;
  counted.events += version;
}

function say({ sessions, events, bytes, left }: Counted, place: string, isDry: boolean): void {
  const what = `${quantity(sessions, 'session')}, ${quantity(events, 'event')}`;
  if (isDry) {
    console.log(plainText(`would go into ${place}: ${what}`));
    return;
  }
  console.log(plainText(`${place}: ${what} archived, ${kilobytes(bytes)}`));
  if (left > 0) {
    console.log(`left in the store, changed meanwhile or too large: ${quantity(left, 'session')}`);
  }
  if (sessions > 0)
    console.log('"palimpsest vacuum" gives their room in the store back to the disk.');
}
