import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { QueueUnavailableError } from '../../../src/workers/engines/bullmq/queue-unavailable-error.ts';
import type { JobHandler } from '../../../src/workers/engines/job-engine.ts';
import { ownRedis } from '../../support/servers/redis.ts';
import type { TestServer } from '../../support/servers/test-server.ts';
import { shortestOf } from '../../support/shortest-of.ts';
import { BullMqLab, DONE, jobOf, LONG_MS, until } from './bullmq-lab.ts';

const done: JobHandler = async () => DONE;

/** A stop has some two seconds for jobs and as many for Redis: far above that, and far below a job's time. */
const BOUND_MS = 20_000;

/** How long something took that must not hang. */
async function timed(what: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await what();
  return performance.now() - started;
}

describe('BullMQ: outages of Redis', () => {
  let server: TestServer;
  let lab: BullMqLab;
  let isRunning = true;
  beforeAll(async () => {
    server = await ownRedis();
  });
  beforeEach(() => {
    lab = new BullMqLab({ url: server.url, prefix: `test-${crypto.randomUUID()}` });
  });
  afterEach(async () => {
    await lab.stop();
    if (!isRunning) await startRedis();
  });
  afterAll(() => server.dispose());

  async function killRedis() {
    isRunning = false;
    await server.kill();
  }
  async function startRedis() {
    await server.start();
    isRunning = true;
  }
  async function command(name: string, ...parameters: string[]) {
    const redis = new Redis(server.url);
    try {
      await redis.call(name, ...parameters);
    } finally {
      redis.disconnect();
    }
  }

  it('says at once that Redis is away, and works when it comes', async () => {
    await killRedis();
    const refusals = await shortestOf(3000, async () => {
      const { engine } = lab.open(null);
      await expect(engine.enqueue(jobOf('a'))).rejects.toThrow(QueueUnavailableError);
      await expect(engine.ping()).rejects.toThrow(new URL(server.url).host);
      engine.cancel('a');
    });
    expect(refusals).toBeLessThan(3000);
    const worker = lab.open(done);
    await expect(worker.engine.enqueue(jobOf('a'))).rejects.toThrow(QueueUnavailableError);
    await expect(worker.engine.ping()).rejects.toThrow(new URL(server.url).host);
    worker.engine.cancel('a');
    await startRedis();
    await until('Redis is there', () => worker.recoveries === 1);
    await worker.engine.ping();
    await worker.engine.enqueue(jobOf('a'));
    await until('a ran', () => worker.runs.length === 1);
    expect(worker).toMatchObject({ recoveries: 1, outages: [{}], errors: [] });
    expect(worker.outages).toHaveLength(1);
  });

  it('tells nothing when Redis is there from the start', async () => {
    const api = lab.open(null);
    await api.engine.enqueue(jobOf('a'));
    await api.engine.stop(0);
    expect(api).toMatchObject({ recoveries: 0, outages: [], errors: [] });
  });

  it('goes on working after each restart, and tells of each outage once', async () => {
    const worker = lab.open(done);
    await worker.engine.enqueue(jobOf('before'));
    for (const round of [1, 2]) {
      await until('the job has ended', async () => {
        const { waiting, active } = await worker.engine.queue.getJobCounts();
        return worker.runs.length === round && waiting === 0 && active === 0;
      });
      await killRedis();
      await until('the outage is told', () => worker.outages.length === round);
      await expect(worker.engine.enqueue(jobOf(`${round}-lost`))).rejects.toThrow(
        /refused|closed/i,
      );
      await startRedis();
      await until('the recovery is told', () => worker.recoveries === round);
      await worker.engine.enqueue(jobOf(`round-${round}`));
      await until('the next ran', () => worker.runs.length === round + 1);
    }
    expect(worker.runs).toEqual(['before', 'round-1', 'round-2']);
    expect(worker.outages).toHaveLength(2);
    expect(worker.errors).toEqual([]);
  });

  it('a job that runs while Redis is restarted ends, and can come again', async () => {
    let goOn = () => {};
    const gate = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const worker = lab.open(async () => {
      await gate;
      return DONE;
    });
    await worker.engine.enqueue(jobOf('a'));
    await until('a runs', () => worker.runs.length === 1);
    await killRedis();
    await until('the outage is told', () => worker.outages.length === 1);
    goOn();
    await startRedis();
    await until('the recovery is told', () => worker.recoveries === 1);
    // This Redis keeps nothing over a restart: the job is gone, and its end cannot be written.
    await until('the loss is told', () => worker.errors.length > 0);
    await worker.engine.enqueue(jobOf('a'));
    await until('a ran again', () => worker.runs.length === 2);
    await until('a is gone', async () => (await lab.stateOf(worker, 'a')) === null);
  });

  it('goes on working after FLUSHALL', async () => {
    let goOn = () => {};
    const gate = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const worker = lab.open(async ({ compaction_id }) => {
      if (compaction_id === 'a') await gate;
      return compaction_id === 'b' ? { kind: 'retry', after_ms: 5_000 } : DONE;
    });
    for (const id of ['a', 'b']) await worker.engine.enqueue(jobOf(id));
    await until('b waits', async () => (await lab.stateOf(worker, 'b')) === 'delayed');
    await command('FLUSHALL');
    goOn();
    await until('the loss of a is told', () => worker.errors.length > 0);
    await worker.engine.enqueue(jobOf('c'));
    await worker.engine.enqueue(jobOf('a'));
    await until('both ran', () => worker.runs.length >= 4);
    expect(worker.runs.toSorted()).toEqual(['a', 'a', 'b', 'c']);
    expect(worker.outages).toEqual([]);
  });

  it('notices a Redis that is there but does not answer', async () => {
    const worker = lab.open(done);
    await worker.engine.ping();
    await command('CLIENT', 'PAUSE', '8000', 'ALL');
    // Behind the pause it would succeed.
    await expect(worker.engine.enqueue(jobOf('a'))).rejects.toThrow(/time|answer/i);
    expect(worker.outages).toHaveLength(1);
    await expect(worker.engine.ping()).rejects.toThrow();
    await until('the recovery is told', () => worker.recoveries === 1);
    await worker.engine.enqueue(jobOf('b'));
    await until('b ran', () => worker.runs.includes('b'));
    expect(worker.outages).toHaveLength(1);
  });

  it.each([
    ['no job', null],
    ['a job that ends when it is aborted', 'aborts'],
    ['a job that never ends', 'hangs'],
  ])('stops in bounded time while Redis is away, with %s', async (_, job) => {
    const worker = lab.open(async (_job, signal) => {
      await new Promise<void>((resolve) => {
        if (job === 'aborts') signal.addEventListener('abort', () => resolve());
      });
      return DONE;
    });
    if (job !== null) {
      await worker.engine.enqueue(jobOf('a'));
      await until('a runs', () => worker.runs.length === 1);
    }
    await killRedis();
    await until('the outage is told', () => worker.outages.length === 1);
    expect(await timed(() => worker.engine.stop(10))).toBeLessThan(BOUND_MS);
    expect(worker.recoveries).toBe(0);
  });

  it('stops in bounded time when Redis was never there', async () => {
    await killRedis();
    const worker = lab.open(done);
    expect(await timed(() => worker.engine.stop(LONG_MS))).toBeLessThan(BOUND_MS);
  });

  it('a database that Redis does not have is an outage, and never another database', async () => {
    const lost = lab.open(done, { redis_url: `${server.url}/999` });
    const refused = /DB index is out of range/;
    await expect(lost.engine.enqueue(jobOf('a'))).rejects.toThrow(refused);
    await expect(lost.engine.ping()).rejects.toThrow(refused);
    expect(lost.outages).toHaveLength(1);
    expect(await lab.stateOf(lab.open(null), 'a')).toBeNull();
  });

  it('a full Redis is not ready, and is asked calmly until there is room', async () => {
    const worker = lab.open(done);
    await worker.engine.ping();
    await command('CONFIG', 'SET', 'maxmemory', '1');
    try {
      await expect(worker.engine.ping()).rejects.toThrow(/OOM/);
      await until('the trouble is told', () => worker.errors.length > 0);
      const told = worker.errors.length;
      // Two more rounds of asking, a second apart, tell two more times; without the pause thousands.
      await until('it is told again', () => worker.errors.length >= told + 2);
      expect(worker.errors.length).toBeLessThan(told + 20);
    } finally {
      await command('CONFIG', 'SET', 'maxmemory', '0');
    }
    await worker.engine.enqueue(jobOf('a'));
    await until('a ran', () => worker.runs.includes('a'));
  });

  it('a password opens Redis; a wrong one is an outage, and is not repeated in its text', async () => {
    await command('CONFIG', 'SET', 'requirepass', 'sesame-1');
    try {
      const url = new URL(server.url);
      url.password = 'sesame-1';
      const worker = lab.open(done, { redis_url: url.href });
      await worker.engine.enqueue(jobOf('a'));
      await until('a ran', () => worker.runs.length === 1);
      url.password = 'open-2';
      const wrong = lab.open(done, { redis_url: url.href });
      await expect(wrong.engine.enqueue(jobOf('b'))).rejects.toThrow(/WRONGPASS/);
      expect(wrong.outages).toHaveLength(1);
      expect(JSON.stringify([wrong.outages, wrong.errors, String(wrong.outages)])).not.toContain(
        'open-2',
      );
      const none = lab.open(done);
      await expect(none.engine.ping()).rejects.toThrow(/NOAUTH/);
    } finally {
      const url = new URL(server.url);
      url.password = 'sesame-1';
      const redis = new Redis(url.href);
      await redis.config('SET', 'requirepass', '');
      redis.disconnect();
    }
  });

  it('takes rediss:// with a user, and names neither user nor password', async () => {
    const { host } = new URL(server.url);
    const api = lab.open(null, { redis_url: `rediss://susan:sesame-1@${host}/2` });
    const text = await api.engine.enqueue(jobOf('a')).catch(String);
    expect(text).toContain(`Redis at ${host}`);
    expect(text).not.toMatch(/susan|sesame/);
  });
});
