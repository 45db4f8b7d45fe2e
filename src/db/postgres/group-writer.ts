import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { SessionRef } from '../../app/ports/event-store.ts';
import { StoreBusyError } from '../../app/ports/store-busy-error.ts';
import { StoreTroubleError } from '../../app/ports/store-trouble-error.ts';
import { StoreUnavailableError } from '../../app/ports/store-unavailable-error.ts';
import type { QueuedCommand } from '../group-plan.ts';
import { sessionKey } from '../session-key.ts';
import { eraseSession } from './session-rows.ts';
import { asCommitError, asStoreError, isWorthRetrying } from './store-error.ts';
import { writeGroup } from './write-group.ts';

type QueuedErasure = {
  kind: 'erasure';
  ref: SessionRef;
  resolve: (existed: boolean) => void;
  reject: (error: unknown) => void;
};
type Work = ({ kind: 'command' } & QueuedCommand) | QueuedErasure;

/** Keeps transactions short, and what one message to the server holds within its bounds. */
const MOST_COMMANDS = 100;
const ATTEMPTS = 5;
/** The longest wait before the second attempt, in milliseconds; more before each later one. */
const RETRY_WAIT_MS = 20;

/**
 * Group commit per session: while a transaction of a session is under way, what else comes for it in
 * this process waits, and then shares the next one. So a busy session takes one connection and one
 * fsync at a time, and its commands run in the order in which they came. A command that is rejected,
 * or whose `decide` throws, leaves the others alone; when a statement fails, every command of the
 * group runs again by itself, so that only the guilty one fails.
 */
export class GroupWriter {
  readonly #pool: Pool;
  readonly #onCommitted: (key: string) => void;
  /** What waits per session; a session is here as long as somebody works on it. */
  readonly #waiting = new Map<string, Work[]>();
  readonly #workers = new Set<Promise<void>>();
  #isClosed = false;

  constructor(pool: Pool, onCommitted: (key: string) => void) {
    this.#pool = pool;
    this.#onCommitted = onCommitted;
  }

  enqueue(work: Work): void {
    if (this.#isClosed) {
      work.reject(new Error('The event store is closed.'));
      return;
    }
    const key = sessionKey(work.ref);
    const waiting = this.#waiting.get(key);
    if (waiting) {
      waiting.push(work);
      return;
    }
    const first = [work];
    this.#waiting.set(key, first);
    const worker = this.#work(key, first).finally(() => this.#workers.delete(worker));
    this.#workers.add(worker);
  }

  /** Answers when all that was handed in has been answered; refuses what comes later. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#workers);
  }

  async #work(key: string, waiting: Work[]): Promise<void> {
    // What else comes in the same turn is let in, so that it shares the first transaction.
    await Promise.resolve();
    for (let next = waiting[0]; next; next = waiting[0]) {
      if (next.kind === 'erasure') {
        waiting.shift();
        await this.#erase(key, next);
      } else {
        await this.#run(key, next.ref, takeCommands(waiting));
      }
    }
    this.#waiting.delete(key);
  }

  async #erase(key: string, { ref, resolve, reject }: QueuedErasure): Promise<void> {
    try {
      const existed = await eraseSession(this.#pool, ref);
      resolve(existed);
      if (existed) this.#onCommitted(key);
    } catch (error) {
      // The statement commits itself: when the connection breaks, nobody knows.
      reject(asStoreError(asCommitError(error)));
      this.#onCommitted(key);
    }
  }

  async #run(key: string, ref: SessionRef, commands: QueuedCommand[]): Promise<void> {
    try {
      const plan = await this.#write(ref, commands);
      for (const answer of plan.answers) answer();
      if (plan.rows.length > 0) this.#onCommitted(key);
    } catch (thrown) {
      const error = asStoreError(thrown);
      const isOfTheGroup =
        error instanceof StoreBusyError ||
        error instanceof StoreUnavailableError ||
        error instanceof StoreTroubleError;
      if (commands.length === 1 || isOfTheGroup) {
        for (const command of commands) command.reject(error);
      } else {
        for (const command of commands) await this.#run(key, ref, [command]);
      }
    }
  }

  async #write(ref: SessionRef, commands: QueuedCommand[]) {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await writeGroup(this.#pool, ref, commands);
      } catch (error) {
        if (attempt === ATTEMPTS || !isWorthRetrying(error)) throw error;
      }
      await sleep(Math.random() * RETRY_WAIT_MS * attempt);
    }
  }
}

/** Takes the commands at the front, up to the next erasure. */
function takeCommands(waiting: Work[]): QueuedCommand[] {
  const commands: QueuedCommand[] = [];
  while (commands.length < MOST_COMMANDS) {
    const [next] = waiting;
    if (next?.kind !== 'command') break;
    commands.push(next);
    waiting.shift();
  }
  return commands;
}
