import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { PostgresHold } from '../support/cluster/postgres-hold.ts';
import { SeededRandom, seedFrom } from '../support/seeded-random.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import { expectCompleted, only, Scenario } from './scenario.ts';

/** The only API. */
let api: ServiceProcess;
let scenario: Scenario;

function useScenario(store: 'sqlite' | 'postgres'): void {
  beforeAll(async () => {
    scenario = await Scenario.start({ store, queue: 'bullmq', apis: 1, workers: 1 });
    api = only(scenario.cluster.apis);
  });
  afterEach(() => scenario.check());
  afterAll(() => scenario.dispose());
}

describe.each(['sqlite', 'postgres'] as const)('BullMQ and %s: an API is killed', (store) => {
  useScenario(store);

  it('when a compaction is in the log and Redis could not be told', async () => {
    const conversation = await scenario.conversation('undispatched');
    const redis = await scenario.cluster.killServer('redis');
    const id = await conversation.compact();
    await scenario.cluster.kill(api);
    await redis.start();
    await api.restart();
    await expectCompleted(conversation, id);
  });

  it('right after its answers', async () => {
    const seed = seedFrom('FAULT_SEED');
    console.log(`API killed right after its answers: FAULT_SEED=${seed}`);
    const random = new SeededRandom(seed);
    const conversation = await scenario.conversation('answered');
    for (let round = 0; round < 6; round++) {
      await conversation.goOn();
      if (random.chance(0.7)) await conversation.compact();
      else await conversation.writer.append();
      await scenario.cluster.kill(api);
      await api.restart();
      await conversation.ledger.check();
    }
  });
});

describe('BullMQ and PostgreSQL: an API is killed', () => {
  useScenario('postgres');

  it('between the commit and the dispatch: the worker finds the compaction by itself', async () => {
    const { cluster } = scenario;
    const conversation = await scenario.conversation('committed');
    const hold = new PostgresHold(cluster.databaseUrl);
    const committing = await hold.commitsOf('compaction.requested');
    const asked = cluster.model.requests.length;
    const requested = conversation.writer.compact('full');
    await committing.reached();
    await cluster.kill(api);
    expect(await requested).toBe(false);
    await committing.release();
    await hold.close();
    // No API runs: only the dispatcher of the worker can have found it.
    await cluster.model.received(asked + 1);
    await api.restart();
    await conversation.seen('compaction.completed');
    expect(await conversation.course()).toEqual(['requested', 'started', 'completed']);
  });

  it('while it commits items: the client sends them again and they are there once', async () => {
    const { cluster } = scenario;
    const conversation = await scenario.conversation('appending');
    const hold = new PostgresHold(cluster.databaseUrl);
    const committing = await hold.commitsOf('item.appended');
    const said = conversation.goOn();
    await committing.reached();
    await cluster.kill(api);
    await committing.release();
    await hold.close();
    await api.restart();
    await said;
    expect(conversation.writer.acknowledged).toHaveLength(2);
  });
});
