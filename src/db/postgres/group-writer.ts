import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import PQueue from 'p-queue';
import type { Pool } from 'pg';
import type { SessionRef } from '../../app/ports/event-store.ts';
import { StoreBusyError } from '../../app/ports/store-busy-error.ts';
import { StoreTroubleError } from '../../app/ports/store-trouble-error.ts';
import { StoreUnavailableError } from '../../app/ports/store-unavailable-error.ts';
import { sessionKey } from '../../app/session-key.ts';
import type { QueuedCommand } from '../group-plan.ts';
import { HeadCache } from '../head-cache.ts';
import { onConnection } from './open-pool.ts';
import { inStatements, type PlannedMove, planMove } from './plan-batch.ts';
import { eraseSession, type Found, readSessions } from './session-rows.ts';
import { asCommitError, asStoreError, isWorthRetrying } from './store-error.ts';
import { writeBatch } from './write-batch.ts';
import { type WrittenGroup, writeGroup } from './write-group.ts';

type QueuedErasure = {
  kind: 'erasure';
  ref: SessionRef;
  resolve: (existed: boolean) => void;
  reject: (error: unknown) => void;
};
type Work = ({ kind: 'command' } & QueuedCommand) | QueuedErasure;

/** A session, as long as there is work for it. */
type Lane = {
  key: string;
  ref: SessionRef;
  /** What is under way stays in front until it is answered. */
  waiting: Work[];
  /** How often a batch has left out what stands in front. */
  leftOut: number;
};

/** `writers` is for batches alone, so that nobody who waits for a lock delays them. */
export type Pools = { pool: Pool; writers: Pool };

/** Of a batch, and of a transaction: what runs without a break, and what one message holds. */
const MOST_COMMANDS = 100;
const ATTEMPTS = 5;
/** The longest wait before the second attempt, in milliseconds; more before each later one. */
const RETRY_WAIT_MS = 20;
/** A session that was left out so often waits for its lock: then its turn comes for certain. */
const MOST_LEFT_OUT = 2;
/** Connections of the pool that no transaction takes which may wait for a lock. */
const KEPT_FREE = 2;

/**
 * Group commit: what comes for all sessions of this process while its writers are busy shares the next
 * statement of one of them, decided on heads that are kept in memory. A session whose head has changed
 * is read and decided anew. What a batch cannot do, or has left out twice, is read and decided while its
 * row is locked, in a transaction of its own.
 *
 * The commands of a session run in the order in which they came. A command that is rejected, or whose
 * `decide` throws, leaves the others alone; when a statement fails, its sessions run by themselves, and
 * when one of those fails, its commands, so that only the guilty one fails.
 */
export class GroupWriter {
  readonly #pools: Pools;
  readonly #onCommitted: (key: string) => void;
  readonly #lanes = new Map<string, Lane>();
  /** Lanes that nobody works on. */
  readonly #ready: Lane[] = [];
  readonly #heads = new HeadCache<Found>();
  #writersAtWork = 0;
  readonly #alone: PQueue;
  #isClosed = false;
  #onIdle = () => {};

  constructor(pools: Pools, onCommitted: (key: string) => void) {
    this.#pools = pools;
    this.#onCommitted = onCommitted;
    this.#alone = new PQueue({ concurrency: Math.max(1, pools.pool.options.max - KEPT_FREE) });
  }

  enqueue(work: Work): void {
    if (this.#isClosed) {
      work.reject(new Error('The event store is closed.'));
      return;
    }
    const key = sessionKey(work.ref);
    const lane = this.#lanes.get(key);
    if (lane) {
      lane.waiting.push(work);
      return;
    }
    const added = { key, ref: work.ref, waiting: [work], leftOut: 0 };
    this.#lanes.set(key, added);
    this.#goOn(added);
  }

  /** Answers when all that was handed in has been answered; refuses what comes later. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#lanes.size === 0) return;
    await new Promise<void>((resolve) => {
      this.#onIdle = resolve;
    });
  }

  #goOn(lane: Lane): void {
    this.#ready.push(lane);
    if (this.#writersAtWork === this.#pools.writers.options.max) return;
    this.#writersAtWork += 1;
    void this.#writeBatches();
  }

  /** The first ones of the lane have been answered. */
  #settle(lane: Lane, count: number): void {
    lane.waiting.splice(0, count);
    lane.leftOut = 0;
    if (lane.waiting.length > 0) {
      this.#goOn(lane);
      return;
    }
    this.#lanes.delete(lane.key);
    if (this.#lanes.size === 0) this.#onIdle();
  }

  async #writeBatches(): Promise<void> {
    // What else comes in the same turn is let in, so that it shares the first batch.
    await nextTurn();
    while (this.#ready.length > 0) {
      const lanes = this.#takeLanes();
      if (lanes.length > 0) await this.#writeBatch(lanes);
    }
    this.#writersAtWork -= 1;
  }

  /** The lanes of the next batch; those whose turn it is but cannot be part of one go alone. */
  #takeLanes(): Lane[] {
    const lanes: Lane[] = [];
    for (let room = MOST_COMMANDS; room > 0; ) {
      const lane = this.#ready.shift();
      if (lane === undefined) break;
      const { length } = firstCommands(lane);
      if (length === 0 || lane.leftOut >= MOST_LEFT_OUT) {
        this.#runAlone(lane);
      } else {
        lanes.push(lane);
        room -= length;
      }
    }
    return lanes;
  }

  async #writeBatch(lanes: readonly Lane[]): Promise<void> {
    try {
      await this.#readHeads(lanes);
    } catch (error) {
      this.#fail(lanes, asStoreError(error));
      return;
    }
    const moves = lanes.flatMap((lane) => {
      const [first, ...others] = firstCommands(lane);
      const before = this.#heads.get(lane.key);
      const move = first && before ? planMove([first, ...others], before) : null;
      if (move === null) this.#runAlone(lane);
      return move === null ? [] : { lane, ...move };
    });
    await Promise.all(inStatements(moves).map((statement) => this.#write(statement)));
  }

  /** Reads the heads that are not known. */
  async #readHeads(lanes: readonly Lane[]): Promise<void> {
    const unknown = lanes.filter(({ key }) => this.#heads.get(key) === undefined);
    if (unknown.length === 0) return;
    const refs = unknown.map(({ ref }) => ref);
    const found = await onConnection(this.#pools.writers, (client) => readSessions(client, refs));
    for (const [index, { key }] of unknown.entries()) this.#remember(key, found[index] ?? null);
  }

  async #write(moves: readonly (PlannedMove & { lane: Lane })[]): Promise<void> {
    let written: (string | null)[];
    try {
      written = await onConnection(this.#pools.writers, (client) => writeBatch(client, moves));
    } catch (error) {
      this.#fail(
        moves.map(({ lane }) => lane),
        asStoreError(error),
      );
      return;
    }
    for (const [index, { lane, write, plan, commands }] of moves.entries()) {
      const row_version = written[index] ?? null;
      if (row_version === null) {
        this.#heads.delete(lane.key);
        // A key that is known stays known.
        lane.leftOut += write.kept.size > 0 ? MOST_LEFT_OUT : 1;
        this.#goOn(lane);
      } else {
        const { head, hash } = write.after;
        this.#remember(lane.key, { head, hash, row_version });
        this.#answer(lane.key, plan);
        this.#settle(lane, commands);
      }
    }
  }

  /** A batch has failed: each of its sessions tries by itself, unless nobody knows what was written. */
  #fail(lanes: readonly Lane[], error: unknown): void {
    for (const lane of lanes) {
      this.#heads.delete(lane.key);
      if (error instanceof StoreUnavailableError) {
        const commands = firstCommands(lane);
        for (const { reject } of commands) reject(error);
        this.#settle(lane, commands.length);
      } else {
        this.#runAlone(lane);
      }
    }
  }

  #remember(key: string, session: Found | null): void {
    if (session === null) this.#heads.delete(key);
    else this.#heads.set(key, session);
  }

  #answer(key: string, { answers, rows }: PlannedMove['plan']): void {
    for (const answer of answers) answer();
    if (rows.length > 0) this.#onCommitted(key);
  }

  /** What stands first in the lane, in a transaction of its own. */
  #runAlone(lane: Lane): void {
    void this.#alone.add(async () => {
      const [first] = lane.waiting;
      if (first?.kind === 'erasure') {
        await this.#erase(lane.key, first);
        this.#settle(lane, 1);
      } else {
        const commands = firstCommands(lane);
        await this.#run(lane, commands);
        this.#settle(lane, commands.length);
      }
    });
  }

  async #erase(key: string, { ref, resolve, reject }: QueuedErasure): Promise<void> {
    this.#heads.delete(key);
    try {
      const existed = await eraseSession(this.#pools.pool, ref);
      resolve(existed);
      if (existed) this.#onCommitted(key);
    } catch (error) {
      // The statement commits itself: when the connection breaks, nobody knows.
      reject(asStoreError(asCommitError(error)));
      this.#onCommitted(key);
    }
  }

  async #run(lane: Lane, commands: readonly QueuedCommand[]): Promise<void> {
    try {
      const { plan, after } = await this.#writeLocked(lane.ref, commands);
      this.#remember(lane.key, after);
      this.#answer(lane.key, plan);
    } catch (thrown) {
      this.#heads.delete(lane.key);
      const error = asStoreError(thrown);
      const isOfTheGroup =
        error instanceof StoreBusyError ||
        error instanceof StoreUnavailableError ||
        error instanceof StoreTroubleError;
      if (commands.length === 1 || isOfTheGroup) {
        for (const command of commands) command.reject(error);
      } else {
        for (const command of commands) await this.#run(lane, [command]);
      }
    }
  }

  async #writeLocked(ref: SessionRef, commands: readonly QueuedCommand[]): Promise<WrittenGroup> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await writeGroup(this.#pools.pool, ref, commands);
      } catch (error) {
        if (attempt === ATTEMPTS || !isWorthRetrying(error)) throw error;
      }
      await sleep(Math.random() * RETRY_WAIT_MS * attempt);
    }
  }
}

/** The commands at the front, up to the next erasure. */
function firstCommands({ waiting }: Lane): QueuedCommand[] {
  const commands: QueuedCommand[] = [];
  for (const work of waiting) {
    if (work.kind !== 'command' || commands.length === MOST_COMMANDS) break;
    commands.push(work);
  }
  return commands;
}
