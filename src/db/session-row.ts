import { SessionArchivedError } from '../app/ports/archive.ts';
import type {
  CompactionRow,
  EventRow,
  Page,
  RestoredSession,
  SessionPage,
  SessionRef,
} from '../app/ports/event-store.ts';
import { HEAD_VERSION, type Head } from '../domain/session/head.ts';
import { pageOf } from './cursor.ts';
import type { Current, GroupPlan, KeptAnswer } from './group-plan.ts';
import { project } from './projection.ts';
import { ofStored } from './stored-json.ts';

/** A session's row as both databases keep it. */
export type SessionRow = SessionRef & {
  /** Its place in the order of creation. */
  created_order: number;
  version: number;
  /** Of the newest event. */
  hash: string;
  /** `State` and `Settings` of the head, as JSON. */
  state: string;
  settings: string;
  /** When the session has to be looked at though nobody calls. */
  wake_at_ms: number | null;
  /** The file in the archive that has its events; null: they are here. */
  archive_file: string | null;
  /** Of the head, when they went there the last time. */
  archive_head_version: number | null;
};

/**
 * Throws SessionArchivedError where the head is of an older shape than this release knows, and cannot be
 * computed anew because its events are in the archive.
 */
export function refuseOldHead(row: SessionRef & Archiving): void {
  if (row.archive_file === null || row.archive_head_version === HEAD_VERSION) return;
  throw new SessionArchivedError({ tenant: row.tenant, session_id: row.session_id });
}

/**
 * Whether events may have come back while none were found. Throws SessionArchivedError where they are in the
 * archive now.
 */
export function mayBeBack(ref: SessionRef, row: Archiving | undefined): boolean {
  refuseArchived(ref, row?.archive_file);
  return row !== undefined && row.archive_head_version !== null;
}

/** Throws SessionArchivedError for a session whose events are in a file. */
export function refuseArchived(ref: SessionRef, file: string | null | undefined): void {
  if (file) throw new SessionArchivedError(ref);
}

export type Archiving = Pick<SessionRow, 'archive_file' | 'archive_head_version'>;

/** The head of a row. Throws StoreTroubleError when its text is no JSON. */
export function parseHead(row: Pick<SessionRow, 'state' | 'settings'>): Head {
  return ofStored(() => ({ settings: JSON.parse(row.settings), state: JSON.parse(row.state) }));
}

/** Sessions of a list as read, and whether there are more after them. */
export type ListedSessions = { rows: SessionRow[]; hasMore: boolean };

/** A page of `GET /sessions`. */
export function sessionPage({ rows, hasMore }: ListedSessions): Page<SessionPage> {
  for (const row of rows) refuseOldHead(row);
  const { data, next_cursor } = pageOf('sessions', rows, (row) => row.created_order, hasMore);
  const toPage = (row: SessionRow) => ({
    ref: { tenant: row.tenant, session_id: row.session_id },
    head: parseHead(row),
    is_archived: row.archive_file !== null,
  });
  return { data: data.map(toPage), next_cursor };
}

/** What is written of a session in one go. */
export type SessionWrite = {
  isNew: boolean;
  /** Settings are written only when asked for: they rarely change and may be large. */
  withSettings: boolean;
  /** The session's row as it shall be. */
  after: Current;
  /** New events. */
  rows: readonly EventRow[];
  /** New answers, by idempotency key. */
  kept: ReadonlyMap<string, KeptAnswer>;
  /** Compactions that are new or have changed. */
  compactions: readonly CompactionRow[];
};

/** What a group of commands writes; null: nothing. `stored`: compactions that its events change. */
export function groupWrite(
  before: Current | null,
  { events, rows, kept, after }: GroupPlan,
  stored: readonly CompactionRow[],
): SessionWrite | null {
  if (after === null || (rows.length === 0 && kept.size === 0)) return null;
  const compactions = new Map(stored.map((row) => [row.id, row]));
  for (const event of events) project(compactions, event);
  return {
    isNew: before === null,
    withSettings: after.head.settings !== before?.head.settings,
    after,
    rows,
    kept,
    compactions: [...compactions.values()].filter((row) => !stored.includes(row)),
  };
}

/** A whole session anew: as it was read from an export, or recomputed. */
export function wholeWrite(
  { head, hash, rows, compactions }: RestoredSession,
  isNew: boolean,
): SessionWrite {
  return { isNew, withSettings: true, after: { head, hash }, rows, kept: new Map(), compactions };
}
