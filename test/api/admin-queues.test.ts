import { Hono } from 'hono';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createQueueDashboard, DASHBOARD_PATH } from '../../src/api/admin/queue-dashboard.ts';
import { BullMqEngine } from '../../src/workers/engines/bullmq-engine.ts';
import { freshQueue } from '../support/servers/fresh.ts';

const KEY = 'operator-key-1';
const basic = (user: string, password: string) => ({
  Authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
});
const bearer = (key: string) => ({ Authorization: `Bearer ${key}` });

function engineAt(url: string, prefix: string): BullMqEngine {
  return new BullMqEngine({
    redis_url: url,
    prefix,
    concurrency: 1,
    lock_ms: 30_000,
    onError: () => {},
    onUnavailable: () => {},
    onAvailable: () => {},
  });
}

/** Asks an app in which the dashboard stands where `createApp` mounts it. */
function asking(
  engine: BullMqEngine | null,
  operatorKey: string | null,
): (path: string, init?: RequestInit) => Promise<Response> {
  const jobs = engine === null ? null : { queue: engine.queue, ping: () => engine.ping() };
  const app = new Hono().route(DASHBOARD_PATH, createQueueDashboard({ jobs, operatorKey }));
  return async (path, init) => app.request(`${DASHBOARD_PATH}${path}`, init);
}

describe('queue dashboard', () => {
  let engine: BullMqEngine;
  let ask: ReturnType<typeof asking>;
  beforeAll(async () => {
    const { url, prefix } = freshQueue();
    engine = engineAt(url, prefix);
    ask = asking(engine, KEY);
    await engine.enqueue({ ref: { tenant: 'acme', session_id: 's' }, compaction_id: 'job-a' });
  });
  afterAll(async () => {
    await engine.queue.obliterate();
    await engine.stop(0);
  });

  it.each([
    ['Basic, any name', basic('', KEY)],
    ['Basic, another name', basic('ann', KEY)],
    ['Bearer', bearer(KEY)],
  ])('shows pages and jobs to whoever has the operator key: %s', async (_, headers) => {
    const page = await ask('', { headers });
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toContain('text/html');
    const slash = await ask('/', { headers });
    expect([slash.status, slash.headers.get('location')]).toEqual([302, DASHBOARD_PATH]);
    const list = await ask('/api/queues?activeQueue=compactions&status=waiting', { headers });
    expect(await list.json()).toMatchObject({
      queues: [
        {
          name: 'compactions',
          counts: { waiting: 1 },
          readOnlyMode: true,
          jobs: [{ id: 'job-a', data: { tenant: 'acme', session_id: 's' } }],
        },
      ],
    });
  });

  it.each([
    ['no key', {}],
    ['another key', bearer('operator-key-2')],
    ['another password', basic(KEY, 'operator-key-2')],
    ['an empty password', basic('ann', '')],
    ['the key of an API', { 'x-api-key': KEY }],
    ['a header that cannot be read', { Authorization: 'Basic %%%' }],
  ])('stays closed to %s', async (_, headers) => {
    for (const path of ['', '/', '/api/queues', '/static/favicon-32x32.png', '/nowhere']) {
      const response = await ask(path, { headers });
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toMatch(/^Basic realm=.*Bearer realm=/);
      expect(response.headers.get('content-type')).toBe('application/problem+json');
    }
  });

  it('serves all parts of the page itself, and lets it load scripts from nowhere else', async () => {
    const headers = bearer(KEY);
    const page = await ask('/queue/compactions', { headers });
    const policy = page.headers.get('content-security-policy');
    expect(policy).toContain("default-src 'none'; script-src 'self';");
    const html = await page.text();
    const parts = [...html.matchAll(/(?:src|href)="(static\/[^"]+)"/g)].map(([, part]) => part);
    expect(html).toContain(`<base href="${DASHBOARD_PATH}/" />`);
    expect(parts.length).toBeGreaterThan(4);
    for (const part of parts) {
      expect([part, (await ask(`/${part}`, { headers })).status]).toEqual([part, 200]);
    }
  });

  it('takes the parameters of its own pages, and no others', async () => {
    const headers = bearer(KEY);
    const own = await ask('/api/queues?activeQueue=compactions&status=latest&page=1', { headers });
    expect(own.status).toBe(200);
    const other = await ask('/api/queues?activeQuue=compactions', { headers });
    expect(other.status).toBe(400);
    expect(await other.text()).toContain('did you mean \\"activeQueue\\"?');
  });

  it('answers HEAD, and changes nothing', async () => {
    const headers = basic('ann', KEY);
    expect((await ask('', { method: 'HEAD', headers })).status).toBe(200);
    for (const [method, path] of [
      ['PUT', '/api/queues/compactions/pause'],
      ['PUT', '/api/queues/compactions/job-a/clean'],
      ['POST', '/api/queues/compactions/add'],
      ['DELETE', '/api/queues/compactions/obliterate'],
    ]) {
      const response = await ask(path ?? '', { ...(method ? { method } : {}), headers });
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    }
    expect(await engine.queue.getJobCounts()).toMatchObject({ waiting: 1 });
  });

  it('says that the queue cannot be reached instead of waiting for it', async () => {
    const away = engineAt('redis://:sesame-1@127.0.0.1:1', 'none');
    try {
      const response = await asking(away, KEY)('/api/queues', { headers: bearer(KEY) });
      expect(response.status).toBe(503);
      const { detail } = (await response.json()) as { detail: string };
      expect(detail).toContain('Redis at 127.0.0.1:1');
      expect(detail).not.toContain('sesame');
    } finally {
      await away.stop(0);
    }
  });

  it.each([
    ['without a key', true, null, /PALIMPSEST_OPERATOR_KEY/],
    ['without a queue', false, KEY, /REDIS_URL/],
  ])('is not there %s, and says why', async (_, hasQueue, key, why) => {
    const response = await asking(hasQueue ? engine : null, key)('', { headers: bearer(KEY) });
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({
      type: 'urn:palimpsest:problem:not-found',
      detail: expect.stringMatching(why),
    });
  });
});
