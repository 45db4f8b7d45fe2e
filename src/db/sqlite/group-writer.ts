import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { SessionRef } from '../../app/ports/event-store.ts';
import { StoreBusyError } from '../../app/ports/store-busy-error.ts';
import { StoreTroubleError } from '../../app/ports/store-trouble-error.ts';
import { sessionKey } from '../../app/session-key.ts';
import {
  type GroupPlan,
  type KeptAnswer,
  keysOf,
  planGroup,
  type QueuedCommand,
} from '../group-plan.ts';
import { compactionIdsOf } from '../projection.ts';
import { groupWrite } from '../session-row.ts';
import type { Database, Statement } from './driver.ts';
import { LogSync } from './log-sync.ts';
import { asStoreError } from './store-error.ts';
import { type Tables, writeSession } from './write-session.ts';

/** What SQLite calls it that each commit is synced to the disk. */
const FULL = 2;
/** More than the largest write needs, in bytes. */
const PLENTY_OF_ROOM = 100_000_000;
/** How long a write waits while another process holds the file, in milliseconds. */
const PATIENCE_MS = 5_000;
/** Between two attempts to get the file: at first, and at most after waiting for longer. */
const FIRST_WAIT_MS = 5;
const LONGEST_WAIT_MS = 50;
/** What has gathered behind a lock shall not hold up the process in one transaction. */
const MOST_COMMANDS = 100;

/** A write in the queue; `deadline` by `performance.now()`. */
type Waiting = { deadline: number } & (
  | { kind: 'command'; command: QueuedCommand; isByItself: boolean }
  /** Has a transaction of its own; `run` returns what answers the caller. */
  | { kind: 'write'; run: () => () => void; reject: (error: unknown) => void; isDurable: boolean }
);

/**
 * Group commit: all commands of one turn of the event loop run in one transaction and are answered when
 * its commit is on the disk, for which it shares a sync with those beside it (DESIGN, figures). The next
 * group need not wait for that: what it follows is in the log before it. A command that is rejected, or
 * whose `decide` throws, leaves the others alone; when a statement fails, the whole group is rolled
 * back and every command runs again by itself, so that only the guilty one fails.
 *
 * All writes of the process stand in one queue. While another process holds the file they wait there,
 * in their order, and not in SQLite, which would hold up the whole process.
 */
export class GroupWriter {
  readonly #db: Database;
  readonly #tables: Tables;
  readonly #onCommitted: (key: string) => void;
  readonly #onTrouble: () => void;
  readonly #begin: Statement<[]>;
  readonly #commit: Statement<[]>;
  readonly #rollback: Statement<[]>;
  readonly #touch: Statement<[]>;
  /** Null where the operator does not ask for it, or there is no disk. */
  readonly #log: LogSync | null;
  /** How many commits are not on the disk yet. */
  #unsynced = 0;
  readonly #queue: Waiting[] = [];
  /** Under way as long as the queue holds anything. */
  #worker: Promise<void> | null = null;
  #isClosed = false;
  #isInTrouble = false;
  /** Of the disk; a small write may still succeed where a large one did not. */
  #freeAtTrouble: number | null = null;

  constructor(
    db: Database,
    tables: Tables,
    { onCommitted, onTrouble }: { onCommitted: (key: string) => void; onTrouble: () => void },
  ) {
    this.#db = db;
    this.#tables = tables;
    this.#onCommitted = onCommitted;
    this.#onTrouble = onTrouble;
    this.#begin = db.prepare('BEGIN IMMEDIATE');
    this.#commit = db.prepare('COMMIT');
    // Writes a page, and changes nothing.
    this.#touch = db.prepare('UPDATE head_version SET version = version');
    this.#rollback = db.prepare('ROLLBACK');
    const isFull = db.pragma('synchronous', { simple: true }) === FULL;
    this.#log = isFull && !db.memory ? new LogSync(db) : null;
    // What SQLite would sync within a commit is synced after it, before anybody is answered.
    if (isFull) db.pragma('synchronous = NORMAL');
  }

  /** Whether the disk refused the newest write. */
  get isInTrouble(): boolean {
    return this.#isInTrouble;
  }

  /** Notes that the disk has refused a write, whoever's it was. */
  doubt(): void {
    this.#isInTrouble = true;
    this.#freeAtTrouble = freeBytes(this.#db);
  }

  /** Tries whether the disk takes a write. Rejects when it does not. */
  async probe(): Promise<void> {
    const free = freeBytes(this.#db);
    if (free !== null && this.#freeAtTrouble !== null && free <= this.#freeAtTrouble) {
      throw new StoreTroubleError('full', null);
    }
    try {
      this.#touch.run();
      await this.#log?.durable();
      this.#isInTrouble = false;
    } catch (error) {
      throw asStoreError(error);
    }
  }

  enqueue(command: QueuedCommand): void {
    this.#add({ kind: 'command', command, isByItself: false, deadline: deadline() });
  }

  /**
   * Runs a write that has a transaction of its own, after all that was handed in before; it may run
   * several times, until the file is free. Rejects with the store's own errors. One that is not durable
   * is synced to the disk with the next one that is: a power cut before takes it back as a whole.
   */
  alone<T>(write: () => T, { isDurable = true } = {}): Promise<T> {
    return new Promise((resolve, reject) => {
      const run = () => {
        const value = write();
        return () => resolve(value);
      };
      this.#add({ kind: 'write', run, reject, isDurable, deadline: deadline() });
    });
  }

  /** Answers when all that was handed in has been answered; refuses what comes later. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#worker;
    await this.#log?.close();
  }

  #add(waiting: Waiting): void {
    if (this.#isClosed) {
      reject(waiting, new Error('The event store is closed.'));
      return;
    }
    this.#queue.push(waiting);
    this.#worker ??= this.#work();
  }

  async #work(): Promise<void> {
    let waitMs = FIRST_WAIT_MS;
    // What else comes in the same turn is let in, so that it shares the first transaction.
    await nextTurn();
    while (this.#queue.length > 0) {
      const busy = this.#runNext();
      if (busy === null) {
        waitMs = FIRST_WAIT_MS;
        await nextTurn();
      } else {
        this.#giveUp(busy);
        await sleep(waitMs);
        waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS);
      }
    }
    this.#worker = null;
  }

  /** Refuses what has waited for too long. */
  #giveUp(busy: StoreBusyError): void {
    const now = performance.now();
    const patient = this.#queue.findIndex(({ deadline }) => deadline > now);
    const impatient = this.#queue.splice(0, patient === -1 ? this.#queue.length : patient);
    for (const waiting of impatient) reject(waiting, busy);
  }

  /** Runs what stands first in the queue; it stays there when the file is held, which is answered. */
  #runNext(): StoreBusyError | null {
    const [first] = this.#queue;
    if (first?.kind !== 'write') return this.#runGroup();
    try {
      const answer = first.run();
      if (first.isDurable) this.#whenDurable(answer, first.reject);
      else answer();
    } catch (thrown) {
      const error = asStoreError(thrown);
      if (error instanceof StoreBusyError) return error;
      first.reject(error);
    }
    this.#queue.shift();
    return null;
  }

  /** Answers when all that has been committed is on the disk. */
  #whenDurable(answer: () => void, reject: (error: unknown) => void): void {
    if (this.#log === null) {
      answer();
      return;
    }
    this.#unsynced += 1;
    const settled = this.#log.durable().then(answer, (error: unknown) => {
      this.doubt();
      this.#onTrouble();
      reject(error);
    });
    void settled.finally(() => {
      this.#unsynced -= 1;
    });
  }

  #runGroup(): StoreBusyError | null {
    const commands = firstCommands(this.#queue);
    let plans: Map<string, GroupPlan>;
    try {
      plans = this.#transact(commands);
    } catch (thrown) {
      const error = asStoreError(thrown);
      if (error instanceof StoreBusyError) return error;
      const failed = this.#queue.splice(0, commands.length);
      if (error instanceof StoreTroubleError) {
        this.doubt();
        this.#onTrouble();
      }
      if (commands.length === 1 || error instanceof StoreTroubleError) {
        for (const command of commands) command.reject(error);
      } else {
        this.#queue.unshift(...failed.map((waiting) => ({ ...waiting, isByItself: true })));
      }
      return null;
    }
    this.#queue.splice(0, commands.length);
    const changed = [...plans].filter(([, { rows }]) => rows.length > 0);
    for (const [key, { after }] of changed) {
      if (after !== null) this.#tables.sessions.remember(key, after);
    }
    const answer = () => {
      if (changed.length > 0) this.#isInTrouble = false;
      for (const { answers } of plans.values()) for (const answer of answers) answer();
      for (const [key] of changed) this.#onCommitted(key);
    };
    // What changes nothing may still say what others have changed.
    if (changed.length === 0 && this.#unsynced === 0) answer();
    else {
      this.#whenDurable(answer, (error) => {
        for (const command of commands) command.reject(error);
      });
    }
    return null;
  }

  /** Plans and writes the commands, session by session; answers the plans by the sessions' keys. */
  #transact(commands: QueuedCommand[]): Map<string, GroupPlan> {
    const plans = new Map<string, GroupPlan>();
    this.#begin.run();
    try {
      this.#tables.sessions.refresh();
      for (const [key, own] of bySession(commands)) plans.set(key, this.#write(own));
      this.#commit.run();
      return plans;
    } finally {
      if (this.#db.inTransaction) this.#rollback.run();
    }
  }

  #write({ ref, commands }: SessionCommands): GroupPlan {
    const { sessions, compactions, idempotency } = this.#tables;
    const before = sessions.load(ref);
    const kept = new Map<string, KeptAnswer>();
    for (const key of keysOf(commands)) {
      const answer = idempotency.get(ref, key);
      if (answer) kept.set(key, answer);
    }
    const plan = planGroup(commands, before, kept);
    const changed = compactionIdsOf(plan.events).flatMap((id) => compactions.get(ref, id) ?? []);
    const write = groupWrite(before, plan, changed);
    if (write !== null) writeSession(this.#tables, ref, write);
    return plan;
  }
}

type SessionCommands = { ref: SessionRef; commands: QueuedCommand[] };

/** The commands of each session, in their order. */
function bySession(commands: readonly QueuedCommand[]): Map<string, SessionCommands> {
  const sessions = new Map<string, SessionCommands>();
  for (const command of commands) {
    const key = sessionKey(command.ref);
    const session = sessions.get(key);
    if (session) session.commands.push(command);
    else sessions.set(key, { ref: command.ref, commands: [command] });
  }
  return sessions;
}

function deadline(): number {
  return performance.now() + PATIENCE_MS;
}

function reject(waiting: Waiting, error: Error): void {
  const answer = waiting.kind === 'command' ? waiting.command : waiting;
  answer.reject(error);
}

/** The commands at the front of the queue that share a transaction. */
function firstCommands(queue: readonly Waiting[]): QueuedCommand[] {
  const commands: QueuedCommand[] = [];
  for (const waiting of queue) {
    if (waiting.kind === 'write' || commands.length === MOST_COMMANDS) break;
    if (waiting.isByItself && commands.length > 0) break;
    commands.push(waiting.command);
    if (waiting.isByItself) break;
  }
  return commands;
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
