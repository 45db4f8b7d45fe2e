import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { call } from '../e2e/api-client.ts';
import { emptyRedis } from '../soak/faults.ts';
import { until } from '../support/cluster/until.ts';
import { status } from '../support/scripted-model/behaviour.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import { shortestOf } from '../support/shortest-of.ts';
import { expectCompleted, only, Scenario } from './scenario.ts';

const OUTAGE_MS = 10_000;
/** An append does not wait for Redis; so much only because the machine is busy. */
const APPEND_MS = 2_000;

describe.each(['sqlite', 'postgres'] as const)('Redis in front of %s', (store) => {
  let scenario: Scenario;
  let api: ServiceProcess;
  let worker: ServiceProcess;
  beforeAll(async () => {
    const variables = { WORKER_CONCURRENCY: '1' };
    scenario = await Scenario.start({ store, queue: 'bullmq', apis: 1, workers: 1, variables });
    api = only(scenario.cluster.apis);
    worker = only(scenario.cluster.workers);
  });
  afterEach(() => scenario.check());
  afterAll(() => scenario.dispose());

  const readiness = ({ url }: ServiceProcess, query = '') => call(url, 'GET', `/readyz${query}`);
  const isReady = (process: ServiceProcess) =>
    until('readiness', async () => (await readiness(process)).status === 200);

  it('emptied with jobs that run, wait and are delayed: all are carried out', async () => {
    const delayed = await scenario.conversation('delayed');
    const running = await scenario.conversation('running');
    const queued = await scenario.conversation('queued');
    scenario.cluster.model.script(status(503, { retryAfter: 2 }));
    const first = await delayed.compact();
    await delayed.seen('compaction.failed');
    const second = await scenario.untilAsked(running);
    const third = await queued.compact();
    await emptyRedis(scenario.cluster);
    await queued.goOn();
    second.open();
    await expectCompleted(delayed, first);
    await expectCompleted(running, second.id);
    await expectCompleted(queued, third);
  });

  it('away for ten seconds: items are accepted, compactions wait in the log', async () => {
    const conversation = await scenario.conversation('outage');
    const redis = await scenario.cluster.killServer('redis');
    const started = performance.now();
    for (const process of [api, worker]) {
      const away = await until('an answer that the queue is away', async () => {
        const answer = await readiness(process);
        return answer.status === 503 ? answer : null;
      });
      expect(away.headers.get('content-type')).toBe('application/problem+json');
      expect(away.body).toMatchObject({ detail: 'the queue cannot be reached' });
      expect(await readiness(process, '?exclude=queue')).toMatchObject({ status: 200 });
    }
    const id = await conversation.compact();
    const isAway = async () => {
      const shortest = await shortestOf(APPEND_MS, async () => {
        expect(await conversation.writer.append()).toBe(true);
      });
      expect(shortest).toBeLessThan(APPEND_MS);
      expect(await conversation.session.compaction(id)).toMatchObject({ status: 'queued' });
      return performance.now() - started > OUTAGE_MS;
    };
    await until('the end of the outage', isAway);
    expect(await readiness(api)).toMatchObject({ status: 503 });
    await redis.start();
    await Promise.all([isReady(api), isReady(worker)]);
    await expectCompleted(conversation, id);
  });

  it('killed and started again in the middle of work: the work goes on', async () => {
    const running = await scenario.conversation('working');
    const queued = await scenario.conversation('waiting');
    const { id, open } = await scenario.untilAsked(running);
    const waiting = await queued.compact();
    const redis = await scenario.cluster.killServer('redis');
    await redis.start();
    open();
    await expectCompleted(running, id);
    await expectCompleted(queued, waiting);
  });

  it('away while an API and a worker start: they work as soon as it is there', async () => {
    const conversation = await scenario.conversation('starting');
    const redis = await scenario.cluster.killServer('redis');
    await Promise.all([scenario.cluster.kill(api), scenario.cluster.kill(worker)]);
    await Promise.all([api.restart(), worker.restart()]);
    const id = await conversation.compact();
    expect(await conversation.session.compaction(id)).toMatchObject({ status: 'queued' });
    await redis.start();
    await expectCompleted(conversation, id);
  });
});
