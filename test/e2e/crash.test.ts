import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { atScale } from '../support/scale.ts';
import { gate, slow } from '../support/scripted-model/behaviour.ts';
import { ScriptedModelServer } from '../support/scripted-model-server.ts';
import { seedFrom } from '../support/seeded-random.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import { SHORT_LOCKS, startService } from '../support/start-service.ts';
import { summaryAnswer } from '../support/summary-text.ts';
import { isTerminal, SessionClient } from './api-client.ts';
import { Speaker, turns } from './conversation.ts';
import { Arena } from './crash/arena.ts';

/** In each arena, with every second round killed once more while it starts: 3 kills, 6 or 27. */
const ROUNDS = atScale({ brief: 2, short: 4, long: 18 });
/** In brief the one with the more steps. */
const SUMMARIZERS = ['openai/test-model', 'extractive'].slice(
  0,
  atScale({ brief: 1, short: 2, long: 2 }),
);
/** Requests between the answer of the model and the kill. */
const REQUESTS_BEFORE_KILL = [0, 2, 1, 3].slice(0, atScale({ brief: 2, short: 4, long: 4 }));
/** Attempts that kills have cut off: without any, nothing was tested. A short run may meet none. */
const LEAST_CUT_OFF = atScale({ brief: 0, short: 0, long: 1 });
const VERIFY_EVERY = atScale({ brief: 2, short: 4, long: 6 });
const SUMMARY = summaryAnswer('SCRIPTED SUMMARY.');

describe('a service that is killed at random moments', () => {
  it.concurrent.each(SUMMARIZERS)(
    'loses and doubles nothing (summaries: %s)',
    async (summarizer) => {
      const seed = seedFrom('CRASH_SEED');
      console.log(`crash test (${summarizer}): CRASH_SEED=${seed}`);
      const arena = await Arena.start(summarizer, seed);
      try {
        const total = (type: string) => arena.ledgers.reduce((n, l) => n + l.count(type), 0);
        // On a slow machine a few rounds may not see the end of any compaction: more of them will.
        for (let round = 1; round <= ROUNDS || total('compaction.completed') === 0; round++) {
          await arena.writeAndKill();
          if (round % 2 === 0) await arena.killWhileStarting();
          if (round % VERIFY_EVERY === 0) await expectVerified(arena.service);
          await arena.service.restart();
          await arena.check();
          if (round % VERIFY_EVERY === 0) await arena.settle();
        }
        await arena.settle();
        const cutOff = arena.ledgers.reduce((n, ledger) => n + ledger.restarts(), 0);
        expect(cutOff).toBeGreaterThanOrEqual(LEAST_CUT_OFF);
        expect(await arena.service.stop()).toBe(0);
        await expectVerified(arena.service);
      } finally {
        await arena.dispose();
      }
    },
    600_000,
  );
});

describe('a compaction', () => {
  let model: ScriptedModelServer;
  let service: ServiceProcess;
  beforeAll(async () => {
    model = await ScriptedModelServer.start();
  });
  afterAll(() => model.close());
  beforeEach(async () => {
    service = await startService({
      OPENAI_API_KEY: 'test',
      OPENAI_BASE_URL: model.openaiUrl,
      PALIMPSEST_SUMMARIZATION_MODEL: 'openai/test-model',
      WORKER_CONCURRENCY: '1',
      ...SHORT_LOCKS,
    });
  });
  afterEach(async () => {
    await expectVerified(service);
    await service.dispose();
  });

  async function conversation(id: string): Promise<SessionClient> {
    const settings = { id, format: 'anthropic' as const, context_window: 16_000 };
    const session = await SessionClient.create(() => service.url, settings);
    await session.append(turns(new Speaker('anthropic'), id, 4, 500));
    return session;
  }

  async function course(session: SessionClient): Promise<string[]> {
    const events = await session.events();
    return events.map(({ type }) => type).filter((type) => type.startsWith('compaction.'));
  }

  it('is carried out after a kill while it was queued, or while the model was writing', async () => {
    const [writing, queued] = [await conversation('writing'), await conversation('queued')];
    const asked = model.requests.length;
    const held = gate();
    model.script(slow(SUMMARY, held.promise));
    const first = await writing.requestCompaction({ mode: 'full' });
    await model.received(asked + 1);
    const second = await queued.requestCompaction({ mode: 'full' });
    expect(await queued.compaction(second.id)).toMatchObject({ status: 'queued' });
    await service.kill();
    held.open();
    await service.restart();
    expect(await writing.ended(first.id)).toMatchObject({ outcome: 'full_compacted' });
    expect(await queued.ended(second.id)).toMatchObject({ outcome: 'full_compacted' });
    expect(await course(writing)).toEqual([
      'compaction.requested',
      'compaction.started',
      'compaction.started',
      'compaction.completed',
    ]);
    expect(await course(queued)).toEqual([
      'compaction.requested',
      'compaction.started',
      'compaction.completed',
    ]);
  });

  it('is applied once when the kill comes with the answer of the model', async () => {
    const session = await conversation('answered');
    for (const requests of REQUESTS_BEFORE_KILL) {
      await session.append(turns(new Speaker('anthropic'), `more${requests}`, 3, 500));
      const asked = model.requests.length;
      const held = gate();
      model.script(slow(SUMMARY, held.promise));
      const { id } = await session.requestCompaction({ mode: 'full' });
      await model.received(asked + 1);
      held.open();
      // Requests that the service has to answer first let its work on the answer get further.
      for (let request = 0; request < requests; request++) await session.compaction(id);
      await service.kill();
      await service.restart();
      expect(await session.ended(id)).toMatchObject({ outcome: 'full_compacted' });
      const ends = (await session.events()).filter(isTerminal);
      expect(ends.map(({ data }) => data.compaction_id).filter((ended) => ended === id)).toEqual([
        id,
      ]);
    }
  });

  it('may finish while the service stops in good order', async () => {
    const session = await conversation('finishing');
    const asked = model.requests.length;
    const held = gate();
    model.script(slow(SUMMARY, held.promise));
    const { id } = await session.requestCompaction({ mode: 'full' });
    await model.received(asked + 1);
    const { url } = service;
    const stopped = service.stop();
    await connectionsAreRefused(url);
    held.open();
    expect(await stopped).toBe(0);
    await service.restart();
    expect(await session.compaction(id)).toMatchObject({ outcome: 'full_compacted' });
    expect(await course(session)).toEqual([
      'compaction.requested',
      'compaction.started',
      'compaction.completed',
    ]);
  });

  it('is given up when the service stops and it takes too long, and goes on afterwards', async () => {
    const session = await conversation('unfinished');
    const asked = model.requests.length;
    model.script(slow(SUMMARY, new Promise(() => {})));
    const { id } = await session.requestCompaction({ mode: 'full' });
    await model.received(asked + 1);
    const started = Date.now();
    expect(await service.stop()).toBe(0);
    expect(Date.now() - started).toBeLessThan(60_000);
    await service.restart();
    expect(await session.ended(id)).toMatchObject({ outcome: 'full_compacted' });
  });
});

async function expectVerified(service: ServiceProcess): Promise<void> {
  const verified = await service.command('verify');
  expect(verified).toMatchObject({ exit: 0, output: expect.stringContaining(': ok') });
}

/** Resolves when the service does not accept connections any more. */
async function connectionsAreRefused(url: string): Promise<void> {
  for (;;) {
    const isRefused = await fetch(`${url}/healthz`).then(
      () => false,
      () => true,
    );
    if (isRefused) return;
  }
}
