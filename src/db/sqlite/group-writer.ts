import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Database, Statement } from 'better-sqlite3';
import type { Decide } from '../../domain/session/decision.ts';
import { accept, type Outcome } from '../../domain/session/errors.ts';
import type { Head } from '../../domain/session/head.ts';
import { type CommandPlan, planCommand } from '../command-plan.ts';
import type { CommitOptions, Committed, SessionRef } from '../event-store.ts';
import { compactionIdOf, projectCompaction } from '../projection.ts';
import { sessionKey } from '../session-key.ts';
import { StoreBusyError } from '../store-busy-error.ts';
import { StoreTroubleError } from '../store-trouble-error.ts';
import type { CompactionRows } from './compaction-rows.ts';
import type { EventRows } from './event-rows.ts';
import type { IdempotencyRows } from './idempotency-rows.ts';
import type { SessionRow, SessionRows } from './session-rows.ts';
import { asStoreError } from './store-error.ts';

/** More than the largest write needs, in bytes. */
const PLENTY_OF_ROOM = 100_000_000;

/** A command in the queue, with what answers its caller. */
export type QueuedCommand = {
  ref: SessionRef;
  decide: Decide<unknown>;
  options: CommitOptions;
  resolve: (outcome: Outcome<Committed<unknown>>) => void;
  reject: (error: unknown) => void;
};

export type Tables = {
  sessions: SessionRows;
  events: EventRows;
  compactions: CompactionRows;
  idempotency: IdempotencyRows;
};

/** Sessions that a group has changed: the row as it shall be, and the head that the file has. */
type Group = Map<string, { row: SessionRow; saved: Head }>;

/**
 * Group commit: all commands of one turn of the event loop run in one transaction and are answered
 * after its commit, so that they share one fsync (DESIGN, figures). A command that is rejected, or
 * whose `decide` throws, leaves the others alone; when a statement fails, the whole group is rolled
 * back and every command runs again by itself, so that only the guilty one fails.
 */
export class GroupWriter {
  readonly #db: Database;
  readonly #tables: Tables;
  readonly #onCommitted: (key: string) => void;
  readonly #begin: Statement<[]>;
  readonly #commit: Statement<[]>;
  readonly #rollback: Statement<[]>;
  readonly #touch: Statement<[]>;
  #queue: QueuedCommand[] = [];
  #isInTrouble = false;
  /** Of the disk; a small write may still succeed where a large one did not. */
  #freeAtTrouble: number | null = null;

  constructor(db: Database, tables: Tables, onCommitted: (key: string) => void) {
    this.#db = db;
    this.#tables = tables;
    this.#onCommitted = onCommitted;
    this.#begin = db.prepare('BEGIN IMMEDIATE');
    this.#commit = db.prepare('COMMIT');
    // Writes a page, and changes nothing.
    this.#touch = db.prepare('UPDATE head_version SET version = version');
    this.#rollback = db.prepare('ROLLBACK');
  }

  /** Whether the disk refused the newest write. */
  get isInTrouble(): boolean {
    return this.#isInTrouble;
  }

  /** Tries whether the disk takes a write. Throws when it does not. */
  probe(): void {
    const free = freeBytes(this.#db);
    if (free !== null && this.#freeAtTrouble !== null && free <= this.#freeAtTrouble) {
      throw new StoreTroubleError('full', null);
    }
    try {
      this.#touch.run();
      this.#isInTrouble = false;
    } catch (error) {
      throw asStoreError(error);
    }
  }

  enqueue(command: QueuedCommand): void {
    if (this.#queue.length === 0) setImmediate(() => this.flush());
    this.#queue.push(command);
  }

  /** Runs now what is queued. */
  flush(): void {
    const commands = this.#queue;
    this.#queue = [];
    if (commands.length > 0) this.#runGroup(commands);
  }

  #runGroup(commands: QueuedCommand[]): void {
    const group: Group = new Map();
    let answers: (() => void)[];
    try {
      answers = this.#transact(commands, group);
    } catch (thrown) {
      const error = asStoreError(thrown);
      if (error instanceof StoreTroubleError) {
        this.#isInTrouble = true;
        this.#freeAtTrouble = freeBytes(this.#db);
      }
      this.#recover(commands, error);
      return;
    }
    if (group.size > 0) this.#isInTrouble = false;
    for (const [key, { row }] of group) this.#tables.sessions.remember(key, row);
    for (const answer of answers) answer();
    for (const key of group.keys()) this.#onCommitted(key);
  }

  #recover(commands: QueuedCommand[], error: unknown): void {
    // Against a lock it would not help to run alone: every command would wait its full time again.
    if (
      commands.length === 1 ||
      error instanceof StoreBusyError ||
      error instanceof StoreTroubleError
    ) {
      for (const command of commands) command.reject(error);
    } else {
      for (const command of commands) this.#runGroup([command]);
    }
  }

  #transact(commands: QueuedCommand[], group: Group): (() => void)[] {
    this.#begin.run();
    try {
      this.#tables.sessions.refresh();
      const answers = commands.map((command) => this.#run(command, group));
      for (const { row, saved } of group.values()) {
        if (row.head === saved) continue;
        this.#tables.sessions.update(row, row.head.settings !== saved.settings);
      }
      this.#commit.run();
      return answers;
    } finally {
      if (this.#db.inTransaction) this.#rollback.run();
    }
  }

  /** Runs one command inside the transaction; what it returns tells the caller. */
  #run({ ref, decide, options, resolve, reject }: QueuedCommand, group: Group): () => void {
    const { idempotency } = options;
    const replay = idempotency ? this.#tables.idempotency.replay(ref, idempotency) : null;
    if (replay) return () => resolve(replay);
    const key = sessionKey(ref);
    const current = group.get(key)?.row ?? this.#tables.sessions.load(ref);
    let planned: Outcome<CommandPlan>;
    try {
      planned = planCommand(ref.session_id, decide, options.at, current);
    } catch (error) {
      return () => reject(error);
    }
    if (!planned.ok) {
      const rejected = planned;
      return () => resolve(rejected);
    }
    const plan = planned.value;
    if (plan.events.length > 0) {
      const saved = group.get(key)?.saved;
      group.set(key, this.#write(ref, plan, current, saved));
    }
    if (idempotency) this.#tables.idempotency.insert(ref, idempotency, plan.value);
    return () => resolve(accept({ value: plan.value, replayed: false }));
  }

  /** Writes events and projections; the row of a session that exists is written with the group. */
  #write(
    ref: SessionRef,
    { events, rows, head, hash }: CommandPlan,
    current: SessionRow | null,
    saved: Head | undefined,
  ): { row: SessionRow; saved: Head } {
    const { sessions, compactions } = this.#tables;
    const created_order = current?.created_order ?? sessions.insert(ref, head, hash);
    for (const row of rows) this.#tables.events.insert(ref, row);
    for (const event of events) {
      const id = compactionIdOf(event);
      if (id === null) continue;
      const projected = projectCompaction(compactions.get(ref, id), event);
      if (projected) compactions.put(ref, projected);
    }
    return { row: { created_order, head, hash }, saved: saved ?? current?.head ?? head };
  }
}

/** What is free on the disk of the database; null where that is too much to matter, or not known. */
function freeBytes({ name, memory }: Database): number | null {
  if (memory) return null;
  try {
    const { bavail, bsize } = statfsSync(dirname(name));
    return bavail * bsize < PLENTY_OF_ROOM ? bavail * bsize : null;
  } catch {
    // The folder has gone: the write says so better.
    return null;
  }
}
