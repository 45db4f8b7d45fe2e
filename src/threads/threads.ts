import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { getHeapStatistics } from 'node:v8';
import { MessageChannel, type MessagePort, type Transferable } from 'node:worker_threads';
import PQueue from 'p-queue';
import type { Logger } from 'pino';
import { Piscina } from 'piscina';
import type { Elsewhere } from '../api/http/elsewhere.ts';
import type { TurnTasks } from '../app/gateway/turn-tasks.ts';
import { ThreadDiedError } from '../app/ports/elsewhere-error.ts';
import type { SessionRef } from '../app/ports/event-store.ts';
import type { Tracer } from '../app/ports/tracer.ts';
import { type AsksModel, type JobHandler, jobsAtATime } from '../workers/engines/job-engine.ts';
import { type Answer, resultOf, type ThreadData, type ThreadMessage } from './messages.ts';
import { TenantShares } from './tenant-shares.ts';
import type * as tasks from './thread.ts';

/** What a thread can be asked to do: the functions of thread.ts, by their names. */
type Tasks = typeof tasks;
type Value<N extends keyof Tasks> =
  ReturnType<Tasks[N]> extends Promise<Answer<infer V>> ? V : never;

/** A thread that has had nothing to do for so long ends, and its memory is free again. */
const IDLE_MS = 30_000;
/** A job whose thread has died comes again after this long. */
const AFTER_DEATH_MS = 5_000;
const REQUESTS_OF_THREAD = 8;

type Threads = {
  compact: JobHandler;
  asksModel: AsksModel;
  /** Answers a whole request, from its bytes to those of the answer. Throws ThreadDiedError. */
  answer: Elsewhere;
  /** Indexes the next events of a session; whether there are more. Throws ThreadDiedError. */
  index: (ref: SessionRef) => Promise<boolean>;
  /** Brings a session back from the archive. Throws ThreadDiedError. */
  bringBack: (ref: SessionRef) => Promise<void>;
  /** Work of the gateway's turns. Throws ThreadDiedError. */
  turns: TurnTasks;
  /** Ends all threads; what still runs in them is cut off. */
  close: () => Promise<void>;
};

/**
 * The threads that take work off the event loop, started when there is work for them; null where there
 * are none: the operator wants none, the store is one that only this thread sees, or this runs from the
 * sources, which a thread cannot load. All work is then done in this thread.
 */
export function openThreads(
  data: ThreadData,
  log: Logger,
  tracer: Tracer,
  onMessage: (message: ThreadMessage) => void,
): Threads | null {
  const { database, threads, worker_concurrency, role } = data.settings;
  const most = threads ?? Math.max(1, availableParallelism() - 1);
  const file = fileURLToPath(new URL('thread.js', import.meta.url));
  const isPrivate = database.kind === 'sqlite' && database.path === ':memory:';
  if (most === 0 || isPrivate || !existsSync(file)) return null;
  // A job waits for its model most of the time, a request now and then for the end of a compaction.
  const eachJobs = Math.ceil(jobsAtATime(worker_concurrency) / most);
  const jobs = pool({ file, data, most, each: eachJobs, tracer });
  const requests = pool({ file, data, most, each: REQUESTS_OF_THREAD, tracer });
  const atATime = most * REQUESTS_OF_THREAD;
  const tenants = new Set(data.settings.api_keys.map(({ name }) => name));
  const shares = new TenantShares(tenants.size > 1 ? atATime / 2 : atATime);
  for (const { piscina, giveUp } of [jobs, requests]) {
    piscina.on('message', onMessage);
    piscina.on('error', (error) => {
      log.error({ err: error }, 'a thread without work has died');
      giveUp();
    });
  }
  return {
    compact: async (job, signal) => {
      try {
        return await abortable(signal, (abort) => jobs.run('compact', { job, abort }, [abort]));
      } catch (error) {
        if (!(error instanceof ThreadDiedError)) throw error;
        const { compaction_id } = job;
        log.error({ err: error.cause, compaction_id }, 'the thread of a compaction has died');
        return { kind: 'retry', after_ms: AFTER_DEATH_MS };
      }
    },
    asksModel: (job) => jobs.run('looksAhead', job, []),
    answer: (request, signal, tenant) =>
      shares.run(tenant, () =>
        abortable(signal, (abort) =>
          requests.run('answer', { request, abort }, [
            abort,
            ...(request.body === null ? [] : [request.body]),
          ]),
        ),
      ),
    // A process of one role has one kind: each holds connections to the store that are counted on.
    index: (ref) => (role === 'api' ? requests : jobs).run('index', ref, []),
    bringBack: (ref) =>
      shares.run(ref.tenant, () => (role === 'worker' ? jobs : requests).run('bringBack', ref, [])),
    turns: {
      plan: (request, signal) =>
        shares.run(request.tenant, () => requests.run('planTurn', request, []), signal),
      record: (recorded) =>
        shares.run(recorded.request.tenant, () => {
          if (!('bytes' in recorded.raw)) return requests.run('recordAnswer', recorded, []);
          // A copy of many megabytes would hold up this thread, and nobody here reads them again.
          const { buffer, byteLength } = recorded.raw.bytes;
          const isWhole = buffer instanceof ArrayBuffer && buffer.byteLength === byteLength;
          return requests.run('recordAnswer', recorded, isWhole ? [buffer] : []);
        }),
      revise: (request, revision) =>
        shares.run(request.tenant, () => requests.run('reviseTurn', { request, revision }, [])),
      compact: (request, wait_seconds) =>
        shares.run(request.tenant, () =>
          requests.run('compactForClient', { request, wait_seconds }, []),
        ),
      lookUp: (asked) => shares.run(asked.ref.tenant, () => requests.run('lookUp', asked, [])),
    },
    close: async () => {
      await Promise.all([jobs.piscina.destroy(), requests.piscina.destroy()]);
    },
  };
}

/** Runs something with a port that says when it is to be aborted; Piscina would end the thread. */
async function abortable<T>(
  signal: AbortSignal,
  run: (abort: MessagePort) => Promise<T>,
): Promise<T> {
  const { port1, port2 } = new MessageChannel();
  const say = () => port1.postMessage(null);
  if (signal.aborted) say();
  signal.addEventListener('abort', say);
  try {
    return await run(port2);
  } finally {
    signal.removeEventListener('abort', say);
    port1.close();
  }
}

type PoolOptions = {
  file: string;
  data: ThreadData;
  /** Threads. */
  most: number;
  /** Tasks that one of them has at a time. */
  each: number;
  tracer: Tracer;
};

function pool({ file, data, most, each, tracer }: PoolOptions) {
  const piscina = new Piscina({
    filename: file,
    workerData: data,
    maxThreads: most,
    minThreads: 0,
    idleTimeout: IDLE_MS,
    concurrentTasksPerWorker: each,
    loadBalancer: freeOrNew(most),
    // A thread that waits for work goes on with its timers and sockets.
    atomics: 'disabled',
    resourceLimits: { maxOldGenerationSizeMb: heapOfThread() },
  });
  // When a thread dies, Piscina forgets those that wait in a queue of its own until the next comes.
  const queue = new PQueue({ concurrency: most * each });
  const waiting = new Set<AbortController>();
  // No other thread would come for them: the one that was to take them could not start.
  const giveUp = () => {
    if (piscina.threads.length === 0) for (const stop of waiting) stop.abort();
  };
  const run = <N extends keyof Tasks>(
    name: N,
    task: Parameters<Tasks[N]>[0]['task'],
    transferList: Transferable[],
  ): Promise<Value<N>> => {
    const sent = { task, trace: tracer.current() };
    return queue.add(async () => {
      const stop = new AbortController();
      waiting.add(stop);
      // A task answers also when it throws.
      const answer: Answer<Value<N>> = await piscina
        .run(sent, { name, transferList, signal: stop.signal })
        .catch((cause: unknown) => {
          throw new ThreadDiedError(cause);
        })
        .finally(() => waiting.delete(stop));
      return resultOf(answer);
    });
  };
  return { piscina, run, giveUp };
}

type Balancer = NonNullable<NonNullable<ConstructorParameters<typeof Piscina>[0]>['loadBalancer']>;

/** A thread that does nothing, else a new one, else the one that does least. */
function freeOrNew(most: number): Balancer {
  return (_, threads) => {
    const [least] = [...threads].sort((a, b) => a.currentUsage - b.currentUsage);
    return least === undefined || (least.currentUsage > 0 && threads.length < most) ? null : least;
  };
}

/** In MB: with half of what the process itself may take, a thread that needs more dies alone. */
function heapOfThread(): number {
  return Math.ceil(getHeapStatistics().heap_size_limit / 2 / 1_048_576);
}
