import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { expectCompleted, only, Scenario } from './scenario.ts';

describe('two workers with the same job', () => {
  let scenario: Scenario;
  beforeAll(async () => {
    const variables = { WORKER_CONCURRENCY: '1' };
    const layout = { store: 'postgres', queue: 'bullmq', apis: 1, workers: 1, variables } as const;
    scenario = await Scenario.start(layout);
  });
  afterEach(() => scenario.check());
  afterAll(() => scenario.dispose());

  it.each(['the model has answered', 'the model goes on'])(
    'a worker that was suspended for longer than its lock changes nothing afterwards: %s',
    async (when) => {
      const { cluster } = scenario;
      const isAnswered = when === 'the model has answered';
      const conversation = await scenario.conversation(isAnswered ? 'answered' : 'late');
      const next = await scenario.conversation(isAnswered ? 'next' : 'next-late');
      const suspended = only(cluster.workers);
      const { id, open } = await scenario.untilAsked(conversation);
      suspended.pause();
      if (isAnswered) open();
      const other = await cluster.addWorker();
      await expectCompleted(conversation, id);
      const before = await conversation.session.events();
      const context = await conversation.session.context();
      await cluster.kill(other);
      await cluster.remove(other);
      suspended.resume();
      open();
      // It runs one job at a time: when it has done this one, it is through with the first.
      await expectCompleted(next, await next.compact());
      expect(await conversation.session.events()).toEqual(before);
      expect(await conversation.session.context()).toEqual(context);
      expect(await conversation.course()).toEqual(['requested', 'started', 'started', 'completed']);
    },
  );
});
