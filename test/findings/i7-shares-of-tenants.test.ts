import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ofTokens } from '../support/items.ts';
import { hang } from '../support/scripted-model/behaviour.ts';
import { ScriptedModelServer } from '../support/scripted-model-server.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import { startService } from '../support/start-service.ts';

describe('I7: jobs in the process are shared among tenants', () => {
  let model: ScriptedModelServer;
  let service: ServiceProcess;
  beforeAll(async () => {
    model = await ScriptedModelServer.start(hang(), hang(), hang());
    service = await startService({
      OPENAI_API_KEY: 'test',
      OPENAI_BASE_URL: model.openaiUrl,
      PALIMPSEST_ALLOWED_MODELS: 'openai/*',
      PALIMPSEST_API_KEYS: 'red:key-of-red,blue:key-of-blue',
    });
  });
  afterAll(async () => {
    await service.dispose();
    await model.close();
  });

  async function compact(tenant: string, id: string, summarizer: string, prefer: string) {
    const post = (path: string, body: object, more: Record<string, string> = {}) =>
      fetch(`${service.url}${path}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer key-of-${tenant}`,
          ...more,
        },
        body: JSON.stringify(body),
      });
    const config = { summarization_model: summarizer, protected_tokens: null };
    expect((await post('/sessions', { id, config })).status).toBe(201);
    await post(`/sessions/${id}/items`, [
      { role: 'user', content: 'Explain it.' },
      { role: 'assistant', content: ofTokens(4_000) },
    ]);
    return post(`/sessions/${id}/compact`, { mode: 'full' }, prefer === '' ? {} : { prefer });
  }

  it('a tenant whose model hangs leaves the others their slot', async () => {
    await compact('red', 'a', 'openai/slow', '');
    await compact('red', 'b', 'openai/slow', '');
    const ended = await compact('blue', 'c', 'extractive', 'wait=10');
    expect(await ended.json()).toMatchObject({ status: 'ended', outcome: 'full_compacted' });
  });
});
