import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { z } from 'zod';
import { until } from '../support/cluster/until.ts';
import { HOOK_SECRET, HookServer, replies } from '../support/hook-server.ts';
import { OtlpReceiver, type ReceivedSpan } from '../support/otlp-receiver.ts';
import { ScriptedModelServer } from '../support/scripted-model-server.ts';
import { freshDatabase, freshQueue } from '../support/servers/fresh.ts';
import { ServiceProcess } from '../support/service-process.ts';

/** Words that stand in the conversation, in what clients ask for, and in what the operator keeps. */
const SAID = 'xylophone';
const ASKED = 'bandoneon';
const API_KEY = 'a-key-of-a-team-of-this-test';
const MODEL_KEY = 'a-key-of-a-model-of-this-test';

const SESSION = 'observed';

const folder = mkdtempSync(join(tmpdir(), 'palimpsest-observing-'));
const drops: (() => Promise<void>)[] = [() => Promise.resolve(rmSync(folder, { recursive: true }))];
let collector: OtlpReceiver;
let output: () => string;
let compaction: string;

/** One process or, with a queue, an API and a worker; each ended, so that all that it has to say is said. */
beforeAll(async () => {
  collector = await OtlpReceiver.start();
  const model = await ScriptedModelServer.start();
  const hooks = await HookServer.start();
  drops.unshift(
    () => hooks.close(),
    () => model.close(),
    () => collector.close(),
  );
  const hook = hooks.hook('PreCompact', [replies({ new_custom_instructions: `${SAID} first` })]);
  const config = join(folder, 'palimpsest.toml');
  const url = `${hook.url}?token=${HOOK_SECRET}`;
  writeFileSync(config, `[[hooks]]\nevent = "PreCompact"\nurl = "${url}"\nsecret_env = "SECRET"\n`);
  const variables = {
    ...(await adapters()),
    PALIMPSEST_CONFIG: config,
    SECRET: HOOK_SECRET,
    PALIMPSEST_API_KEYS: `team:${API_KEY}`,
    OPENAI_API_KEY: MODEL_KEY,
    OPENAI_BASE_URL: model.openaiUrl,
    PALIMPSEST_SUMMARIZATION_MODEL: 'openai/test-model',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    LOG_LEVEL: 'debug',
  };
  const roles = inject('queue') === 'bullmq' ? ['api', 'worker'] : ['all'];
  const processes: ServiceProcess[] = [];
  for (const ROLE of roles) processes.push(await ServiceProcess.start({ ...variables, ROLE }));
  drops.unshift(...processes.map((one) => () => one.dispose()));
  output = () => processes.map((one) => one.output).join('\n');
  const ask = (method: string, path: string, body?: unknown) =>
    fetch(`${processes[0]?.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${API_KEY}`,
        'content-type': 'application/json',
        // The process would wait for the connection when it ends.
        connection: 'close',
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  await ask('POST', '/sessions', { id: SESSION, context_window: 40_000 });
  const said = (role: string, words: number) => ({ role, content: `${SAID} `.repeat(words) });
  await ask('POST', `/sessions/${SESSION}/items`, [said('user', 10), said('assistant', 10)]);
  // Large enough to be appended and compacted in threads.
  const turns = ['user', 'assistant', 'user', 'assistant'].map((role) => said(role, 6_000));
  const answer = await ask('POST', `/sessions/${SESSION}/items`, turns);
  const appended = z
    .object({ compaction: z.object({ id: z.string() }) })
    .parse(await answer.json());
  compaction = appended.compaction.id;
  await until('the compaction has ended', async () => {
    const found = await ask('GET', `/sessions/${SESSION}/compactions/${compaction}`);
    return z.object({ status: z.string() }).parse(await found.json()).status === 'ended';
  });
  await ask('GET', `/search?q=${ASKED}`);
  await ask('GET', `/sessions/${ASKED}%20${API_KEY}/context?key=${API_KEY}`);
  for (const one of processes) await one.stop();
});
afterAll(async () => {
  for (const drop of drops) await drop();
});

async function adapters(): Promise<Record<string, string>> {
  const found: Record<string, string> = { DATABASE_URL: `file:${join(folder, 'observed.db')}` };
  if (inject('store') === 'postgres') {
    const { url, drop } = await freshDatabase();
    found.DATABASE_URL = url;
    drops.unshift(drop);
  }
  if (inject('queue') === 'bullmq') {
    const { url, prefix, drop } = freshQueue();
    Object.assign(found, { REDIS_URL: url, PALIMPSEST_QUEUE_PREFIX: prefix });
    drops.unshift(drop);
  }
  return found;
}

/** Each a part of the one before. */
function chain(root: ReceivedSpan, ...names: string[]): ReceivedSpan {
  return names.reduce((parent, name) => {
    const found = collector.within(parent).find((span) => span.name === name);
    if (found === undefined) {
      const there = collector.within(parent).map((span) => span.name);
      throw new Error(`there is no ${name} within ${parent.name}, only ${there.join(', ')}`);
    }
    return found;
  }, root);
}

describe('traces', () => {
  const appends = () => collector.spans.filter(({ name }) => name === 'POST /sessions/:id/items');

  test('join request, append, dispatch, job, hook, model call and store, across processes', () => {
    const root = appends().find((span) =>
      collector.within(span).some(({ name }) => name === 'dispatch'),
    );
    if (root === undefined) throw new Error('no append was followed by a compaction');
    expect(root.parentSpanId).toBeUndefined();
    expect(root.attributes).toMatchObject({
      'http.route': '/sessions/:id/items',
      'http.response.status_code': '201',
      'palimpsest.session_id': SESSION,
    });
    chain(root, 'append');
    const job = chain(root, 'dispatch', 'job');
    expect(job.attributes['palimpsest.compaction_id']).toBe(compaction);
    expect(job.role).toBe(inject('queue') === 'bullmq' ? 'worker' : 'all');
    for (const step of ['load', 'plan', 'write', 'commit', 'store.commit']) chain(job, step);
    expect(chain(job, 'hook').attributes).toMatchObject({ 'palimpsest.outcome': 'ok' });
    expect(chain(job, 'write', 'model call').attributes).toMatchObject({
      'palimpsest.model': 'openai/test-model',
      'palimpsest.outcome': 'text',
    });
    const whole = collector.within(root);
    expect(new Set(whole.map(({ traceId }) => traceId))).toEqual(new Set([root.traceId]));
  });

  test('have an append without a compaction as a trace of its own', () => {
    const traces = appends().map(({ traceId }) => traceId);
    expect(new Set(traces).size).toBe(2);
  });

  test('tell nothing that was said, and no key', () => {
    expect(collector.spans.length).toBeGreaterThan(20);
    for (const secret of [SAID, ASKED, API_KEY, MODEL_KEY, HOOK_SECRET]) {
      expect(collector.raw).not.toContain(secret);
    }
  });
});

describe('the log', () => {
  const lines = () =>
    output()
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => z.record(z.string(), z.json()).parse(JSON.parse(line)));
  const told = (msg: string) => lines().filter((line) => line.msg === msg);

  test('has one line for each request, with its pattern, ids, duration and outcome', () => {
    const requests = told('request');
    const appended = requests.filter(({ route }) => route === '/sessions/:id/items');
    expect(appended).toHaveLength(2);
    expect(appended[0]).toMatchObject({
      method: 'POST',
      status: 201,
      session_id: SESSION,
      ms: expect.any(Number),
    });
    expect(requests).toContainEqual(expect.objectContaining({ route: '/search', status: 200 }));
    const mistyped = requests.filter(({ route }) => route === '/sessions/:id/context');
    expect(mistyped).toEqual([expect.objectContaining({ status: 400 })]);
    expect(mistyped[0]).not.toHaveProperty('session_id');
  });

  test('has one line for each step of a compaction', () => {
    const steps = told('a step of a compaction');
    const own = steps.filter(({ compaction_id }) => compaction_id === compaction);
    expect(own.map(({ step, outcome }) => `${step}: ${outcome}`)).toEqual([
      'load: loaded',
      'plan: full',
      'hook: ok',
      'write: written',
      'commit: written',
    ]);
    for (const { ms, session_id } of own)
      expect([typeof ms, session_id]).toEqual(['number', SESSION]);
    expect(steps).toContainEqual(
      expect.objectContaining({ step: 'model call', outcome: 'text', model: 'openai/test-model' }),
    );
  });

  test('says for debugging why a compaction was requested, or not', () => {
    const [small, large] = told('whether to compact');
    expect(small).toMatchObject({
      requested: false,
      session_id: SESSION,
      why: 'the context is below the threshold',
      tokens: expect.any(Number),
      threshold: expect.any(Number),
    });
    expect(large).toMatchObject({ requested: true, why: 'auto, auto, by append' });
    expect(Number(large?.tokens)).toBeGreaterThan(Number(large?.threshold));
  });

  test('holds nothing that was said, no key, and no address with a secret', () => {
    expect(told('request').length).toBeGreaterThan(5);
    for (const secret of [SAID, ASKED, API_KEY, MODEL_KEY, HOOK_SECRET]) {
      expect(output()).not.toContain(secret);
    }
  });
});
