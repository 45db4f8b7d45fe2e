import { byPlace } from '../../app/by-place.ts';
import {
  type Archive,
  type ArchivedSession,
  type ArchivedSessions,
  ArchiveError,
  type IdleSession,
  SessionArchivedError,
} from '../../app/ports/archive.ts';
import type { EventStore, RestoredSession, SessionRef } from '../../app/ports/event-store.ts';
import type { SearchableStore } from '../../app/ports/search-index.ts';
import { StoreTroubleError } from '../../app/ports/store-trouble-error.ts';
import { sessionKey } from '../../app/session-key.ts';
import { withMembers } from '../../app/with-members.ts';
import { unpack, unpackedBytes } from './archive-file.ts';
import { isUnchanged } from './is-unchanged.ts';
import { sweepArchive } from './sweep-archive.ts';

/** How often one call brings the same session back, which somebody archives again meanwhile. */
const ATTEMPTS = 3;
const SESSIONS_AT_A_TIME = 100;
/** What is brought back within some tens of milliseconds; all of it is written in one transaction. */
const HERE = { events: 1_000, bytes: 2_000_000 };

/** Brings a session back in another thread; null where there is none. Rejects with what hinders it. */
export type BringBackElsewhere = (ref: SessionRef) => Promise<void> | null;

/** What stands behind a store. */
type Behind = {
  /** Null: there is none, and who asks for such events is told. */
  archive: Archive | null;
  /** Told when a file that nobody needs could not be removed, which is tried again. */
  onLeft: (error: unknown) => void;
  /** Takes large sessions, which would hold up the thread that answers all requests. */
  elsewhere?: BringBackElsewhere | undefined;
};

/** What may need the events of a session. */
const READING = ['commit', 'head', 'events', 'rows', 'restore', 'sessions'] as const;

/**
 * The store with an archive behind it: what needs the events of an archived session brings the session back
 * first, erasing one removes its file, and `verify` reads the files.
 */
export function withArchive<S extends SearchableStore>(store: S, behind: Behind): S {
  const { archive, onLeft } = behind;
  const coming = new Map<string, Promise<void>>();
  const bringBack = (ref: SessionRef): Promise<void> => {
    const key = sessionKey(ref);
    const running = coming.get(key);
    if (running !== undefined) return running;
    const started = bringSessionBack(store, behind, ref).finally(() => coming.delete(key));
    coming.set(key, started);
    return started;
  };
  const reading = async <T>(run: () => Promise<T>): Promise<T> => {
    let attempts: Map<string, number> | null = null;
    for (;;) {
      try {
        return await run();
      } catch (error) {
        if (!(error instanceof SessionArchivedError)) throw error;
        const key = sessionKey(error.ref);
        attempts ??= new Map();
        const attempt = (attempts.get(key) ?? 0) + 1;
        if (attempt > ATTEMPTS) throw new ArchiveError('unavailable', error);
        attempts.set(key, attempt);
        await bringBack(error.ref);
      }
    }
  };
  const again =
    <A extends unknown[], T>(run: (...asked: A) => Promise<T>) =>
    (...asked: A) =>
      reading(() => run(...asked));
  const { search, gatewayKeys } = store;
  const members: Record<string, unknown> = {
    search: withMembers(search, { events: again(search.events.bind(search)) }),
    gatewayKeys: withMembers(gatewayKeys, { items: again(gatewayKeys.items.bind(gatewayKeys)) }),
    erase: (ref: SessionRef) => withFiles(store, archive, ref, () => store.erase(ref), onLeft),
    archived: archivedOver(store, archive, onLeft),
    verify: (until?: number) => verify(store, archive, until),
  };
  for (const name of READING) {
    const run: (...asked: never[]) => Promise<unknown> = store[name].bind(store);
    members[name] = again(run);
  }
  return withMembers(store, members);
}

/** Returns when the events are in the store again, whoever has brought them. Throws ArchiveError. */
async function bringSessionBack(
  store: SearchableStore,
  { archive, onLeft, elsewhere }: Behind,
  ref: SessionRef,
): Promise<void> {
  const archived = await store.archived.find(ref);
  if (archived === null) return;
  if (archive === null) throw new ArchiveError('not_set');
  const session = await restoredHere(archive, archived, elsewhere).catch(async (error) => {
    // Somebody else was faster, and has removed the file.
    if ((await store.archived.find(ref))?.file !== archived.file) return null;
    throw error instanceof ArchiveError ? new ArchiveError(error.kind, error.cause, ref) : error;
  });
  if (session === null || !(await store.archived.bringBack(ref, archived.file, session))) return;
  await sweepArchive(store, archive, onLeft);
}

/** Null when another thread has brought it back. */
async function restoredHere(
  archive: Archive,
  archived: ArchivedSession,
  elsewhere: BringBackElsewhere | undefined,
): Promise<RestoredSession | null> {
  const { ref, version, file } = archived;
  const isDoneElsewhere = async () => {
    const started = elsewhere?.(ref) ?? null;
    await started;
    return started !== null;
  };
  if (version > HERE.events && (await isDoneElsewhere())) return null;
  const bytes = await bytesOf(archive, archived);
  if (unpackedBytes(bytes) > HERE.bytes && (await isDoneElsewhere())) return null;
  return unpack(bytes, file, archived);
}

async function readFile(archive: Archive, archived: ArchivedSession): Promise<RestoredSession> {
  return unpack(await bytesOf(archive, archived), archived.file, archived);
}

async function bytesOf(archive: Archive, { file, bytes }: ArchivedSession): Promise<Uint8Array> {
  const read = await archive.read(file, bytes);
  if (read === null) throw new ArchiveError('missing');
  return read;
}

function archivedOver(
  store: SearchableStore,
  archive: Archive | null,
  onLeft: (error: unknown) => void,
): ArchivedSessions {
  const { archived } = store;
  const eraseUnchanged = async (session: IdleSession) => {
    // Its files may be those of what was written since, and would be gone before that is found out.
    if (!(await isUnchanged(archived, session))) return false;
    return withFiles(store, archive, session.ref, () => archived.eraseUnchanged(session), onLeft);
  };
  return withMembers(archived, { eraseUnchanged });
}

/** The files go first: what could not be removed would be left of a session that is erased. */
async function withFiles(
  store: SearchableStore,
  archive: Archive | null,
  ref: SessionRef,
  erase: () => Promise<boolean>,
  onLeft: (error: unknown) => void,
): Promise<boolean> {
  const files = await store.archived.filesOf(ref);
  if (files.length === 0) return erase();
  if (archive === null) throw new ArchiveError('not_set');
  for (const file of files) await archive.remove(file);
  try {
    const existed = await erase();
    await sweepArchive(store, archive, onLeft);
    return existed;
  } catch (error) {
    if (!(error instanceof StoreTroubleError)) throw error;
    throw new StoreTroubleError(error.kind, error.cause, HALF_ERASED);
  }
}

const HALF_ERASED =
  'The events of this session have been removed from the archive, and the rest of it could not be erased: the ' +
  'event store cannot be written to. Free some space on its disk, or make it writable, then erase the session again.';

async function verify(
  store: SearchableStore,
  archive: Archive | null,
  until = Number.POSITIVE_INFINITY,
): ReturnType<EventStore['verify']> {
  const report = await store.verify(until);
  for await (const archived of byPlace((after) => store.archived.list(after, SESSIONS_AT_A_TIME))) {
    if (performance.now() > until) break;
    try {
      if (archive === null) throw new ArchiveError('not_set');
      const session = await readFile(archive, archived);
      report.events += session.rows.length;
      report.problems.push(...(await store.archived.compare(archived, session)));
    } catch (error) {
      if (!(error instanceof ArchiveError)) throw error;
      // Brought back or erased, while it was looked at.
      if ((await store.archived.find(archived.ref))?.file !== archived.file) continue;
      report.problems.push(problemOf(archived, error));
    }
  }
  return report;
}

function problemOf({ ref, file }: ArchivedSession, { kind }: ArchiveError): string {
  const what = {
    not_set: 'is not checked: set PALIMPSEST_ARCHIVE to the archive that has it',
    missing: 'is not in the archive: put it back from a copy',
    damaged: 'is not what was written: put it back from a copy of the archive',
    unavailable: 'cannot be read: the archive cannot be reached',
  }[kind];
  return `Session "${ref.session_id}" of tenant "${ref.tenant}": the archived file ${file} ${what}.`;
}
