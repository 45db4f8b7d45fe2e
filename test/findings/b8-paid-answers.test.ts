import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { JsonObject } from '../../src/domain/json.ts';
import { SessionClient } from '../e2e/api-client.ts';
import { Speaker, turns } from '../e2e/conversation.ts';
import { answer, compaction, empty, hang } from '../support/scripted-model/behaviour.ts';
import { ScriptedModelServer } from '../support/scripted-model-server.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import { startService } from '../support/start-service.ts';

const usage = z.object({
  input: z.int(),
  output: z.int(),
  cache_read: z.int(),
  cache_creation: z.int(),
});
type Usage = z.infer<typeof usage>;

describe('B8: what was paid for stands in the report', () => {
  let model: ScriptedModelServer;
  let service: ServiceProcess;
  let sessions = 0;
  beforeAll(async () => {
    model = await ScriptedModelServer.start();
    service = await startService({
      OPENAI_API_KEY: 'test',
      OPENAI_BASE_URL: model.openaiUrl,
      PALIMPSEST_SUMMARIZATION_MODEL: 'openai/test-model',
      PALIMPSEST_ALLOWED_MODELS: 'openai/*',
    });
  });
  afterAll(async () => {
    await service.dispose();
    await model.close();
  });

  async function conversation(config: JsonObject, format = 'anthropic'): Promise<SessionClient> {
    sessions += 1;
    const kind = format === 'openai-responses' ? 'openai-responses' : 'anthropic';
    const session = await SessionClient.create(() => service.url, {
      id: `b8-${sessions}`,
      format: kind,
      model: kind === 'anthropic' ? 'claude-sonnet-4-5' : 'gpt-5.4',
      context_window: 32_000,
      config: { protected_tokens: null, ...config },
    });
    await session.append(turns(new Speaker(kind), 'turn', 4, 500));
    return session;
  }

  async function detail(session: SessionClient, id: string) {
    return z
      .looseObject({
        outcome: z.string().nullable(),
        usage: usage.nullable(),
        attempt_history: z.array(
          z.looseObject({ failure: z.looseObject({ usage: usage.nullish() }).nullable() }),
        ),
      })
      .parse(await session.compaction(id));
  }

  /** What one answer to this conversation costs at least. */
  const PROMPT = 2_000;
  const total = (cost: Usage | null) => (cost === null ? 0 : cost.input + cost.cache_read);

  it('when three answers were empty and the log wrote the summary', async () => {
    const session = await conversation({});
    model.script(empty(), empty(), empty());
    const { id } = await session.compact({ mode: 'full' });
    const body = await detail(session, id);
    expect(body).toMatchObject({ outcome: 'full_compacted', summarizer: 'extractive' });
    expect(total(body.usage)).toBeGreaterThan(3 * PROMPT);
    for (const { failure } of body.attempt_history) {
      expect(total(failure?.usage ?? null)).toBeGreaterThan(PROMPT);
    }
  });

  it('when all of them failed', async () => {
    const session = await conversation({ summarizer_fallback: [], summarizer_max_attempts: 2 });
    model.script(answer('OK.'), answer('OK.'));
    const { id } = await session.compact({ mode: 'full' });
    const body = await detail(session, id);
    expect(body.outcome).toBe('failed');
    expect(total(body.usage)).toBeGreaterThan(2 * PROMPT);
    const rollout = await fetch(`${service.url}/sessions/${session.id}/rollout`);
    const failed = (await rollout.text())
      .split('\n')
      .find((line) => line.includes('CompactFailed'));
    const { payload } = z
      .object({ payload: z.record(z.string(), z.json()) })
      .parse(JSON.parse(failed ?? '{}'));
    expect(payload.compaction_input_tokens).toBe(body.usage?.input);
  });

  it('when the second answer was good', async () => {
    const session = await conversation({});
    model.script(answer('...'));
    const { id } = await session.compact({ mode: 'full' });
    const body = await detail(session, id);
    expect(body).toMatchObject({ outcome: 'full_compacted', summarizer: 'model' });
    expect(total(body.usage)).toBeGreaterThan(2 * PROMPT);
  });

  it('when tool results were cleared instead', async () => {
    const session = await conversation({
      summarizer_fallback: ['micro'],
      summarizer_max_attempts: 1,
      micro_compact_min_tokens_to_save: 0,
      micro_compact_keep_last_n_tools: 0,
      micro_compact_target_tokens: 0,
    });
    model.script(answer('OK.'));
    const { id } = await session.compact({ mode: 'full' });
    const body = await detail(session, id);
    expect(body.outcome).toMatch(/micro_compacted|failed/);
    expect(total(body.usage)).toBeGreaterThan(PROMPT);
  });

  it('when somebody cancelled it after a failed attempt', async () => {
    const session = await conversation({});
    model.script(answer('OK.'), hang());
    const { id } = await session.requestCompaction({ mode: 'full' });
    await expect.poll(async () => (await detail(session, id)).attempt_history.length).toBe(2);
    expect((await session.request('POST', `/compactions/${id}/cancel`)).status).toBe(200);
    const body = await detail(session, id);
    expect(body.outcome).toBe('cancelled');
    expect(total(body.usage)).toBeGreaterThan(PROMPT);
  });

  it('when the provider compacted first, and its items were of no use', async () => {
    const session = await conversation({ remote_compaction: true }, 'openai-responses');
    model.script(compaction());
    const { id } = await session.compact({ mode: 'full' });
    const body = await detail(session, id);
    expect(body).toMatchObject({ outcome: 'full_compacted', summarizer: 'model' });
    expect(total(body.usage)).toBeGreaterThan(2 * PROMPT);
  });

  it('without a session, too', async () => {
    const client = new OpenAI({ baseURL: `${service.url}/v1`, apiKey: 'any', maxRetries: 0 });
    const words = Array.from({ length: 2_000 }, (_, n) => `word${n}`).join(' ');
    model.script(answer('OK.'), answer('...'), empty());
    const { usage: paid } = await client.responses.compact({
      model: 'gpt-5.4',
      input: [
        { role: 'user', content: 'Explain the words.' },
        { role: 'assistant', content: words },
      ],
    });
    expect(paid.input_tokens).toBeGreaterThan(3 * PROMPT);
  });
});
