import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { JsonObject } from '../../src/domain/json.ts';
import { ScriptedModelServer } from '../support/scripted-model-server.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import { startService } from '../support/start-service.ts';

let spy: Server;
const asked: string[] = [];
let model: ScriptedModelServer;
let providers: Record<string, string>;
beforeAll(async () => {
  spy = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => spy.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(spy.address() as AddressInfo).port}/v1beta`;
  model = await ScriptedModelServer.start();
  providers = {
    GOOGLE_API_KEY: 'operator-key',
    GOOGLE_BASE_URL: address,
    OPENAI_API_KEY: 'operator-key',
    OPENAI_BASE_URL: model.openaiUrl,
  };
});
afterAll(async () => {
  await model.close();
  spy.close();
});

// Without the list in the environment: a release that does not know that variable starts, too, and
// fails by what it lets through.
describe.each([
  ['without a list of models', {}],
  ['with a list', { PALIMPSEST_ALLOWED_MODELS: 'openai/gpt-4*,google/*' }],
])('I6: a tenant does not steer the key and the network of the operator, %s', (way, list) => {
  let service: ServiceProcess;
  beforeAll(async () => {
    service = await startService({ ...providers, ...list });
  });
  afterAll(() => service.dispose());

  async function post(method: string, path: string, body: JsonObject) {
    const response = await fetch(`${service.url}${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const { detail = '' } = z
      .looseObject({ detail: z.string().optional() })
      .parse(await response.json());
    return { status: response.status, detail };
  }

  const NAMES = [
    'google/../../internal/admin?x=1#',
    'google/internal/admin',
    'google/gemini%2f..',
    'openai/gpt-4o?x=1',
    'openai//gpt-4o',
    'ollama/x',
    'openrouter/meta-llama/llama-3.3-70b-instruct:floor',
    'nobody/gpt-4o',
  ];

  it.each(NAMES)('%s is refused at create and at PATCH, with words', async (name) => {
    const config = { summarization_model: name };
    const created = await post('POST', '/sessions', { config });
    expect(created.status).toBeGreaterThanOrEqual(400);
    expect(created.status).toBeLessThan(500);
    expect(created.detail).toMatch(/summarization_model/);
    const id = `i6-${NAMES.indexOf(name)}`;
    expect((await post('POST', '/sessions', { id })).status).toBe(201);
    const patched = await post('PATCH', `/sessions/${id}`, { config });
    expect(patched.status).toBe(created.status);
    expect(asked).toEqual([]);
  });

  it('a model that nobody allowed is refused; one of the list is taken', async () => {
    const dear = await post('POST', '/sessions', {
      config: { summarization_model: 'openai/gpt-4.1' },
    });
    if (way === 'with a list') expect(dear.status).toBe(201);
    else expect(dear.detail).toContain('PALIMPSEST_ALLOWED_MODELS');
    const cheapest = { config: { summarization_model: 'openai/gpt-4o-mini' } };
    expect((await post('POST', '/sessions', cheapest)).status).toBe(201);
    const provider = { config: { summarization_model_provider_id: '../x' } };
    expect((await post('POST', '/sessions', provider)).detail).toContain('provider');
  });
});
