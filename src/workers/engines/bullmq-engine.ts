import { setTimeout as pause } from 'node:timers/promises';
import { Queue, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { type JobData, readJob } from './bullmq/job-data.ts';
import { JobRunner, ReportedError } from './bullmq/job-runner.ts';
import { releaseMisdated } from './bullmq/misdated-jobs.ts';
import type { QueueUnavailableError } from './bullmq/queue-unavailable-error.ts';
import { RedisClients } from './bullmq/redis-clients.ts';
import { RedisLink } from './bullmq/redis-link.ts';
import {
  type AsksModel,
  type CompactionJob,
  type JobEngine,
  type JobHandler,
  jobsAtATime,
} from './job-engine.ts';
import { ModelSlots } from './model-slots.ts';
import { TenantDebts } from './tenant-debts.ts';

const QUEUE = 'compactions';
/** An aborted handler may take this long to end before its job is handed back without it. */
const ABORT_MS = 2000;
/** What is written to Redis at the end may take this long before the connections are cut. */
const CLOSE_MS = 2000;
/** A worker that lost Redis asks again after this long; BullMQ's own 15 s would add to each restart. */
const FETCH_AGAIN_MS = 1000;
const PING_KEY_MS = 1000;
/** An idle worker looks by itself this often: whoever dies may take the word of a new job with it. */
const LOOK_EVERY_S = 1;

export type BullMqEngineOptions = {
  /** redis:// or rediss://; must be a valid URL. */
  redis_url: string;
  /** Begins every key in Redis; processes with the same prefix share the work. */
  prefix: string;
  /** Jobs that ask a model at a time in this process, once `start` was called. */
  concurrency: number;
  /** A job whose worker is not heard of for this long is given to another one (milliseconds). */
  lock_ms: number;
  /** Told of what a handler throws, and of trouble with the queue while Redis can be reached. */
  onError: (error: unknown, job: CompactionJob | null) => void;
  /** Redis cannot be reached: once per outage, also when the very first connection fails. */
  onUnavailable: (error: QueueUnavailableError) => void;
  /** Redis can be reached again after `onUnavailable`: jobs may be missing, hand them over again. */
  onAvailable: () => void;
};

/** Waits before it asks again when Redis refuses; BullMQ itself would ask thousands of times a second. */
class PatientWorker extends Worker<JobData> {
  protected override async moveToActive(token: string, name?: string) {
    try {
      return await super.moveToActive(token, name);
    } catch (error) {
      await pause(FETCH_AGAIN_MS);
      throw error;
    }
  }
}

type Working = {
  worker: Worker<JobData>;
  runner: JobRunner;
  /** Resolves when the worker fetches no more and has written the end of every job. */
  fetching: Promise<void>;
  /** Lets jobs go on that a wrong clock holds back. */
  releasing: NodeJS.Timeout;
};

/**
 * Jobs in Redis, run by any process that shares the prefix and called `start`; without it the engine
 * only hands over. The constructor neither waits nor throws when Redis is away; `enqueue` and `ping`
 * then throw QueueUnavailableError within two seconds. A job survives the death of its worker and runs
 * again; that a compaction is applied once is the log's business (SPEC section 17).
 */
export class BullMqEngine implements JobEngine {
  /** The queue itself, for the dashboard. */
  readonly queue: Queue<JobData>;
  readonly #options: BullMqEngineOptions;
  readonly #clients: RedisClients;
  readonly #link: RedisLink;
  readonly #cancelChannel: string;
  readonly #pingKey: string;
  readonly #debts = new TenantDebts();
  #working: Working | null = null;
  #stopped: Promise<void> | null = null;

  constructor(options: BullMqEngineOptions) {
    this.#options = options;
    this.#cancelChannel = `${options.prefix}:cancel`;
    this.#pingKey = `${options.prefix}:ping`;
    this.#clients = new RedisClients(options.redis_url);
    this.#link = new RedisLink(this.#clients, {
      onDown: options.onUnavailable,
      onUp: options.onAvailable,
    });
    this.queue = new Queue<JobData>(QUEUE, {
      connection: this.#link.client,
      prefix: options.prefix,
      // The check could fail for good when Redis goes away in the middle of it.
      skipVersionCheck: true,
      // A job that stays would turn a later one of the same id into a silent no-op.
      defaultJobOptions: { removeOnComplete: true, removeOnFail: true },
    });
    this.queue.on('error', (error) => this.#report(error));
  }

  start(handler: JobHandler, asksModel: AsksModel = async () => true): void {
    const { prefix, concurrency, lock_ms, onError } = this.#options;
    const slots = new ModelSlots(concurrency);
    const wake = (id: string) => this.#wake(id);
    const runner = new JobRunner({ handler, asksModel, slots, wake, onError });
    const connection = this.#clients.open({ maxRetriesPerRequest: null }, () => {});
    const worker = new PatientWorker(QUEUE, (job, token) => runner.process(job, token), {
      connection,
      prefix,
      concurrency: jobsAtATime(concurrency),
      lockDuration: lock_ms,
      stalledInterval: Math.ceil(lock_ms / 2),
      // A job that kills its workers is ended by the log, which counts its starts.
      maxStalledCount: Number.MAX_SAFE_INTEGER,
      runRetryDelay: FETCH_AGAIN_MS,
      drainDelay: LOOK_EVERY_S,
      autorun: false,
    });
    worker.on('error', (error) => this.#report(error));
    worker.on('failed', (job, error) => {
      if (error instanceof ReportedError) return;
      this.#options.onError(error, job === undefined ? null : readJob(job));
    });
    this.#listenForCancels(runner);
    const fetching = worker.run().catch((error) => this.#report(error));
    const releasing = setInterval(() => {
      // While Redis is away the next round does it.
      this.#link.run(() => releaseMisdated(this.queue, this.#link.client)).catch(() => {});
    }, lock_ms);
    this.#working = { worker, runner, fetching, releasing };
  }

  async enqueue({ ref, compaction_id, trace }: CompactionJob): Promise<void> {
    if (await this.#link.run(() => this.#isQueued(compaction_id))) return;
    await this.#link.run(() => this.queue.remove(compaction_id));
    const { tenant, session_id } = ref;
    const data = { tenant, session_id, ...(trace !== undefined && { trace }) };
    // The smaller number goes first.
    const priority = this.#debts.next(tenant);
    await this.#link.run(() => this.queue.add('compact', data, { jobId: compaction_id, priority }));
  }

  /** A Redis that was full may have dropped the job and not its place in a list, or the list alone. */
  async #isQueued(compactionId: string): Promise<boolean> {
    const job = await this.queue.getJob(compactionId);
    return job !== undefined && (await job.getState()) !== 'unknown';
  }

  /** Also where another process runs it, if it can be told; never throws. */
  cancel(compactionId: string): void {
    const runsHere = this.#working?.runner.cancel(compactionId) ?? false;
    if (runsHere) return;
    this.#link
      .run(async () => {
        const isGone = (await this.queue.remove(compactionId)) === 1;
        if (!isGone) await this.#link.client.publish(this.#cancelChannel, compactionId);
      })
      // The log says that it is cancelled: whoever runs it will find out there.
      .catch(() => {});
  }

  async ping(): Promise<void> {
    // A write: a replica, or a Redis that is full, answers a PING.
    await this.#link.run(() => this.#link.client.set(this.#pingKey, '1', 'PX', PING_KEY_MS));
  }

  /** What has not ended when it returns is back in the queue, or will be when its lock expires. */
  stop(graceMs: number): Promise<void> {
    this.#stopped ??= this.#stop(graceMs);
    return this.#stopped;
  }

  async #stop(graceMs: number): Promise<void> {
    if (this.#working !== null) await finish(this.#working, graceMs);
    this.#link.close();
    this.#clients.disconnect();
  }

  async #wake(id: string): Promise<boolean> {
    try {
      const job = await this.#link.run(() => this.queue.getJob(id));
      await job?.promote();
      return job !== undefined;
    } catch {
      // Another process was quicker, or Redis is away: then it asks again by itself.
      return false;
    }
  }

  #listenForCancels(runner: JobRunner): void {
    const subscriber: Redis = this.#clients.open(
      // Subscribing again by itself it would leave a rejection unhandled when it is cut then.
      { maxRetriesPerRequest: null, autoResubscribe: false },
      () => {},
    );
    subscriber.on('message', (_channel, compactionId) => runner.cancel(compactionId));
    subscriber.on('ready', () => {
      subscriber.subscribe(this.#cancelChannel).catch((error) => this.#report(error));
    });
  }

  /** Outages are told of by the link; each connection would repeat them at every attempt. */
  #report(error: Error): void {
    if (this.#stopped !== null || !this.#link.isUp || isConnectionError(error)) return;
    // Not the error itself: what ioredis throws carries the arguments of the command.
    this.#options.onError(new Error(`trouble with the queue: ${error.message}`), null);
  }
}

/**
 * Lets jobs finish for the grace, then aborts and hands back; never longer than some seconds more. Not
 * by way of BullMQ's own graceful close: it waits for a Redis that is away.
 */
async function finish(
  { worker, runner, fetching, releasing }: Working,
  graceMs: number,
): Promise<void> {
  clearInterval(releasing);
  const idle = runner.drain();
  await worker.pause(true);
  // Ends the wait for a next job; does not resolve while Redis is away.
  worker
    .getBackend()
    .disconnectBlocking(false)
    .catch(() => {});
  if (!(await within(graceMs, idle))) {
    runner.abortAll();
    if (!(await within(ABORT_MS, idle))) runner.giveUpAll();
  }
  await within(CLOSE_MS, fetching);
  await worker.close(true);
}

/** Whether the promise was resolved in time. */
async function within(ms: number, promise: Promise<unknown>): Promise<boolean> {
  const timer = new AbortController();
  try {
    const { signal } = timer;
    return await Promise.race([
      promise.then(() => true),
      pause(ms, false, { signal }).catch(() => false),
    ]);
  } finally {
    timer.abort();
  }
}

function isConnectionError(error: Error): boolean {
  return 'syscall' in error || error.message === 'Connection is closed.';
}
