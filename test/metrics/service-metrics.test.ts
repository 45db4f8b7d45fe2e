import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parser as promql } from '@prometheus-io/lezer-promql';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { readSettings } from '../../src/config.ts';
import { CATALOGUE } from '../../src/metrics/catalogue.ts';
import { gauges } from '../../src/metrics/gauges.ts';
import { measuredStore } from '../../src/metrics/measured-store.ts';
import { openMetrics } from '../../src/metrics/registry.ts';
import { type Service, startService } from '../../src/service.ts';
import { filesUnder, readText } from '../house/sources.ts';
import { openTestStore } from '../support/open-test-store.ts';
import { freshQueue } from '../support/servers/fresh.ts';

const KEY = 'operator-key-of-the-test';
const URL_OF_TEST = 'http://127.0.0.1:8787';

const folder = mkdtempSync(join(tmpdir(), 'palimpsest-metrics-'));
const services: Service[] = [];
afterAll(async () => {
  for (const service of services) await service.stop();
  rmSync(folder, { recursive: true });
});

/** Whether the parser of Prometheus' own editor reads it without an error. */
function isPromql(query: string): boolean {
  let errors = 0;
  promql.parse(query).iterate({
    enter: ({ type }) => {
      if (type.isError) errors++;
    },
  });
  return errors === 0 && query.trim() !== '';
}

async function started(environment: Record<string, string> = {}): Promise<Service> {
  const DATABASE_URL = `file:${join(folder, `${services.length}.db`)}`;
  const all = { DATABASE_URL, LOG_LEVEL: 'silent', ...environment };
  const service = await startService(readSettings(all), all);
  services.push(service);
  return service;
}

async function ask(service: Service, method: string, path: string, body?: unknown, headers = {}) {
  const sent = { method, headers: { 'content-type': 'application/json', ...headers } };
  const init = body === undefined ? sent : { ...sent, body: JSON.stringify(body) };
  return service.fetch(new Request(`${URL_OF_TEST}${path}`, init));
}

async function pageOf(service: Service, headers = {}): Promise<string> {
  const response = await ask(service, 'GET', '/metrics', undefined, headers);
  expect(response.status).toBe(200);
  return response.text();
}

describe('/metrics', () => {
  let service: Service;
  beforeAll(async () => {
    service = await started();
  });

  test('tells of requests by the pattern of their path, and of what they did', async () => {
    await ask(service, 'POST', '/sessions', { id: 'secret-name', format: 'anthropic' });
    const items = [{ role: 'user', content: 'Hello.' }];
    await ask(service, 'POST', '/sessions/secret-name/items', items);
    await ask(service, 'POST', '/sessions/secret-name/compact', {});
    await ask(service, 'GET', '/sessions/nobody/context');
    await ask(service, 'GET', '/made-up/by/a/client');
    await ask(service, 'BREW', '/made-up/by/a/client');
    const page = await pageOf(service);
    const lines = page.split('\n');
    for (const expected of [
      'palimpsest_http_requests_total{method="POST",route="/sessions/:id/items",status="201"} 1',
      'palimpsest_http_requests_total{method="GET",route="/sessions/:id/context",status="404"} 1',
      'palimpsest_http_requests_total{method="GET",route="none",status="404"} 1',
      'palimpsest_http_requests_total{method="other",route="none",status="404"} 1',
      'palimpsest_http_request_duration_seconds_count{method="POST",route="/sessions/:id/items"} 1',
      'palimpsest_items_appended_total 1',
      'palimpsest_compactions_requested_total{trigger="manual",mode="auto",profile="default"} 1',
    ]) {
      expect(lines).toContain(expected);
    }
    expect(page).not.toMatch(/secret-name|made-up|nobody/);
    expect(page).toMatch(/^nodejs_eventloop_lag_seconds \d/m);
    expect(page).toMatch(/^palimpsest_store_duration_seconds_count{operation="commit"} [1-9]/m);
  });

  test('tells turns of the gateway, what passes through it, and what is nowhere apart', async () => {
    const away = { PALIMPSEST_UPSTREAM_OPENAI: 'http://127.0.0.1:1/v1' };
    const gateway = await started({ ...away, PALIMPSEST_UPSTREAM_MY_MODEL: 'http://127.0.0.1:1' });
    const turn = { model: 'gpt-5.4', messages: [{ role: 'user', content: 'Hello.' }] };
    await ask(gateway, 'POST', '/v1/chat/completions', turn);
    await ask(gateway, 'POST', '/openai/v1/chat/completions', turn);
    await ask(gateway, 'POST', '/u/my-model/v1/chat/completions', turn);
    await ask(gateway, 'GET', '/v1/models');
    await ask(gateway, 'POST', '/chat/completions', turn);
    const counted = (await pageOf(gateway)).match(/^palimpsest_http_requests_total.*$/gm);
    expect(counted?.sort()).toEqual([
      'palimpsest_http_requests_total{method="GET",route="/v1/*",status="502"} 1',
      'palimpsest_http_requests_total{method="POST",route="/u/:name/v1/chat/completions",status="502"} 1',
      'palimpsest_http_requests_total{method="POST",route="/v1/chat/completions",status="502"} 2',
      'palimpsest_http_requests_total{method="POST",route="none",status="404"} 1',
    ]);
  });

  test('tells of searches how long they took, and of none that was refused', async () => {
    await ask(service, 'POST', '/sessions/searched/items', { role: 'user', content: 'A needle.' });
    for (const path of [
      '/sessions/searched/search?q=needle',
      '/sessions/searched/search?q=hay',
      '/search?q=needle',
      '/search?regex=need.e',
    ]) {
      expect((await ask(service, 'GET', path)).status).toBe(200);
    }
    expect((await ask(service, 'GET', '/sessions/nobody/search?q=x')).status).toBe(404);
    expect((await ask(service, 'GET', '/search?regex=(')).status).toBe(400);
    const form = { Accept: 'text/html' };
    expect((await ask(service, 'GET', '/inspect/search?q=hay', undefined, form)).status).toBe(200);
    const lines = (await pageOf(service)).split('\n');
    for (const expected of [
      'palimpsest_search_duration_seconds_count{scope="session",way="words"} 2',
      'palimpsest_search_duration_seconds_count{scope="all",way="words"} 2',
      'palimpsest_search_duration_seconds_count{scope="all",way="expression"} 1',
    ]) {
      expect(lines).toContain(expected);
    }
    expect(lines.join('\n')).not.toContain('scope="session",way="expression"');
  });

  test('is a page that describes each metric of the catalogue', async () => {
    const page = await pageOf(service);
    for (const [name, { kind, help }] of Object.entries(CATALOGUE)) {
      expect(page).toContain(`# HELP ${name} ${help}\n# TYPE ${name} ${kind}\n`);
    }
  });

  test('of a worker has its own', async () => {
    const { url, prefix } = freshQueue();
    const queue = { REDIS_URL: url, PALIMPSEST_QUEUE_PREFIX: prefix };
    const worker = await started({ ROLE: 'worker', ...queue });
    expect(await pageOf(worker)).toContain('palimpsest_compactions_pending 0\n');
  });

  test('is for the operator where there are keys', async () => {
    const keys = { PALIMPSEST_API_KEYS: 'team:key-of-a-team' };
    const closed = await ask(await started(keys), 'GET', '/metrics');
    expect([closed.status, await closed.json()]).toEqual([
      404,
      expect.objectContaining({
        detail: 'the metrics are closed: set PALIMPSEST_OPERATOR_KEY to open them',
      }),
    ]);
    const open = await started({ ...keys, PALIMPSEST_OPERATOR_KEY: KEY });
    const ofTeam = { Authorization: 'Bearer key-of-a-team' };
    const refused = await ask(open, 'GET', '/metrics', undefined, ofTeam);
    expect([refused.status, await refused.json()]).toEqual([
      401,
      expect.objectContaining({
        detail: expect.stringMatching(/API keys do not open the metrics$/),
      }),
    ]);
    expect(await pageOf(open, { Authorization: `Bearer ${KEY}` })).toContain('palimpsest_');
  });

  test('without keys is for this machine', async () => {
    const request = new Request('http://elsewhere.example/metrics');
    expect((await service.fetch(request)).status).toBe(403);
  });
});

describe('what is measured', () => {
  const now = () => new Date('2026-01-01T00:01:30.000Z');
  const waiting = () => ({ sessions: 2, ms: 1_500 });
  const requested_at = '2026-01-01T00:00:00.000Z';
  const one = { ref: { tenant: 't', session_id: 's' }, compaction_id: 'c', requested_at };

  test('when somebody looks: what waits', async () => {
    const { page } = openMetrics(() =>
      gauges({ pending: async () => [one, one] }, { waiting }, now),
    );
    const { text } = await page();
    expect(text).toContain('palimpsest_compactions_pending 2\n');
    expect(text).toContain('palimpsest_oldest_pending_compaction_seconds 90\n');
    expect(text).toContain('palimpsest_search_index_waiting_sessions 2\n');
    expect(text).toContain('palimpsest_search_index_lag_seconds 1.5\n');
  });

  test('without the store what it would say is left out, and nothing old is shown', async () => {
    const pending = vi.fn(async () => [one]);
    const { page } = openMetrics(() => gauges({ pending }, { waiting }, now));
    expect((await page()).text).toContain('palimpsest_compactions_pending 1\n');
    pending.mockRejectedValueOnce(new Error('away'));
    const { text } = await page();
    expect(text).toContain('palimpsest_search_index_waiting_sessions 2\n');
    expect(text).not.toMatch(/^palimpsest_compactions_pending \d/m);
  });

  test('of a store that fails: the call', async () => {
    const { record, page } = openMetrics(async () => []);
    const store = await openTestStore();
    vi.spyOn(store, 'head').mockRejectedValue(new Error('away'));
    const measured = measuredStore(store, { record });
    await expect(measured.head(one.ref)).rejects.toThrow('away');
    expect((await page()).text).toContain('palimpsest_store_errors_total{operation="head"} 1\n');
    await store.close();
  });

  test('of models: no more names than an operator would look at', async () => {
    const { record, page } = openMetrics(async () => []);
    for (let model = 0; model < 80; model++) {
      const labels = { model: `provider/${model}`, kind: 'input' };
      record({ metric: 'palimpsest_model_tokens_total', labels, value: 1 });
    }
    const { text } = await page();
    expect(text.match(/^palimpsest_model_tokens_total\{/gm)).toHaveLength(51);
    expect(text).toContain('palimpsest_model_tokens_total{model="other",kind="input"} 30\n');
  });

  test('of models that were only tried: their names take no place from those that are paid', async () => {
    const { record, page } = openMetrics(async () => []);
    for (let model = 0; model < 80; model++) {
      const labels = { provider: 'openai', model: `openai/made-up-${model}`, outcome: 'api_error' };
      record({ metric: 'palimpsest_model_calls_total', labels, value: 1 });
    }
    const paid = { model: 'anthropic/real', kind: 'input' };
    record({ metric: 'palimpsest_model_tokens_total', labels: paid, value: 7 });
    const { text } = await page();
    expect(text.match(/^palimpsest_model_calls_total\{/gm)).toHaveLength(51);
    expect(text).toContain(
      'palimpsest_model_calls_total{provider="openai",model="other",outcome="api_error"} 30\n',
    );
    expect(text).toContain(
      'palimpsest_model_tokens_total{model="anthropic/real",kind="input"} 7\n',
    );
  });
});

describe('each metric', () => {
  const tests = filesUnder('test/metrics').map(({ text }) => text);

  test.each(Object.keys(CATALOGUE))('%s is seen to move by a test', (name) => {
    const short = name.replace('palimpsest_', '');
    // With its labels or its value behind it: that it is named is not enough.
    const moved = new RegExp(`${short}(?:_count|_bucket)?(?:\\\\?\\{| [a-z\\d$])`);
    expect(tests.some((text) => moved.test(text))).toBe(true);
  });
});

describe('the files for operators', () => {
  const named = (text: string) => new Set(text.match(/\bpalimpsest_[a-z_]+/g));
  const known = new Set(
    Object.entries(CATALOGUE).flatMap(([name, { kind }]) =>
      kind === 'histogram' ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name],
    ),
  );

  test('docs/operations.md explains each metric, and no other', () => {
    const table = readText('docs/operations.md').split('### Metrics')[1]?.split('\n### ')[0] ?? '';
    const rows = [...table.matchAll(/^\| `(palimpsest_\w+)`/gm)].map(([, name]) => name);
    expect(rows.toSorted()).toEqual(Object.keys(CATALOGUE).toSorted());
  });

  test.each(['deploy/grafana/palimpsest.json', 'deploy/prometheus/alerts.yaml'])(
    '%s asks for metrics that there are',
    (path) => {
      const asked = named(readText(path));
      expect(asked.size).toBeGreaterThan(5);
      expect([...asked].filter((name) => !known.has(name))).toEqual([]);
    },
  );

  test('are files that their programs can read', () => {
    const dashboard = z
      .object({ panels: z.array(z.object({ targets: z.array(z.object({ expr: z.string() })) })) })
      .parse(JSON.parse(readText('deploy/grafana/palimpsest.json')));
    expect(dashboard.panels.length).toBeGreaterThan(5);
    const queries = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
    // Grafana puts a duration in its place.
    const plain = queries.map((query) => query.replaceAll('$__rate_interval', '5m'));
    expect(plain.filter((query) => !isPromql(query))).toEqual([]);
    const duration = z.string().regex(/^\d+(?:ms|[smhdwy])$/);
    const rule = z.strictObject({
      alert: z.string().regex(/^[A-Za-z_]\w*$/),
      expr: z.string().refine(isPromql),
      for: duration.optional(),
      labels: z.strictObject({ severity: z.enum(['warning', 'critical']) }),
      annotations: z.strictObject({ summary: z.string(), description: z.string() }),
    });
    const { groups } = z
      .strictObject({ groups: z.array(z.strictObject({ name: z.string(), rules: z.array(rule) })) })
      .parse(parse(readText('deploy/prometheus/alerts.yaml')));
    expect(groups.flatMap(({ rules }) => rules).length).toBeGreaterThan(3);
  });

  test.each(['sum(rate(palimpsest_x[5m])', 'max(palimpsest_x) > > 3', 'rate(palimpsest_x[5m)', ''])(
    'a query that Prometheus would refuse is found: %s',
    (query) => expect(isPromql(query)).toBe(false),
  );

  test('the code measures nothing else', () => {
    const sources = filesUnder('src/metrics').filter(({ path }) => !path.endsWith('catalogue.ts'));
    const texts = [...sources.map(({ text }) => text), readText('src/observed-requests.ts')];
    const measured = named(texts.join('\n'));
    expect(measured).toEqual(new Set(Object.keys(CATALOGUE)));
  });
});
