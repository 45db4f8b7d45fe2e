import { Queue, QueueEvents } from 'bullmq';
import { Redis } from 'ioredis';
import { BullMqEngine } from '../src/workers/engines/bullmq-engine.ts';
import { type ServerProcess, startScript } from './processes.ts';

/** The name that our engine gives its queue. */
export const QUEUE = 'compactions';
const LOCK_MS = 30_000;

/** `bare`: BullMQ alone; `ours`: our engine around it, with a handler that does nothing. */
export type Side = 'ours' | 'bare';

type Producer = { add: (id: string) => Promise<unknown>; close: () => Promise<void> };

/** Jobs that do nothing, handed over here and run by a worker process; its end comes as an event. */
export class NoopJobs {
  readonly worker: ServerProcess;
  readonly #producer: Producer;
  readonly #events: QueueEvents;
  readonly #waiting = new Map<string, () => void>();
  #next = 0;

  private constructor(worker: ServerProcess, producer: Producer, events: QueueEvents) {
    this.worker = worker;
    this.#producer = producer;
    this.#events = events;
    events.on('completed', ({ jobId }) => this.#waiting.get(jobId)?.());
  }

  static async start(side: Side, url: string, concurrency: number): Promise<NoopJobs> {
    const prefix = `bench-${side}-${concurrency}`;
    const worker = await startScript('noop-worker.ts', side, url, prefix, String(concurrency));
    const events = new QueueEvents(QUEUE, { connection: { url }, prefix });
    await events.waitUntilReady();
    const producer = side === 'ours' ? ourProducer(url, prefix) : bareProducer(url, prefix);
    return new NoopJobs(worker, producer, events);
  }

  /** Hands one job over; resolves when word of its end has come. */
  async roundTrip(): Promise<void> {
    // BullMQ refuses ids that are whole numbers.
    const id = `job-${this.#next++}`;
    const ended = new Promise<void>((resolve) => this.#waiting.set(id, resolve));
    await this.#producer.add(id);
    await ended;
    this.#waiting.delete(id);
  }

  async close(): Promise<void> {
    await this.#producer.close();
    await this.#events.close();
    await this.worker.stop();
  }
}

/** The engine with the settings that the service gives it. */
export function engineAt(options: {
  url: string;
  prefix: string;
  concurrency: number;
}): BullMqEngine {
  const fail = (error: unknown) => {
    throw error;
  };
  return new BullMqEngine({
    redis_url: options.url,
    prefix: options.prefix,
    concurrency: options.concurrency,
    lock_ms: LOCK_MS,
    onError: fail,
    onUnavailable: fail,
    onAvailable: () => {},
  });
}

function ourProducer(url: string, prefix: string): Producer {
  const engine = engineAt({ url, prefix, concurrency: 1 });
  const ref = { tenant: 'local', session_id: 'bench' };
  return {
    add: (id) => engine.enqueue({ ref, compaction_id: id }),
    close: () => engine.stop(0),
  };
}

function bareProducer(url: string, prefix: string): Producer {
  const connection = new Redis(url, { maxRetriesPerRequest: null });
  const queue = new Queue(QUEUE, {
    connection,
    prefix,
    defaultJobOptions: { removeOnComplete: true, removeOnFail: true },
  });
  const data = { tenant: 'local', session_id: 'bench' };
  return {
    add: (id) => queue.add('compact', data, { jobId: id }),
    close: async () => {
      await queue.close();
      connection.disconnect();
    },
  };
}
