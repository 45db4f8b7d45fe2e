import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ofTokens, user } from '../support/items.ts';
import { ScriptedModelServer } from '../support/scripted-model-server.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import { startService } from '../support/start-service.ts';

/** A server that answers everything as `answer` says, and remembers what it was asked. */
async function listening(answer: { status: number; headers?: Record<string, string> }) {
  const asked: string[] = [];
  const server: Server = createServer((request, response) => {
    asked.push(`${request.url} ${JSON.stringify(request.headers)}`);
    request.resume().on('end', () => response.writeHead(answer.status, answer.headers).end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { asked, origin, close: () => server.close() };
}

async function post(service: ServiceProcess, path: string, body: object, prefer = 'wait=30') {
  const response = await fetch(`${service.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', prefer },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}

const INPUT = [
  { role: 'user', content: 'Explain the parser.' },
  { role: 'assistant', content: ofTokens(4_000) },
  { role: 'user', content: 'And the printer?' },
  { role: 'assistant', content: ofTokens(4_000) },
];

// A control without the list: this endpoint has always gone by what the server chooses.
describe.each([
  ['without a list of models', {}],
  // A local server is set up as well, which the list does not name.
  ['with a list', { PALIMPSEST_ALLOWED_MODELS: 'openai/gpt-4*' }],
])('I6: the model of /v1/responses/compact is held to the same policy, %s', (_way, list) => {
  let spy: Awaited<ReturnType<typeof listening>>;
  let model: ScriptedModelServer;
  let service: ServiceProcess;
  beforeAll(async () => {
    spy = await listening({ status: 404 });
    model = await ScriptedModelServer.start();
    service = await startService({
      GOOGLE_API_KEY: 'operator-key',
      GOOGLE_BASE_URL: `${spy.origin}/v1beta`,
      OPENAI_API_KEY: 'operator-key',
      OPENAI_BASE_URL: model.openaiUrl,
      ...('PALIMPSEST_ALLOWED_MODELS' in list && { OLLAMA_BASE_URL: `${spy.origin}/ollama/v1` }),
      ...list,
    });
  });
  afterAll(async () => {
    await service.dispose();
    await model.close();
    spy.close();
  });
  beforeEach(() => {
    model.requests.length = 0;
  });

  it.each([
    'google/../../internal/admin?x=1#',
    'google/gemini%2f..',
    'gemini-2.5-flash/../../admin',
    'openai/gpt-4o?x=1',
    '../../internal',
    'ollama/x',
    'llama3.3:70b',
    'openrouter/meta-llama/llama-3.3-70b-instruct:floor',
    'gpt-5.4-pro',
    'nobody/gpt-4o',
  ])('%s names no path and no model that nobody allowed', async (name) => {
    const { status } = await post(service, '/v1/responses/compact', { model: name, input: INPUT });
    expect([200, 400, 403, 422]).toContain(status);
    expect(spy.asked.filter((line) => !line.startsWith('/v1beta/models/gemini-'))).toEqual([]);
    for (const { path, body } of model.requests) {
      expect(path).toBe('/v1/chat/completions');
      // The cheapest of the provider: what the server itself would choose, never the client's.
      expect(body.model).not.toBe(name);
    }
  });
});

describe('I6: a provider that has moved', () => {
  const answer = { status: 0, headers: {} };
  let elsewhere: Awaited<ReturnType<typeof listening>>;
  let moved: Awaited<ReturnType<typeof listening>>;
  let service: ServiceProcess;
  beforeAll(async () => {
    elsewhere = await listening({ status: 200 });
    answer.headers = { location: `${elsewhere.origin}/taken` };
    moved = await listening(answer);
    service = await startService({
      OPENAI_API_KEY: 'operator-key',
      OPENAI_BASE_URL: `${moved.origin}/v1`,
      ANTHROPIC_API_KEY: 'operator-key',
      ANTHROPIC_BASE_URL: moved.origin,
      GOOGLE_API_KEY: 'operator-key',
      GOOGLE_BASE_URL: `${moved.origin}/v1beta`,
      GROQ_API_KEY: 'operator-key',
      GROQ_BASE_URL: `${moved.origin}/groq`,
      PALIMPSEST_ALLOWED_MODELS: 'openai/*,anthropic/*,google/*,groq/*,openai-compatible/*',
    });
  });
  afterAll(async () => {
    await service.dispose();
    moved.close();
    elsewhere.close();
  });

  it.each([301, 302, 303, 307, 308])(
    'and answers %i gets no key and no conversation sent elsewhere',
    async (status) => {
      answer.status = status;
      moved.asked.length = 0;
      const models = ['openai/gpt-4o', 'anthropic/claude-haiku-4-5', 'google/gemini-2.5-flash'];
      models.push('groq/llama-3.3-70b-versatile', 'openai-compatible/local');
      for (const [n, name] of models.entries()) {
        const id = `s-${status}-${n}`;
        const config = { summarization_model: name, protected_tokens: null };
        await post(service, '/sessions', { id, config });
        await post(service, `/sessions/${id}/items`, [user('Explain it.'), ...INPUT]);
        const { body } = await post(service, `/sessions/${id}/compact`, { mode: 'full' });
        const report = z.looseObject({ outcome: z.string() }).parse(body);
        expect(report.outcome).toBe('full_compacted');
        expect(moved.asked).toHaveLength(n + 1);
        const { data: events } = z
          .looseObject({ data: z.array(z.looseObject({ type: z.string() })) })
          .parse(await (await fetch(`${service.url}/sessions/${id}/events`)).json());
        const failed = events.filter(({ type }) => type === 'compaction.failed');
        expect(JSON.stringify(failed)).toContain('redirects are not followed');
      }
      expect(elsewhere.asked).toEqual([]);
    },
  );
});

// Without PALIMPSEST_ALLOWED_MODELS: a release that does not know that variable starts, too, and fails by
// what it sends.
it.each([
  ['openai/gpt-4o', 'OPENAI', '/v1'],
  ['anthropic/claude-haiku-4-5', 'ANTHROPIC', ''],
  ['google/gemini-2.5-flash', 'GOOGLE', '/v1beta'],
])(
  "I6: %s as the server's own model, moved to another host, is not followed",
  async (name, provider, path) => {
    const elsewhere = await listening({ status: 200 });
    const moved = await listening({
      status: 307,
      headers: { location: `${elsewhere.origin}/taken` },
    });
    const service = await startService({
      [`${provider}_API_KEY`]: 'operator-key',
      [`${provider}_BASE_URL`]: moved.origin + path,
      PALIMPSEST_SUMMARIZATION_MODEL: name,
    });
    try {
      const config = { protected_tokens: null, summarizer_max_attempts: 1 };
      await post(service, '/sessions', { id: 's', config });
      await post(service, '/sessions/s/items', [user('Explain it.'), ...INPUT]);
      const { body } = await post(service, '/sessions/s/compact', { mode: 'full' });
      expect(body).toMatchObject({ outcome: 'full_compacted' });
      expect(moved.asked).toHaveLength(1);
      expect(elsewhere.asked).toEqual([]);
    } finally {
      await service.dispose();
      moved.close();
      elsewhere.close();
    }
  },
);
