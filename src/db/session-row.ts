import type {
  CompactionRow,
  EventRow,
  Page,
  RestoredSession,
  SessionPage,
  SessionRef,
} from '../app/ports/event-store.ts';
import type { Head } from '../domain/session/head.ts';
import { pageOf } from './cursor.ts';
import type { Current, GroupPlan, KeptAnswer } from './group-plan.ts';
import { project } from './projection.ts';

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
};

/** The head of a row. Throws when its text is no JSON, which only damage can cause. */
export function parseHead(row: Pick<SessionRow, 'state' | 'settings'>): Head {
  return { settings: JSON.parse(row.settings), state: JSON.parse(row.state) };
}

/** Sessions of a list as read, and whether there are more after them. */
export type ListedSessions = { rows: SessionRow[]; hasMore: boolean };

/** A page of `GET /sessions`. */
export function sessionPage({ rows, hasMore }: ListedSessions): Page<SessionPage> {
  const { data, next_cursor } = pageOf('sessions', rows, (row) => row.created_order, hasMore);
  const toPage = (row: SessionRow) => ({
    ref: { tenant: row.tenant, session_id: row.session_id },
    head: parseHead(row),
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
