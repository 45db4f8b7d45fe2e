import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { call } from '../e2e/api-client.ts';
import { PostgresHold } from '../support/cluster/postgres-hold.ts';
import { until } from '../support/cluster/until.ts';
import { atWork, type Conversation, expectCompleted, Scenario } from './scenario.ts';

const CLIENTS = 4;

describe('PostgreSQL is killed', () => {
  let scenario: Scenario;
  beforeAll(async () => {
    scenario = await Scenario.start({ store: 'postgres', queue: 'bullmq', apis: 2, workers: 2 });
  });
  afterEach(async () => {
    await scenario.check();
    const { apis, workers } = scenario.cluster;
    // Nobody has restarted them.
    for (const process of [...apis, ...workers]) expect(process.isRunning).toBe(true);
  });
  afterAll(() => scenario.dispose());

  async function conversations(label: string): Promise<Conversation[]> {
    const all: Conversation[] = [];
    for (let index = 0; index < CLIENTS; index++) {
      all.push(await scenario.conversation(`${label}-${index}`));
    }
    return all;
  }

  it('in the middle of appends and compactions: 503 meanwhile, then all goes on', async () => {
    const { cluster, tally } = scenario;
    const clients = atWork((await conversations('client')).map(({ writer }) => writer));
    for (let round = 0; round < 3; round++) {
      await Promise.all([tally.more('acknowledged', 40), tally.more('compaction', 2)]);
      const postgres = await cluster.killServer('postgres');
      await tally.more('unavailable', 20);
      const [readiness, health] = await Promise.all(
        ['/readyz', '/healthz'].map((path) => call(cluster.url(), 'GET', path)),
      );
      expect(readiness).toMatchObject({
        status: 503,
        body: { detail: 'the store cannot be reached' },
      });
      expect(health).toMatchObject({ status: 200 });
      await postgres.start();
    }
    await Promise.all([tally.more('acknowledged', 40), tally.more('compaction', 2)]);
    await clients.stop();
  });

  it('before the end of a compaction is written: it is written later', async () => {
    const conversation = await scenario.conversation('ending');
    const { id, open } = await scenario.untilAsked(conversation);
    const postgres = await scenario.cluster.killServer('postgres');
    open();
    await postgres.start();
    await expectCompleted(conversation, id);
  });

  it('in the middle of a commit: the client is told so and sends the items again', async () => {
    const conversation = await scenario.conversation('committing');
    const hold = new PostgresHold(scenario.cluster.databaseUrl);
    const committing = await hold.commitsOf('item.appended');
    const headers = { 'idempotency-key': 'once' };
    const item = { role: 'user', content: 'in the middle' };
    conversation.writer.uncertain.push({ items: [item], key: 'once' });
    const send = () => conversation.session.request('POST', '/items', { body: [item], headers });
    const answer = send();
    await committing.reached();
    const postgres = await scenario.cluster.killServer('postgres');
    expect(await answer).toMatchObject({
      status: 503,
      body: { detail: expect.stringContaining('the same Idempotency-Key is safe') },
    });
    await postgres.start();
    const accepted = await until('an append that is accepted', async () => {
      const again = await send();
      return again.status === 201 ? again : null;
    });
    expect(accepted.body).toMatchObject({ session_id: 'committing' });
    expect(await send()).toMatchObject({ status: 201, body: accepted.body });
    const log = await conversation.session.items();
    expect(log.filter((entry) => entry.item.content === item.content)).toHaveLength(1);
  });
});
