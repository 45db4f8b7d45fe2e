import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hang, slow } from '../support/scripted-model/behaviour.ts';
import { type Conversation, expectCompleted, only, Scenario } from './scenario.ts';

const NEVER = new Promise<void>(() => {});

describe('a model server that hangs', () => {
  let scenario: Scenario;
  beforeAll(async () => {
    scenario = await Scenario.start({ store: 'postgres', queue: 'bullmq', apis: 1, workers: 1 });
  });
  afterEach(() => scenario.check());
  afterAll(() => scenario.dispose());

  /** Long enough for an answer that comes, on a machine with other work. */
  const inAMoment = { summarizer_timeout_seconds: 3, summarizer_max_attempts: 2 };

  async function failures({ session }: Conversation): Promise<unknown[]> {
    const events = await session.events();
    return events.filter(({ type }) => type === 'compaction.failed').map(({ data }) => data.reason);
  }

  it('is asked again, in time', async () => {
    const conversation = await scenario.conversation('once', inAMoment);
    scenario.cluster.model.script(hang());
    const id = await conversation.compact();
    await expectCompleted(conversation, id);
    expect(await failures(conversation)).toEqual(['timeout']);
    expect(await conversation.session.compaction(id)).toMatchObject({ summarizer: 'model' });
  });

  it.each([
    ['before its answer', hang()],
    ['in the middle of its answer', slow('The beginning of an answer.', NEVER)],
  ])('gives way to the summary from the log when it always hangs: %s', async (when, behaviour) => {
    const conversation = await scenario.conversation(when.replaceAll(' ', '-'), inAMoment);
    scenario.cluster.model.script(behaviour, behaviour);
    const id = await conversation.compact();
    await expectCompleted(conversation, id);
    expect(await failures(conversation)).toEqual(['timeout', 'timeout']);
    expect(await conversation.session.compaction(id)).toMatchObject({ summarizer: 'extractive' });
  });

  it('does not keep the compaction when the worker that waits for it is killed', async () => {
    const conversation = await scenario.conversation('killed');
    const { cluster } = scenario;
    const asked = cluster.model.requests.length;
    cluster.model.script(hang());
    const id = await conversation.compact();
    await cluster.model.received(asked + 1);
    const worker = only(cluster.workers);
    await cluster.kill(worker);
    await worker.restart();
    await expectCompleted(conversation, id);
    expect(await conversation.course()).toEqual(['requested', 'started', 'started', 'completed']);
  });
});
