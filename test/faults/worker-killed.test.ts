import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { PostgresHold } from '../support/cluster/postgres-hold.ts';
import { hang, status } from '../support/scripted-model/behaviour.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import { expectCompleted, only, Scenario } from './scenario.ts';

/** The only worker: what it leaves behind is seen before it comes back. */
let worker: ServiceProcess;
let scenario: Scenario;

function useScenario(store: 'sqlite' | 'postgres'): void {
  beforeAll(async () => {
    const variables = { WORKER_CONCURRENCY: '1' };
    scenario = await Scenario.start({ store, queue: 'bullmq', apis: 1, workers: 1, variables });
    worker = only(scenario.cluster.workers);
  });
  afterEach(() => scenario.check());
  afterAll(() => scenario.dispose());
}

describe.each(['sqlite', 'postgres'] as const)('BullMQ and %s: a worker is killed', (store) => {
  useScenario(store);

  it('while one compaction is queued and the model writes another', async () => {
    const writing = await scenario.conversation('writing');
    const queued = await scenario.conversation('queued');
    const first = await scenario.untilAsked(writing);
    const second = await queued.compact();
    expect(await queued.session.compaction(second)).toMatchObject({ status: 'queued' });
    await scenario.cluster.kill(worker);
    first.open();
    await worker.restart();
    await expectCompleted(writing, first.id);
    await expectCompleted(queued, second);
    expect(await writing.course()).toEqual(['requested', 'started', 'started', 'completed']);
    expect(await queued.course()).toEqual(['requested', 'started', 'completed']);
  });

  it('with the answer of the model', async () => {
    const conversation = await scenario.conversation('answered');
    for (let round = 0; round < 4; round++) {
      const { id, open } = await scenario.untilAsked(conversation);
      open();
      // Requests that are answered meanwhile let the work on the answer get further.
      for (let request = 0; request < round; request++) await conversation.session.compaction(id);
      await scenario.cluster.kill(worker);
      await worker.restart();
      await expectCompleted(conversation, id);
      await conversation.goOn();
    }
  });

  it('while it waits before the next attempt', async () => {
    const conversation = await scenario.conversation('waiting');
    scenario.cluster.model.script(status(503, { retryAfter: 1 }));
    const id = await conversation.compact();
    await conversation.seen('compaction.failed');
    await scenario.cluster.kill(worker);
    await worker.restart();
    await expectCompleted(conversation, id);
    expect(await conversation.course()).toEqual([
      'requested',
      'started',
      'failed',
      'started',
      'completed',
    ]);
  });

  it('again and again in one compaction, which ends without the model then', async () => {
    const conversation = await scenario.conversation('unlucky', { summarizer_max_attempts: 2 });
    const { id } = await scenario.untilAsked(conversation);
    const { model } = scenario.cluster;
    model.script(hang());
    const asked = model.requests.length;
    await scenario.cluster.kill(worker);
    await worker.restart();
    await model.received(asked + 1);
    await scenario.cluster.kill(worker);
    await worker.restart();
    await expectCompleted(conversation, id);
    expect(await conversation.session.compaction(id)).toMatchObject({ attempts: 3 });
    expect(model.requests.length).toBe(asked + 1);
  });
});

describe('BullMQ and PostgreSQL: a worker is killed', () => {
  useScenario('postgres');
  let hold: PostgresHold;
  beforeAll(() => {
    hold = new PostgresHold(scenario.cluster.databaseUrl);
  });
  afterAll(() => hold.close());

  it('when its attempt is in the log and the model is not asked yet', async () => {
    const conversation = await scenario.conversation('started');
    const { model } = scenario.cluster;
    const asked = model.requests.length;
    const started = await hold.commitsOf('compaction.started');
    const id = await conversation.compact();
    await started.reached();
    const reading = await hold.readsOfEvents();
    await started.release();
    await reading.reached();
    await scenario.cluster.kill(worker);
    expect(model.requests).toHaveLength(asked);
    await reading.release();
    await worker.restart();
    await expectCompleted(conversation, id);
    expect(await conversation.course()).toEqual(['requested', 'started', 'started', 'completed']);
  });

  it('when it is about to write the end: another attempt writes it', async () => {
    const conversation = await scenario.conversation('before-commit');
    const { id, open } = await scenario.untilAsked(conversation);
    const row = await hold.session('before-commit');
    open();
    await row.reached();
    await scenario.cluster.kill(worker);
    await row.release();
    await worker.restart();
    await expectCompleted(conversation, id);
    expect(await conversation.course()).toEqual(['requested', 'started', 'started', 'completed']);
  });

  it('while the end is being committed: the database finishes that', async () => {
    const conversation = await scenario.conversation('in-commit');
    const committing = await hold.commitsOf('compaction.completed');
    const { id, open } = await scenario.untilAsked(conversation);
    open();
    await committing.reached();
    await scenario.cluster.kill(worker);
    await committing.release();
    await expectCompleted(conversation, id);
    await worker.restart();
    await scenario.check();
    expect(await conversation.course()).toEqual(['requested', 'started', 'completed']);
  });

  it('when the end is in the log and the queue cannot be told', async () => {
    const conversation = await scenario.conversation('after-commit');
    const { id, open } = await scenario.untilAsked(conversation);
    const redis = await scenario.cluster.killServer('redis');
    open();
    await expectCompleted(conversation, id);
    await scenario.cluster.kill(worker);
    await redis.start();
    await worker.restart();
    await scenario.check();
    expect(await conversation.course()).toEqual(['requested', 'started', 'completed']);
  });
});
