import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CuttingProxy } from '../db/postgres-proxy.ts';
import { until } from '../support/cluster/until.ts';
import { atScale } from '../support/scale.ts';
import { PostgresPair, type Replication } from '../support/servers/postgres-pair.ts';
import { atWork, Scenario } from './scenario.ts';

const CLIENTS = 4;
/** Shorter than a statement may take: its answer still comes. */
const DROPPED_MS = atScale({ brief: 2_000, short: 5_000, long: 20_000 });

describe.each<Replication>(['synchronous', 'asynchronous'])(
  'the primary of PostgreSQL is killed and its %s standby promoted',
  (standby) => {
    let scenario: Scenario;
    beforeAll(async () => {
      const layout = { store: 'postgres', queue: 'bullmq', apis: 2, workers: 2, standby } as const;
      scenario = await Scenario.start(layout);
    });
    afterAll(() => scenario.dispose());

    it('in the middle of appends and compactions: all goes on, without a restart', async () => {
      const { cluster, tally } = scenario;
      const begun = Array.from({ length: CLIENTS }, (_, n) => scenario.conversation(`c-${n}`));
      const clients = atWork((await Promise.all(begun)).map(({ writer }) => writer));
      await Promise.all([tally.more('acknowledged', 40), tally.more('compaction', 2)]);
      const postgres = await cluster.killServer('postgres');
      await tally.more('unavailable', 10);
      const promoting = performance.now();
      await postgres.start();
      await tally.more('acknowledged', 1);
      const recovered = Math.round(performance.now() - promoting);
      await Promise.all([tally.more('acknowledged', 40), tally.more('compaction', 2)]);
      await clients.stop();
      console.log(`${standby} standby: the first append ${recovered} ms after the promotion began`);
      for (const process of [...cluster.apis, ...cluster.workers]) {
        expect(process.isRunning).toBe(true);
      }
      // What an asynchronous standby may have lost is a matter of luck; see below.
      if (standby === 'synchronous') await scenario.check();
      else expect(await cluster.verify()).toBeNull();
    });
  },
);

/** What both processes keep of the session in memory is then of a log that is gone. */
it('what an asynchronous standby had not got is gone, and the log goes on from what it had', async () => {
  const layout = { store: 'postgres', queue: 'bullmq', apis: 2, workers: 1 } as const;
  const scenario = await Scenario.start({ ...layout, standby: 'asynchronous' });
  try {
    const { cluster } = scenario;
    const { session } = await scenario.conversation('behind');
    const say = (content: string) =>
      session.request('POST', '/items', { body: [{ role: 'user', content }] });
    if (!(cluster.postgres instanceof PostgresPair)) throw new Error('no pair');
    const before = await session.events();
    await cluster.postgres.cutOff();
    const lost = ['one', 'two', 'three', 'four'];
    for (const content of lost) expect(await say(content)).toMatchObject({ status: 201 });
    const postgres = await cluster.killServer('postgres');
    await postgres.start();
    // Each process is asked in turn.
    for (const content of ['five', 'six', 'seven', 'eight', 'nine', 'ten']) {
      await until('an append that is accepted', async () => (await say(content)).status === 201);
    }
    const events = await session.events();
    expect(events.slice(0, before.length)).toEqual(before);
    expect(events.map(({ version }) => version)).toEqual(events.map((_, index) => index + 1));
    const texts = (await session.items()).map(({ item }) => item.content);
    expect(texts.slice(-6)).toEqual(['five', 'six', 'seven', 'eight', 'nine', 'ten']);
    for (const content of lost) expect(texts).not.toContain(content);
    expect(await cluster.verify()).toBeNull();
  } finally {
    await scenario.dispose();
  }
});

it('the master of Redis is killed and the sentinel promotes its replica: compactions go on', async () => {
  const layout = { store: 'sqlite', queue: 'bullmq', apis: 1, workers: 2, sentinel: true } as const;
  const scenario = await Scenario.start(layout);
  try {
    const { cluster, tally } = scenario;
    const { writer } = await scenario.conversation('sentinel');
    const client = atWork([writer]);
    await tally.more('compaction', 2);
    const killed = performance.now();
    const redis = await cluster.killServer('redis');
    // Appends do not need it.
    await tally.more('acknowledged', 10);
    await redis.start();
    await tally.more('compaction', 2);
    const recovered = Math.round(performance.now() - killed);
    await client.stop();
    console.log(`sentinel: compactions go on ${recovered} ms after the master was killed`);
    await scenario.check();
  } finally {
    await scenario.dispose();
  }
});

it('a network that drops what the processes and PostgreSQL send each other: all goes on after it', async () => {
  const layout = { store: 'postgres', queue: 'bullmq', apis: 0, workers: 0 } as const;
  const scenario = await Scenario.start(layout);
  const { cluster, tally } = scenario;
  const { proxy, url } = await CuttingProxy.before(cluster.databaseUrl);
  try {
    for (let api = 0; api < 2; api++) await cluster.addApi({ DATABASE_URL: url });
    await cluster.addWorker({ DATABASE_URL: url });
    const { writer } = await scenario.conversation('network');
    const client = atWork([writer]);
    await Promise.all([tally.more('acknowledged', 20), tally.more('compaction', 1)]);
    proxy.stall();
    await delay(DROPPED_MS);
    const healed = performance.now();
    proxy.goOn();
    await tally.more('acknowledged', 1);
    const recovered = Math.round(performance.now() - healed);
    await Promise.all([tally.more('acknowledged', 20), tally.more('compaction', 1)]);
    await client.stop();
    console.log(`network: the first append ${recovered} ms after packets came through again`);
    await scenario.check();
  } finally {
    await scenario.dispose();
    await proxy.close();
  }
});
