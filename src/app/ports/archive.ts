import type { RestoredSession, SessionRef } from './event-store.ts';

/** Where files with the events of sessions are: a folder, or a bucket. Names are given, and used once. */
export interface Archive {
  /** For people. */
  readonly place: string;
  /** Makes the folder where there is none; a file that is missing later is none that was never written. */
  prepare(): Promise<void>;
  /** The file is there for good when this answers; nothing of it otherwise. */
  write(file: string, bytes: Uint8Array): Promise<void>;
  /**
   * The file, which has so many bytes; null when there is no such file. One of another length is damaged, and
   * no more of it is read: an archive may hold, or answer with, anything.
   */
  read(file: string, bytes: number): Promise<Uint8Array | null>;
  /** Does nothing where there is none. */
  remove(file: string): Promise<void>;
}

/** A session that may go into the archive, as it was found. */
export type IdleSession = {
  ref: SessionRef;
  /** Its place in the order of creation. */
  place: number;
  version: number;
  /** Of its newest event. */
  hash: string;
};

/** Which sessions are idle: last written before a time (ISO 8601), of a tenant or (null) of all. */
export type IdleQuery = { before: string; tenant: string | null; after: number; limit: number };

/** What a session takes, and when it was written to (ISO 8601). */
export type SizedSession = IdleSession & {
  updated_at: string;
  /** Of its events, or of the file that has them. */
  bytes: number;
  /** Nothing is under way. */
  is_at_rest: boolean;
};

/** A session in the archive: what its file has to be, with its length, and how far its row agrees with it. */
export type ArchivedSession = IdleSession & { file: string; bytes: number };

/**
 * What the store keeps of sessions in the archive: all of their rows but the events, so that they are
 * listed and found, and take no append twice. Every other method rejects with `SessionArchivedError` when
 * it needs the events of such a session.
 */
export interface ArchivedSessions {
  /** Those with all events in the store and nothing under way, by their creation. */
  idle(query: IdleQuery): Promise<IdleSession[]>;
  /** Null when its events are in the store, or there is no such session. */
  find(ref: SessionRef): Promise<ArchivedSession | null>;
  /** By their creation. */
  list(after: number, limit: number): Promise<ArchivedSession[]>;
  /** Notes a file of the session before it is written. */
  begin(session: IdleSession, file: { name: string; bytes: number; at: string }): Promise<void>;
  /**
   * Deletes the events, which are in the file now. False, with nothing changed, when the session is no
   * longer as it was found, or the file no longer wanted.
   */
  drop(session: IdleSession, file: string): Promise<boolean>;
  /** What was begun is not kept. */
  giveUp(file: string): Promise<void>;
  /**
   * Writes the events back, and notes the file as unneeded. False, with nothing changed, when the session
   * is not in this file any more.
   */
  bringBack(ref: SessionRef, file: string, session: RestoredSession): Promise<boolean>;
  /** What the file says differs from the session's other rows: one sentence for each. */
  compare(session: ArchivedSession, restored: RestoredSession): Promise<string[]>;
  /** All sessions of a tenant, by their creation, wherever their events are. */
  sizes(query: { tenant: string; after: number; limit: number }): Promise<SizedSession[]>;
  /** Erases the session with all its rows; false when it is no longer as it was found. */
  eraseUnchanged(session: IdleSession): Promise<boolean>;
  /** Every file that may have something of the session. */
  filesOf(ref: SessionRef): Promise<string[]>;
  /** Files that no session has: also those that were begun before a time, which can be kept no more. */
  unneeded(begunBefore: string, limit: number): Promise<string[]>;
  /** The unneeded file has been removed. */
  forget(file: string): Promise<void>;
}

/** The events that were asked for are in the archive. */
export class SessionArchivedError extends Error {
  override readonly name = 'SessionArchivedError';
  readonly ref: SessionRef;

  constructor(ref: SessionRef) {
    super('The events of the session are in the archive.');
    this.ref = ref;
  }
}

const WORDS = {
  not_set:
    'The events of this session are in an archive, and this process knows none: set PALIMPSEST_ARCHIVE to the folder or bucket that "palimpsest archive" wrote to, and start it again.',
  missing:
    'The events of this session are in a file that the archive does not have: put it back from a copy of the archive. "palimpsest verify" names the file.',
  damaged:
    'The file with the events of this session is not what was written: it was changed, cut off or swapped, and nothing of it was read. Put it back from a copy of the archive. "palimpsest verify" names the file.',
  unavailable:
    'The events of this session are in the archive, which cannot be reached, read or written: make it available again, then try again.',
};

/** What the archive holds could not be read or changed; the session stays as it is. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError';
  readonly kind: keyof typeof WORDS;
  /** The session that was to be brought back; null where it is not about one. */
  readonly ref: SessionRef | null;

  constructor(kind: keyof typeof WORDS, cause: unknown = null, ref: SessionRef | null = null) {
    super(WORDS[kind], { cause });
    this.kind = kind;
    this.ref = ref;
  }
}

/** The id of the session whose file the archive has lost; null for any other error. All others can be read. */
export function lostSession(error: unknown): string | null {
  if (!(error instanceof ArchiveError)) return null;
  const isLost = error.kind === 'missing' || error.kind === 'damaged';
  return isLost ? (error.ref?.session_id ?? null) : null;
}
