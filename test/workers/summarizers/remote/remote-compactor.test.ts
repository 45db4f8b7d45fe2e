import OpenAI from 'openai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Item } from '../../../../src/domain/items/item.ts';
import {
  type RemoteRequest,
  remoteCompactor,
} from '../../../../src/workers/summarizers/remote/remote-compactor.ts';
import {
  answer,
  type Behaviour,
  compaction,
  cut,
  hang,
  status,
  streamError,
  tooLong,
  unfinished,
} from '../../../support/scripted-model/behaviour.ts';
import { opaqueItem } from '../../../support/scripted-model/compaction.ts';
import { ScriptedModelServer } from '../../../support/scripted-model-server.ts';

let server: ScriptedModelServer;
beforeEach(async () => {
  server = await ScriptedModelServer.start();
});
afterEach(() => server.close());

const KEY = 'sk-secret';
const INPUT: Item[] = [
  { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Fix the parser.' }] },
  { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Done.' }] },
];
const OPAQUE = opaqueItem();
const NO_ENDPOINT = status(404);

function compactor() {
  return remoteCompactor({ OPENAI_API_KEY: KEY, OPENAI_BASE_URL: `${server.openaiUrl}/` });
}

function request(overrides: Partial<RemoteRequest> = {}): RemoteRequest {
  const signal = new AbortController().signal;
  return {
    model: 'gpt-5.4',
    input: INPUT,
    instructions: 'Be brief.',
    timeout_ms: 30_000,
    signal,
    ...overrides,
  };
}

const paths = () => server.requests.map(({ path }) => path);

describe('remoteCompactor', () => {
  it('asks the endpoint: model, input and instructions', async () => {
    const [user] = INPUT;
    expect(await compactor()(request())).toEqual({
      ok: true,
      output: [user, expect.objectContaining({ type: 'compaction' })],
      usage: { input: 6, output: expect.any(Number), cache_read: 2, cache_creation: 0 },
    });
    const [sent] = server.requests;
    expect(sent?.path).toBe('/v1/responses/compact');
    expect(sent?.headers.authorization).toBe(`Bearer ${KEY}`);
    expect(sent?.body).toEqual({ model: 'gpt-5.4', input: INPUT, instructions: 'Be brief.' });
  });

  it('leaves instructions out that there are none of', async () => {
    await compactor()(request({ instructions: null }));
    expect(server.requests[0]?.body).toEqual({ model: 'gpt-5.4', input: INPUT });
  });

  it.each([404, 405])('sends the trigger where there is no endpoint (HTTP %i)', async (code) => {
    server.script(status(code), compaction(OPAQUE));
    const found = await compactor()(request());
    expect(found).toMatchObject({ ok: true, output: [OPAQUE], usage: { cache_read: 2 } });
    expect(server.requests[1]?.path).toBe('/v1/responses');
    expect(server.requests[1]?.body).toEqual({
      model: 'gpt-5.4',
      input: [...INPUT, { type: 'compaction_trigger' }],
      instructions: 'Be brief.',
      stream: true,
      store: false,
    });
  });

  it('remembers that there is no endpoint, once the trigger has worked', async () => {
    server.script(NO_ENDPOINT, status(404), NO_ENDPOINT, compaction(OPAQUE), compaction(OPAQUE));
    const compact = compactor();
    // Nobody knows the model: that says nothing about the endpoint.
    expect(await compact(request())).toMatchObject({ ok: false, retryable: false });
    await compact(request());
    await compact(request());
    expect(paths()).toEqual([
      '/v1/responses/compact',
      '/v1/responses',
      '/v1/responses/compact',
      '/v1/responses',
      '/v1/responses',
    ]);
  });

  const FAILURES: [string, Behaviour[], object][] = [
    ['400', [status(400)], { reason: 'api_error', retryable: false }],
    ['401', [status(401)], { reason: 'api_error', retryable: false }],
    ['403', [status(403)], { reason: 'api_error', retryable: false }],
    [
      '429, with the wait that the provider asks for',
      [status(429, { retryAfter: 7 })],
      { reason: 'api_error', retryable: true, retry_after_ms: 7_000 },
    ],
    ['500', [status(500)], { reason: 'api_error', retryable: true }],
    ['an input that is too long', [tooLong()], { reason: 'prompt_too_long', retryable: false }],
    ['a connection that breaks', [cut('', 0)], { reason: 'api_error', retryable: true }],
    ['no form at all', [NO_ENDPOINT, NO_ENDPOINT], { reason: 'api_error', retryable: false }],
    ['trigger: 429', [NO_ENDPOINT, status(429)], { reason: 'api_error', retryable: true }],
    ['trigger: 400', [NO_ENDPOINT, status(400)], { reason: 'api_error', retryable: false }],
    ['trigger: a cut stream', [NO_ENDPOINT, cut('', 0)], { reason: 'api_error', retryable: true }],
    [
      'trigger: a stream without response.completed',
      [NO_ENDPOINT, unfinished('')],
      { reason: 'api_error', retryable: true },
    ],
    [
      'trigger: an error inside the stream',
      [NO_ENDPOINT, streamError()],
      { reason: 'api_error', retryable: true },
    ],
  ];

  it.each(FAILURES)('a failure: %s', async (_name, script, expected) => {
    server.script(...script);
    const found = await compactor()(request());
    expect(found).toMatchObject({ ok: false, ...expected });
    // Providers quote the request, and keys are secrets (SPEC section 19).
    expect(JSON.stringify(found)).not.toMatch(/parser|sk-secret/);
  });

  it('hands on what a server answers that knows no compaction: the check is not its business', async () => {
    server.script(NO_ENDPOINT, compaction());
    expect(await compactor()(request())).toMatchObject({ ok: true, output: [] });
    server.script(answer('Hello!'));
    expect(await compactor()(request())).toMatchObject({ ok: true, output: [{ type: 'message' }] });
  });

  it('gives up after its time', async () => {
    server.script(hang());
    const found = await compactor()(request({ timeout_ms: 20 }));
    expect(found).toMatchObject({ ok: false, reason: 'timeout', retryable: true });
  });

  it('stops when it is told to', async () => {
    server.script(hang());
    const controller = new AbortController();
    const running = compactor()(request({ signal: controller.signal }));
    await server.received(1);
    controller.abort();
    expect(await running).toMatchObject({ ok: false, reason: 'interrupted' });
  });

  it('without a key it says which one is missing', async () => {
    const found = await remoteCompactor({})(request());
    const message = 'provider openai needs OPENAI_API_KEY';
    expect(found).toEqual({ ok: false, reason: 'api_error', message, retryable: false });
  });
});

/** The official client proves that the test server speaks the provider's language. */
describe('the scripted provider', () => {
  it('compacts by the endpoint and by the trigger', async () => {
    const openai = new OpenAI({ apiKey: 'k', baseURL: server.openaiUrl, maxRetries: 0 });
    const messages = [{ role: 'user' as const, content: 'hello' }];
    const whole = await openai.responses.compact({ model: 'm', input: messages });
    expect(whole.output.map(({ type }) => type)).toEqual([undefined, 'compaction']);
    const types: string[] = [];
    let total = 0;
    for await (const event of await openai.responses.create({
      model: 'm',
      stream: true,
      store: false,
      input: [...messages, { type: 'compaction_trigger' }],
    })) {
      if (event.type === 'response.output_item.done') types.push(event.item.type);
      if (event.type === 'response.completed') total = event.response.usage?.total_tokens ?? 0;
    }
    expect(types).toEqual(['compaction']);
    expect(total).toBeGreaterThan(0);
  });
});
