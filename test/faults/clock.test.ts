import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { status } from '../support/scripted-model/behaviour.ts';
import { type Conversation, expectCompleted, only, Scenario } from './scenario.ts';

const FIVE_MINUTES_MS = 300_000;
const PRELOAD = new URL('../support/shifted-clock.mjs', import.meta.url).href;

describe.each([
  ['ahead', FIVE_MINUTES_MS],
  ['behind', -FIVE_MINUTES_MS],
])('the clocks of an API and a worker are five minutes %s', (_, offset) => {
  const shifted = { NODE_OPTIONS: `--import=${PRELOAD}?ms=${offset}` };
  let scenario: Scenario;
  beforeAll(async () => {
    scenario = await Scenario.start({ store: 'postgres', queue: 'bullmq', apis: 1, workers: 1 });
    await scenario.cluster.addApi(shifted);
  });
  afterEach(() => scenario.check());
  afterAll(() => scenario.dispose());

  /** Milliseconds between the clock of this process and the times of the newest events. */
  async function offsets({ session }: Conversation, type: string): Promise<number[]> {
    const events = (await session.events()).filter((event) => event.type === type);
    return events.map(({ at }) => Date.parse(at) - Date.now());
  }

  it('both APIs append to one session, both workers compact it', async () => {
    const conversation = await scenario.conversation('mixed');
    const { cluster } = scenario;
    const right = only(cluster.workers);
    const wrong = await cluster.addWorker(shifted);
    // The one that works is the one that is not suspended.
    for (const worker of [right, wrong, right]) {
      for (const other of [right, wrong]) if (other !== worker) other.pause();
      await expectCompleted(conversation, await conversation.compact());
      for (const other of [right, wrong]) if (other !== worker) other.resume();
      await conversation.goOn();
    }
    for (const type of ['item.appended', 'compaction.completed']) {
      const found = await offsets(conversation, type);
      expect(found.some((ms) => Math.abs(ms) < FIVE_MINUTES_MS / 2)).toBe(true);
      expect(found.some((ms) => Math.abs(ms) > FIVE_MINUTES_MS / 2)).toBe(true);
    }
    await cluster.remove(wrong);
  });

  it('a worker waits before its next attempt as long as it should', async () => {
    const conversation = await scenario.conversation('waiting');
    const { cluster } = scenario;
    const wrong = await cluster.addWorker(shifted);
    only(cluster.workers).pause();
    cluster.model.script(status(503));
    await expectCompleted(conversation, await conversation.compact());
    only(cluster.workers).resume();
    await cluster.remove(wrong);
  });

  it('another worker takes over what it left when it died before its next attempt', async () => {
    const conversation = await scenario.conversation('left');
    const { cluster } = scenario;
    await cluster.kill(only(cluster.workers));
    const wrong = await cluster.addWorker(shifted);
    cluster.model.script(status(503));
    const id = await conversation.compact();
    await conversation.seen('compaction.failed');
    await cluster.kill(wrong);
    await cluster.remove(wrong);
    await only(cluster.workers).restart();
    await expectCompleted(conversation, id);
  });
});
