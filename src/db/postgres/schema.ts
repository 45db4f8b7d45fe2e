import { bigint, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import type { CompactionRow } from '../../app/ports/event-store.ts';

/*
 * The tables as drizzle's queries see them; `events` and `idempotency_keys` have hand-written
 * statements only. Constraints and indexes stand in migrations/postgres, which creates the tables; a
 * test compares the columns.
 */

const number = () => bigint({ mode: 'number' });

export const sessions = pgTable('sessions', {
  created_order: number().generatedAlwaysAsIdentity().primaryKey(),
  tenant: text().notNull(),
  session_id: text().notNull(),
  version: number().notNull(),
  /** Hash of the newest event. */
  hash: text().notNull(),
  /** `State` and `Settings` of the head, as JSON. */
  state: text().notNull(),
  settings: text().notNull(),
  /** When the session has to be looked at though nobody calls. */
  wake_at_ms: number(),
});

export const compactions = pgTable(
  'compactions',
  {
    tenant: text().notNull(),
    session_id: text().notNull(),
    id: text().notNull(),
    status: text().$type<CompactionRow['status']>().notNull(),
    outcome: text().$type<CompactionRow['outcome']>(),
    mode: text().$type<CompactionRow['mode']>().notNull(),
    trigger: text().$type<CompactionRow['trigger']>().notNull(),
    reason: text().notNull(),
    outcome_reason: text(),
    attempts: number().notNull(),
    tokens_before: number(),
    tokens_after: number(),
    requested_at: text().notNull(),
    ended_at: text(),
    reverted_at: text(),
    requested_version: number().notNull(),
    ended_version: number(),
  },
  (table) => [primaryKey({ columns: [table.tenant, table.session_id, table.id] })],
);
