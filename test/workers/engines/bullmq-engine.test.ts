import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { QueueUnavailableError } from '../../../src/workers/engines/bullmq/queue-unavailable-error.ts';
import { BullMqEngine } from '../../../src/workers/engines/bullmq-engine.ts';
import type { JobHandler } from '../../../src/workers/engines/job-engine.ts';
import { jobEngineContract } from '../../contracts/job-engine.ts';
import { freshQueue } from '../../support/servers/fresh.ts';
import { BullMqLab, blockableWay, DONE, jobOf, LONG_MS, until } from './bullmq-lab.ts';

jobEngineContract('BullMQ', ({ concurrency, onError }) => {
  const { url, prefix } = freshQueue();
  return new BullMqEngine({
    redis_url: url,
    prefix,
    concurrency,
    lock_ms: 30_000,
    onError: (error, job) => {
      if (job === null) throw error;
      onError(error, job);
    },
    onUnavailable: (error) => {
      throw error;
    },
    onAvailable: () => {},
  });
});

const done: JobHandler = async () => DONE;
const untilAborted: JobHandler = async (_job, signal) => {
  await new Promise((resolve) => signal.addEventListener('abort', resolve));
  return DONE;
};
const never: JobHandler = () => new Promise(() => {});

describe('BullMQ: several processes on one queue', () => {
  let place: { url: string; prefix: string };
  let lab: BullMqLab;
  let redis: Redis;
  beforeEach(() => {
    place = freshQueue();
    lab = new BullMqLab(place);
    redis = new Redis(place.url);
  });
  afterEach(async () => {
    await lab.stop();
    redis.disconnect();
  });

  it('a process that only hands over gives its jobs to one that works, also after its end', async () => {
    const api = lab.open(null);
    await api.engine.enqueue(jobOf('a'));
    await api.engine.stop(0);
    const worker = lab.open(done);
    await until('a ran', () => worker.runs.length === 1);
    expect({ runs: worker.runs, errors: worker.errors }).toEqual({ runs: ['a'], errors: [] });
  });

  it('two workers share the jobs, and each job runs once', async () => {
    const ids = Array.from({ length: 40 }, (_, n) => `job-${n}`);
    const api = lab.open(null);
    for (const id of ids) await api.engine.enqueue(jobOf(id));
    const ran: string[] = [];
    // Nobody goes on before both work.
    const open = () => first.runs.length > 0 && second.runs.length > 0;
    const handler: JobHandler = async ({ compaction_id }) => {
      ran.push(compaction_id);
      await until('both work', open);
      return DONE;
    };
    const first = lab.open(handler);
    const second = lab.open(handler);
    await until('all ran', () => ran.length >= ids.length);
    await Promise.all([first.engine.stop(LONG_MS), second.engine.stop(LONG_MS)]);
    expect(ran.toSorted()).toEqual(ids.toSorted());
    expect(await api.engine.queue.getJobCounts()).toMatchObject({ active: 0, waiting: 0 });
  });

  it('a session that always has a next job waits behind the sessions that came before', async () => {
    const busy = (n: number) => jobOf(`busy-${n}`, 'busy');
    const order: string[] = [];
    const api = lab.open(null);
    await api.engine.enqueue(busy(0));
    for (let n = 0; n < 5; n += 1) await api.engine.enqueue(jobOf(`calm-${n}`, `calm-${n}`));
    const worker = lab.open(null, { concurrency: 1 });
    const handler: JobHandler = async ({ ref, compaction_id }) => {
      order.push(compaction_id);
      if (ref.session_id === 'busy' && order.length < 7) {
        await api.engine.enqueue(busy(order.length));
      }
      return DONE;
    };
    // Those that ask a model wait for its slots: the order of these is told in their own test.
    worker.engine.start(handler, async () => false);
    await until('seven jobs ran', () => order.length === 7);
    expect(order).toEqual(['busy-0', 'calm-0', 'calm-1', 'calm-2', 'calm-3', 'calm-4', 'busy-1']);
  });

  it('stop hands an aborted job back, and another worker goes on at once', async () => {
    const first = lab.open(untilAborted);
    await first.engine.enqueue(jobOf('a'));
    await until('a runs', () => first.runs.length === 1);
    await first.engine.stop(1);
    const api = lab.open(null);
    expect(await lab.stateOf(api, 'a')).toBe('waiting');
    expect(await redis.keys(`${place.prefix}:*:lock`)).toEqual([]);
    const second = lab.open(done);
    await until('a goes on', () => second.runs.length === 1);
    await until('a is gone', async () => (await lab.stateOf(api, 'a')) === null);
    expect([first.errors, second.errors]).toEqual([[], []]);
  });

  it('stop hands back a job whose handler throws when it is aborted, and tells', async () => {
    const error = new Error('aborted');
    const first = lab.open(async (job, signal) => {
      await untilAborted(job, signal);
      throw error;
    });
    await first.engine.enqueue(jobOf('a'));
    await until('a runs', () => first.runs.length === 1);
    await first.engine.stop(1);
    expect(first.errors).toEqual([{ error, job: jobOf('a') }]);
    expect(await lab.stateOf(lab.open(null), 'a')).toBe('waiting');
  });

  it('stop hands back a job whose handler ignores its signal', async () => {
    const first = lab.open(never);
    await first.engine.enqueue(jobOf('a'));
    await until('a runs', () => first.runs.length === 1);
    // The handler never ends: that this does is what is tested.
    await first.engine.stop(1);
    const second = lab.open(done);
    await until('a goes on', () => second.runs.length === 1);
  });

  it('a retry that waits outlives the worker that asked for it', async () => {
    // Longer than the first may take to stop.
    const first = lab.open(async () => ({ kind: 'retry', after_ms: 4_000 }));
    await first.engine.enqueue(jobOf('a'));
    await until('a waits', async () => (await lab.stateOf(first, 'a')) === 'delayed');
    await first.engine.stop(LONG_MS);
    const second = lab.open(done);
    await until('a runs again', () => second.runs.length === 1);
    expect(first.runs).toEqual(['a']);
  });

  it('stopping twice is harmless, and what comes after it is refused', async () => {
    const { engine } = lab.open(done);
    await engine.ping();
    await Promise.all([engine.stop(0), engine.stop(0)]);
    await engine.stop(0);
    engine.cancel('a');
    await expect(engine.enqueue(jobOf('a'))).rejects.toThrow(QueueUnavailableError);
    await expect(engine.ping()).rejects.toThrow(/was stopped/);
  });

  it('cancel reaches the process that runs the job', async () => {
    const worker = lab.open(untilAborted);
    const api = lab.open(null);
    const channel = `${place.prefix}:cancel`;
    await until('the worker listens', async () => {
      const [, listeners] = await redis.pubsub('NUMSUB', channel);
      return listeners === 1;
    });
    await api.engine.enqueue(jobOf('a'));
    await until('a runs', () => worker.runs.length === 1);
    api.engine.cancel('a');
    await until('a is gone', async () => (await lab.stateOf(api, 'a')) === null);
    expect(worker.errors).toEqual([]);
  });

  it.each(['waiting', 'delayed'])('cancel removes a job that is %s', async (state) => {
    const api = lab.open(null);
    if (state === 'delayed') {
      const worker = lab.open(async () => ({ kind: 'retry', after_ms: LONG_MS }));
      await api.engine.enqueue(jobOf('a'));
      await until('a waits', async () => (await lab.stateOf(api, 'a')) === state);
      await worker.engine.stop(0);
    } else {
      await api.engine.enqueue(jobOf('a'));
    }
    expect(await lab.stateOf(api, 'a')).toBe(state);
    api.engine.cancel('a');
    await until('a is gone', async () => (await lab.stateOf(api, 'a')) === null);
  });

  it.each([
    ['wait', 0],
    ['prioritized', 20],
  ])(
    'a job whose list %s was dropped by a Redis that is full is handed over again',
    async (list, before) => {
      const api = lab.open(null);
      const ids = Array.from({ length: before + 1 }, (_, n) => `job-${n}`);
      for (const id of ids) await api.engine.enqueue(jobOf(id));
      expect(await redis.del(`${place.prefix}:compactions:${list}`)).toBe(1);
      for (const id of ids) await api.engine.enqueue(jobOf(id));
      const worker = lab.open(done);
      await until('all have run', () => worker.runs.length === ids.length);
      expect({ runs: worker.runs.toSorted(), errors: worker.errors }).toEqual({
        runs: ids.toSorted(),
        errors: [],
      });
    },
  );

  it('a job of which a Redis that is full has dropped all but its place is handed over again', async () => {
    const api = lab.open(null);
    await api.engine.enqueue(jobOf('job-0'));
    expect(await redis.del(`${place.prefix}:compactions:job-0`)).toBe(1);
    await api.engine.enqueue(jobOf('job-0'));
    const worker = lab.open(done);
    await until('it has run', () => worker.runs.length === 1);
    expect({ runs: worker.runs, errors: worker.errors }).toEqual({ runs: ['job-0'], errors: [] });
  });

  it('a job that is handed over again costs its tenant no share', async () => {
    const api = lab.open(null);
    await api.engine.enqueue(jobOf('first'));
    for (let n = 0; n < 30; n += 1) await api.engine.enqueue(jobOf('first'));
    await api.engine.enqueue(jobOf('next'));
    expect((await api.engine.queue.getJob('next'))?.priority).toBe(0);
  });

  it('reports a job that cannot be read, and goes on with the next', async () => {
    const worker = lab.open(done);
    await worker.engine.queue.add('compact', JSON.parse('{"tenant":1}'), { jobId: 'odd' });
    await worker.engine.enqueue(jobOf('a'));
    await until('a ran', () => worker.runs.length === 1);
    await until('odd is gone', async () => (await lab.stateOf(worker, 'odd')) === null);
    const told = worker.errors.map(({ error, job }) => [String(error), job]);
    expect(told).toEqual([['Error: job odd of the queue cannot be read', null]]);
  });

  it('keeps nothing in Redis of jobs that have ended, not even what was thrown', async () => {
    const worker = lab.open(async ({ compaction_id }) => {
      if (compaction_id === 'b') throw new Error('quoted from a conversation');
      return DONE;
    });
    await worker.engine.enqueue(jobOf('a'));
    await worker.engine.enqueue(jobOf('b'));
    await until('both ended', () => worker.errors.length === 1 && worker.runs.length === 2);
    for (const id of ['a', 'b']) {
      await until(`${id} is gone`, async () => (await lab.stateOf(worker, id)) === null);
    }
    const events = await redis.xrange(`${place.prefix}:compactions:events`, '-', '+');
    expect(JSON.stringify(events)).not.toContain('quoted');
    expect(await redis.keys(`${place.prefix}:compactions:[ab]*`)).toEqual([]);
    expect(worker.errors).toHaveLength(1);
  });

  it('takes over the job of a worker that is cut off, which then learns that it lost it', async () => {
    const way = await blockableWay(place.url);
    let goOn = () => {};
    const gate = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const lost = lab.open(
      async () => {
        await gate;
        return DONE;
      },
      { redis_url: way.url, lock_ms: 1_000 },
    );
    await lost.engine.enqueue(jobOf('a'));
    await until('a runs', () => lost.runs.length === 1);
    way.block();
    const other = lab.open(done, { lock_ms: 1_000 });
    await until('a is taken over', () => other.runs.length === 1);
    await until('a is gone', async () => (await lab.stateOf(other, 'a')) === null);
    way.open();
    goOn();
    await until('the loss is told', () => lost.errors.length > 0);
    expect(String(lost.errors[0]?.error)).toMatch(/trouble with the queue: .*(lock|key)/);
    await lost.engine.enqueue(jobOf('b'));
    await until('b ran', () => [...lost.runs, ...other.runs].includes('b'));
    expect([...lost.runs, ...other.runs].filter((id) => id === 'a')).toHaveLength(2);
    await lab.stop();
    way.close();
  });

  it('never runs a job twice at a time in one process, also when its lock is lost', async () => {
    let running = 0;
    let most = 0;
    const worker = lab.open(
      async () => {
        running += 1;
        most = Math.max(most, running);
        const id = `${place.prefix}:compactions:a`;
        if (worker.runs.length === 1) {
          // Until the job was taken away and was fetched again.
          await until('a was lost', async () => {
            await redis.del(`${id}:lock`);
            return Number(await redis.hget(id, 'ats')) > 1;
          });
        }
        running -= 1;
        return DONE;
      },
      { lock_ms: 200 },
    );
    await worker.engine.enqueue(jobOf('a'));
    await until('a is gone', async () => (await lab.stateOf(worker, 'a')) === null);
    expect({ most, runs: worker.runs }).toEqual({ most: 1, runs: ['a', 'a'] });
  });
});
