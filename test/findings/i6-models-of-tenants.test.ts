import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { JsonObject } from '../../src/domain/json.ts';
import { ScriptedModelServer } from '../support/scripted-model-server.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import { startService } from '../support/start-service.ts';

describe('I6: a tenant does not steer the key and the network of the operator', () => {
  let spy: Server;
  const asked: string[] = [];
  let model: ScriptedModelServer;
  let strict: ServiceProcess;
  let listed: ServiceProcess;
  beforeAll(async () => {
    spy = createServer((request, response) => {
      asked.push(request.url ?? '');
      response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => spy.listen(0, '127.0.0.1', resolve));
    const address = `http://127.0.0.1:${(spy.address() as AddressInfo).port}/v1beta`;
    model = await ScriptedModelServer.start();
    const providers = {
      GOOGLE_API_KEY: 'operator-key',
      GOOGLE_BASE_URL: address,
      OPENAI_API_KEY: 'operator-key',
      OPENAI_BASE_URL: model.openaiUrl,
    };
    strict = await startService(providers);
    listed = await startService({
      ...providers,
      PALIMPSEST_ALLOWED_MODELS: 'openai/gpt-4*,google/*',
    });
  });
  afterAll(async () => {
    await strict.dispose();
    await listed.dispose();
    await model.close();
    spy.close();
  });

  async function post(service: ServiceProcess, method: string, path: string, body: JsonObject) {
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
    for (const service of [strict, listed]) {
      const config = { summarization_model: name };
      const created = await post(service, 'POST', '/sessions', { config });
      expect(created.status).toBeGreaterThanOrEqual(400);
      expect(created.status).toBeLessThan(500);
      expect(created.detail).toMatch(/summarization_model/);
      const id = `i6-${NAMES.indexOf(name)}`;
      expect((await post(service, 'POST', '/sessions', { id })).status).toBe(201);
      const patched = await post(service, 'PATCH', `/sessions/${id}`, { config });
      expect(patched.status).toBe(created.status);
    }
    expect(asked).toEqual([]);
  });

  it('a model that nobody allowed is refused; one of the list is taken', async () => {
    const dear = { config: { summarization_model: 'openai/gpt-4.1' } };
    expect((await post(strict, 'POST', '/sessions', dear)).detail).toContain(
      'PALIMPSEST_ALLOWED_MODELS',
    );
    expect((await post(listed, 'POST', '/sessions', dear)).status).toBe(201);
    const cheapest = { config: { summarization_model: 'openai/gpt-4o-mini' } };
    expect((await post(strict, 'POST', '/sessions', cheapest)).status).toBe(201);
    const provider = { config: { summarization_model_provider_id: '../x' } };
    expect((await post(listed, 'POST', '/sessions', provider)).detail).toContain('provider');
  });
});
