import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { CompactionRow } from '../../app/ports/event-store.ts';

/*
 * The tables as drizzle's queries see them; `events` has hand-written statements only. Constraints
 * and indexes stand in migrations/sqlite, which creates the tables; a test compares the columns.
 */

export const sessions = sqliteTable('sessions', {
  created_order: integer().primaryKey({ autoIncrement: true }),
  tenant: text().notNull(),
  session_id: text().notNull(),
  version: integer().notNull(),
  /** Hash of the newest event. */
  hash: text().notNull(),
  /** `State` and `Settings` of the head, as JSON. */
  state: text().notNull(),
  settings: text().notNull(),
  /** When the session has to be looked at though nobody calls. */
  wake_at_ms: integer(),
});

const sessionColumns = { tenant: text().notNull(), session_id: text().notNull() };

export const compactions = sqliteTable(
  'compactions',
  {
    ...sessionColumns,
    id: text().notNull(),
    status: text().$type<CompactionRow['status']>().notNull(),
    outcome: text().$type<CompactionRow['outcome']>(),
    mode: text().$type<CompactionRow['mode']>().notNull(),
    trigger: text().$type<CompactionRow['trigger']>().notNull(),
    reason: text().notNull(),
    outcome_reason: text(),
    attempts: integer().notNull(),
    tokens_before: integer(),
    tokens_after: integer(),
    requested_at: text().notNull(),
    ended_at: text(),
    reverted_at: text(),
    requested_version: integer().notNull(),
    ended_version: integer(),
  },
  (table) => [primaryKey({ columns: [table.tenant, table.session_id, table.id] })],
);

export const idempotencyKeys = sqliteTable(
  'idempotency_keys',
  {
    ...sessionColumns,
    key: text().notNull(),
    fingerprint: text().notNull(),
    response: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.tenant, table.session_id, table.key] })],
);
