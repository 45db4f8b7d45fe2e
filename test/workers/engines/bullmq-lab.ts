import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import {
  BullMqEngine,
  type BullMqEngineOptions,
} from '../../../src/workers/engines/bullmq-engine.ts';
import type {
  CompactionJob,
  JobHandler,
  JobResult,
} from '../../../src/workers/engines/job-engine.ts';

export const DONE: JobResult = { kind: 'done' };
export const LONG_MS = 60_000;

export const jobOf = (compaction_id: string, session_id = 's'): CompactionJob => ({
  ref: { tenant: 'acme', session_id },
  compaction_id,
});

/** Resolves once this is true; gives up with its text after 40 s. */
export async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 40_000;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`never happened: ${what}`);
    await delay(5);
  }
}

/** One engine and what it told. */
type LabEngine = {
  engine: BullMqEngine;
  runs: string[];
  errors: { error: unknown; job: CompactionJob | null }[];
  outages: Error[];
  recoveries: number;
};

/** Engines, as of several processes, on one queue. */
export class BullMqLab {
  readonly #url: string;
  readonly prefix: string;
  readonly #engines: BullMqEngine[] = [];

  constructor({ url, prefix }: { url: string; prefix: string }) {
    this.#url = url;
    this.prefix = prefix;
  }

  /** `handler` null: an engine that only hands over. Its runs are recorded before it is called. */
  open(handler: JobHandler | null, options: Partial<BullMqEngineOptions> = {}): LabEngine {
    const told: Omit<LabEngine, 'engine'> = { runs: [], errors: [], outages: [], recoveries: 0 };
    const engine = new BullMqEngine({
      redis_url: this.#url,
      prefix: this.prefix,
      concurrency: 2,
      lock_ms: 30_000,
      onError: (error, job) => told.errors.push({ error, job }),
      onUnavailable: (error) => told.outages.push(error),
      onAvailable: () => {
        told.recoveries += 1;
      },
      ...options,
    });
    this.#engines.push(engine);
    if (handler !== null) {
      engine.start((job, signal) => {
        told.runs.push(job.compaction_id);
        return handler(job, signal);
      });
    }
    return Object.assign(told, { engine });
  }

  /** The state of a job in Redis, as `engine` sees it; null when it is not there. */
  async stateOf({ engine }: LabEngine, id: string): Promise<string | null> {
    const job = await engine.queue.getJob(id);
    return job === undefined ? null : await job.getState();
  }

  async stop(): Promise<void> {
    await Promise.all(this.#engines.map((engine) => engine.stop(0)));
  }
}

/** A way to Redis that can be blocked, as a network that drops everything, and opened again. */
export async function blockableWay(url: string) {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  let isBlocked = false;
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    near.pipe(far).on('error', () => near.destroy());
    far.pipe(near).on('error', () => far.destroy());
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
      if (isBlocked) socket.pause();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  const way = new URL(url);
  way.port = String(address.port);
  way.hostname = '127.0.0.1';
  return {
    url: way.href,
    block: () => {
      isBlocked = true;
      for (const socket of sockets) socket.pause();
    },
    open: () => {
      isBlocked = false;
      for (const socket of sockets) socket.resume();
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
