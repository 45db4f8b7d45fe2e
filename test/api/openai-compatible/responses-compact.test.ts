import OpenAI, { APIUserAbortError, BadRequestError } from 'openai';
import type {
  CompactedResponse,
  ResponseCompactParams,
  ResponseInputItem,
} from 'openai/resources/responses/responses';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { AppDependencies } from '../../../src/api/app-dependencies.ts';
import { OpaqueContent } from '../../../src/app/opaque-content.ts';
import type { Item } from '../../../src/domain/items/item.ts';
import { openaiResponsesCodec } from '../../../src/domain/items/openai-responses/codec.ts';
import { summarizeNow } from '../../../src/workers/summarize-now.ts';
import { summarizerChooser } from '../../../src/workers/summarizers/registry.ts';
import { loadTemplates } from '../../../src/workers/templates.ts';
import { type ApiServer, send, startApi } from '../../support/api-server.ts';
import { ofTokens } from '../../support/items.ts';
import { answer, status } from '../../support/scripted-model/behaviour.ts';
import { ScriptedModelServer } from '../../support/scripted-model-server.ts';
import { summaryAnswer } from '../../support/summary-text.ts';
import { unobserved } from '../../support/unobserved.ts';

const SECRET = 'a secret of thirty-two characters';
const MEGABYTE = 1_000_000;
const MODEL = 'gpt-5.4';
const items = z.array(z.record(z.string(), z.json()));
type Input = ResponseInputItem[];

function clientOf(api: ApiServer, apiKey = 'any'): OpenAI {
  return new OpenAI({ baseURL: `${api.url}/v1`, apiKey, maxRetries: 0 });
}

/** What the compaction item of an answer stands for. */
async function opened(response: CompactedResponse, tenant = 'local'): Promise<Item[]> {
  const item = response.output.at(-1);
  if (item?.type !== 'compaction') throw new Error('the last item is no compaction item');
  const opaque = new OpaqueContent(SECRET, []);
  return (await opaque.open(tenant, item.encrypted_content, MEGABYTE)).items;
}

/** As the SDK's users feed an output back: unchanged. */
function asInput({ output }: CompactedResponse): Input {
  // The SDK types outputs and inputs apart, although the API takes one as the other.
  return output as Input;
}

const user = (content: string): ResponseInputItem => ({ role: 'user', content });
const said = (text: string): ResponseInputItem => ({
  type: 'message',
  id: 'msg_1',
  status: 'completed',
  role: 'assistant',
  content: [{ type: 'output_text', text, annotations: [] }],
});
const call = (id: string, path: string): ResponseInputItem => ({
  type: 'function_call',
  call_id: id,
  name: 'read_file',
  arguments: JSON.stringify({ path }),
});
const output = (id: string, text: string): ResponseInputItem => ({
  type: 'function_call_output',
  call_id: id,
  output: text,
});

const CONVERSATION: Input = [
  { role: 'developer', content: 'You are a careful engineer.' },
  user('Why does src/parser.ts fail on empty input?'),
  { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'opaque' },
  call('c1', 'src/parser.ts'),
  output('c1', `export function parse() {}\n${ofTokens(3_000)}`),
  said('It reads the first token without a check. I decided to return an empty tree.'),
  user('Then fix it, and keep the public signature.'),
  said(`Done in src/parser.ts. ${ofTokens(400)}`),
];
const USERS = [CONVERSATION[1], CONVERSATION[6]];

describe('client.responses.compact() of the official SDK', () => {
  let api: ApiServer;
  let client: OpenAI;
  const compact = (input: ResponseCompactParams['input'], more: object = {}) =>
    client.responses.compact({ model: MODEL, input: input ?? null, ...more });

  beforeAll(async () => {
    api = await startApi({ compactionSecret: SECRET });
    client = clientOf(api);
  });
  afterAll(async () => {
    expect(api.logged).toEqual([]);
    await api.close();
  });

  it('answers one compaction item', async () => {
    const response = await compact(CONVERSATION);
    expect(response).toMatchObject({
      id: expect.stringMatching(/^resp_[0-9a-f]{32}$/),
      object: 'response.compaction',
      created_at: Date.parse('2026-01-02T03:04:05Z') / 1000,
    });
    expect(response.output).toEqual([
      {
        id: expect.stringMatching(/^cmp_[0-9a-f]{32}$/),
        type: 'compaction',
        encrypted_content: expect.stringMatching(/^pal1\./),
      },
    ]);
    expect(response.usage).toEqual({
      input_tokens: 0,
      input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
      output_tokens: 0,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 0,
    });
    const content = await opened(response);
    expect(content.slice(0, 3)).toEqual([CONVERSATION[0], ...USERS]);
    expect(content).toHaveLength(4);
    expect(JSON.stringify(content[3])).toContain('src/parser.ts');
  });

  it('takes its output back, round after round, and loses nothing on the way', async () => {
    const first = await compact(CONVERSATION);
    const second = await compact([
      ...asInput(first),
      user('Add a test in test/parser.test.ts.'),
      said(`Added. ${ofTokens(2_000)}`),
    ]);
    expect(second.output).toHaveLength(1);
    expect((await opened(second)).slice(1, -1)).toEqual([
      ...USERS,
      user('Add a test in test/parser.test.ts.'),
    ]);
    const third = await compact([
      ...asInput(second),
      user('Now the changelog.'),
      said(`Written to CHANGELOG.md. ${ofTokens(2_000)}`),
    ]);
    expect(third.output.filter(({ type }) => type === 'compaction')).toHaveLength(1);
    const content = await opened(third);
    expect(content[0]).toEqual(CONVERSATION[0]);
    const summary = JSON.stringify(content.at(-1));
    for (const name of ['src/parser.ts', 'test/parser.test.ts', 'CHANGELOG.md']) {
      expect(summary).toContain(name);
    }
    const rendered = items.parse(JSON.parse(JSON.stringify(third.output)));
    expect(openaiResponsesCodec.violations(rendered)).toEqual([]);
  });

  it('needs nothing but the compaction item, which is all that some clients keep', async () => {
    const kept = asInput(await compact(CONVERSATION)).slice(-1);
    const next = await compact([...kept, user('Go on.'), said(ofTokens(2_000))]);
    expect((await opened(next)).slice(0, -1)).toEqual([CONVERSATION[0], ...USERS, user('Go on.')]);
  });

  it('carries on what it stands for while nothing is new', async () => {
    const first = await compact(CONVERSATION);
    const again = await compact(asInput(first));
    expect(await opened(again)).toEqual(await opened(first));
  });

  it('takes a text, and carries what is short as it is', async () => {
    const response = await compact('Hello');
    const message = {
      type: 'message',
      role: 'user',
      content: [{ type: 'input_text', text: 'Hello' }],
    };
    expect(response.output).toMatchObject([{ type: 'compaction' }]);
    expect(await opened(response)).toEqual([message]);
  });

  it('leaves open calls after the compaction item, where their outputs will follow', async () => {
    const open = call('c9', 'src/lexer.ts');
    const first = await compact([...CONVERSATION, open]);
    expect(first.output.at(-1)).toEqual(open);
    expect(first.output.at(-2)).toMatchObject({ type: 'compaction' });
    const next = await compact([...asInput(first), output('c9', ofTokens(2_000)), said('I see.')]);
    expect(JSON.stringify(await opened(next))).toContain('src/lexer.ts');
  });

  it('takes items of types that it does not know, and compaction items of others', async () => {
    const unknown = { type: 'mystery_call', id: 'm1', payload: { a: [1] } };
    const foreign = { type: 'compaction', id: 'cmp_x', encrypted_content: 'gAAAAABk' };
    // The SDK's types know neither.
    const input = [unknown, foreign, ...CONVERSATION] as Input;
    const { output } = await compact(input);
    expect(output).toHaveLength(1);
    expect(output).not.toContainEqual(foreign);
  });

  it('knows compaction items by their older name too', async () => {
    const older = (item: object) => ({ ...item, type: 'compaction_summary' });
    const foreign = older({ id: 'cmp_x', encrypted_content: 'gAAAAABk' });
    // The SDK's types do not know it.
    const first = await compact([foreign, ...CONVERSATION] as Input);

    const ours = first.output.find(({ type }) => type === 'compaction');
    const again = await compact([older(ours ?? {}), said('Go on.')] as Input);
    expect((await opened(again))[0]).toEqual(foreign);
    expect(JSON.stringify(await opened(again))).toContain('src/parser.ts');
  });

  it('ignores what it does not know of, and what has no meaning here', async () => {
    const response = await compact(CONVERSATION, {
      prompt_cache_key: 'k',
      prompt_cache_options: { ttl: '30m' },
      service_tier: 'auto',
      previous_response_id: null,
      instructions: null,
      tools: [{ type: 'function' }],
      client_metadata: { thread: 1 },
    });
    expect(response.output).toHaveLength(1);
  });

  it.each([null, [], '', '  '])('refuses %j: there is nothing to compact', async (input) => {
    await expect(compact(input)).rejects.toMatchObject({
      status: 400,
      code: 'nothing_to_compact',
      param: 'input',
      type: 'invalid_request_error',
    });
  });

  it('says that it keeps no responses', async () => {
    const asked = compact(CONVERSATION, { previous_response_id: 'resp_1' });
    await expect(asked).rejects.toBeInstanceOf(BadRequestError);
    await expect(asked).rejects.toMatchObject({
      code: 'previous_response_not_found',
      param: 'previous_response_id',
      message: expect.stringContaining('send the conversation as input'),
    });
    await expect(compact([{ type: 'item_reference', id: 'msg_1' }])).rejects.toMatchObject({
      status: 400,
      code: 'item_not_found',
      param: 'input[0]',
    });
  });

  it('compacts a long conversation', async () => {
    const large = await startApi({
      compactionSecret: SECRET,
      limits: { ...api.deps.limits, body_bytes: 16 * MEGABYTE, items_per_request: 10_000 },
    });
    const input: Input = Array.from({ length: 1_500 }, (_, turn) => [
      user(`Question ${turn} about src/file-${turn}.ts`),
      call(`c${turn}`, `src/file-${turn}.ts`),
      output(`c${turn}`, `line ${turn} `.repeat(600)),
      said(`Answer ${turn}.`),
    ]).flat();
    const response = await clientOf(large).responses.compact({ model: MODEL, input });
    await large.close();
    expect((await opened(response)).at(-2)).toEqual(user('Question 1499 about src/file-1499.ts'));
    expect(JSON.stringify(response).length).toBeLessThan(JSON.stringify(input).length / 20);
  });

  it('leaves sessions alone: an item of ours is stored and comes back as it came', async () => {
    const [item] = asInput(await compact(CONVERSATION)).slice(-1);
    await send(api, 'POST', '/sessions', { body: { id: 's', format: 'openai-responses' } });
    await send(api, 'POST', '/sessions/s/items', { body: [item, user('Go on.')] });
    const { body } = await send(api, 'GET', '/sessions/s/context');
    expect(body.items).toEqual([item, user('Go on.')]);
  });
});

describe('content that is not to be trusted', () => {
  let api: ApiServer;
  const red = 'key-of-red';
  const blue = 'key-of-blue';
  const compact = (input: Input, key: string) =>
    clientOf(api, key).responses.compact({ model: MODEL, input });
  beforeAll(async () => {
    const keys = [
      { name: 'red', key: red },
      { name: 'blue', key: blue },
    ];
    api = await startApi({ compactionSecret: SECRET, keys });
  });
  afterAll(() => api.close());

  const refused = {
    status: 400,
    code: 'invalid_encrypted_content',
    param: 'input[1].encrypted_content',
    message: expect.stringMatching(/input\[1\]\.encrypted_content cannot be used: it was changed/),
  };

  it('of another tenant is refused, and says nothing', async () => {
    const response = await compact(CONVERSATION, red);
    const kept = asInput(response).slice(-1);
    await expect(compact([user('What was this?'), ...kept], blue)).rejects.toMatchObject(refused);
    expect((await compact([user('What was this?'), ...kept], red)).output).toHaveLength(1);
    expect(await opened(response, 'red')).toHaveLength(4);
  });

  it.each<[string, (content: string) => string]>([
    ['changed', (content) => content.replace(/.$/, (end) => (end === 'A' ? 'B' : 'A'))],
    ['forged', () => `pal1.${'A'.repeat(100)}`],
  ])('that was %s is refused, with its place', async (_, change) => {
    const item = (await compact(CONVERSATION, red)).output.at(-1);
    if (item?.type !== 'compaction') throw new Error('there is no compaction item');
    const encrypted_content = change(item.encrypted_content);
    await expect(
      compact([user('x'), { type: 'compaction', encrypted_content }], red),
    ).rejects.toMatchObject(refused);
  });

  it('that grows beyond the limit of a body is refused, however little it is', async () => {
    const opaque = new OpaqueContent(SECRET, []);
    const half = [{ role: 'user', content: 'a'.repeat(600_000) }];
    const encrypted_content = await opaque.seal('red', { items: half }, MEGABYTE);
    const item = { type: 'compaction', encrypted_content } as const;
    expect((await compact([item, user('x')], red)).output).toHaveLength(1);
    await expect(compact([item, item, user('x')], red)).rejects.toMatchObject({
      status: 413,
      code: 'content_too_large',
      param: 'input[1].encrypted_content',
    });
  });
});

describe('with a model', () => {
  let model: ScriptedModelServer;
  let api: ApiServer;
  let overrides: AppDependencies['world']['server'];
  const failures: string[] = [];
  beforeAll(async () => {
    model = await ScriptedModelServer.start();
  });
  afterAll(() => model.close());
  beforeEach(async () => {
    overrides = {};
    failures.splice(0);
    model.requests.splice(0);
    api = await startApi({
      compactionSecret: SECRET,
      world: {
        get server() {
          return overrides;
        },
        tokenizers: {},
      },
      summarize: summarizeNow({
        templates: loadTemplates(),
        chooseSummarizer: summarizerChooser(null, {
          OPENAI_API_KEY: 'test',
          OPENAI_BASE_URL: model.openaiUrl,
        }),
        now: () => new Date(0),
        random: () => 0,
        observe: unobserved,
        onFailure: (message) => failures.push(message),
      }),
    });
    return () => api.close();
  });
  const compact = (input: Input, more: object = {}) =>
    clientOf(api).responses.compact({ model: MODEL, input, ...more });
  const prompt = (index: number) => JSON.stringify(model.requests[index]?.body);

  it('the one that sessions of that model have writes the summary, and its usage is told', async () => {
    model.script(answer(summaryAnswer('The parser was mended.')));
    const response = await compact(CONVERSATION, { instructions: 'Mind the public signature.' });
    expect(JSON.stringify(await opened(response))).toContain('The parser was mended.');
    expect(model.requests).toHaveLength(1);
    expect(model.requests[0]?.body.model).toBe('gpt-4o-mini');
    expect(prompt(0)).toContain('Why does src/parser.ts fail on empty input?');
    expect(prompt(0)).toContain('Additional instructions\\n\\nMind the public signature.');
    const { usage } = response;
    expect(usage.input_tokens).toBeGreaterThan(3_000);
    expect(usage.input_tokens_details.cached_tokens).toBe(Math.floor(usage.input_tokens / 4));
    expect(usage.output_tokens).toBeGreaterThan(5);
    expect(usage.total_tokens).toBe(usage.input_tokens + usage.output_tokens);
  });

  it('summaries chain: the next one is made from the last', async () => {
    model.script(answer(summaryAnswer('FIRST SUMMARY')), answer(summaryAnswer('SECOND SUMMARY')));
    const first = await compact(CONVERSATION);
    const second = await compact([...asInput(first), user('More.'), said(ofTokens(2_000))]);
    expect(prompt(1)).toContain('FIRST SUMMARY');
    expect(prompt(1)).not.toContain('Done in src/parser.ts');
    const content = JSON.stringify(await opened(second));
    expect(content).toContain('SECOND SUMMARY');
    expect(content).not.toContain('FIRST SUMMARY');
  });

  it('is asked again after a failure that may pass', async () => {
    model.script(status(500), answer(summaryAnswer('AFTER ALL')));
    expect(JSON.stringify(await opened(await compact(CONVERSATION)))).toContain('AFTER ALL');
    expect(model.requests).toHaveLength(2);
  });

  it('that fails for good gives way to the summary from the log', async () => {
    model.script(status(401));
    const response = await compact(CONVERSATION);
    expect(JSON.stringify(await opened(response))).toContain('src/parser.ts');
    expect(response.usage.total_tokens).toBe(0);
    expect(model.requests).toHaveLength(1);
    expect(failures).toEqual([expect.stringMatching(/^openai: .*401/)]);
  });

  it('that asks for too much patience does, too', async () => {
    model.script(status(429, { retryAfter: 60 }));
    expect((await compact(CONVERSATION)).output).toHaveLength(1);
    expect(model.requests).toHaveLength(1);
  });

  it('that fails is told where nothing else is allowed', async () => {
    overrides = { summarizer_fallback: [] };
    model.script(status(401));
    await expect(compact(CONVERSATION)).rejects.toMatchObject({
      status: 503,
      type: 'server_error',
      code: 'summarizer_failed',
      message: expect.stringMatching(/no summary could be written: openai: .*401/),
    });
  });

  it('that answers more than it read gives way to the summary from the log', async () => {
    const words = Array.from({ length: 4_000 }, (_, n) => `w${n}`).join(' ');
    model.script(answer(summaryAnswer(words)), answer(summaryAnswer(words)));
    const response = await compact(CONVERSATION);
    expect(model.requests).toHaveLength(2);
    expect(JSON.stringify(await opened(response))).toContain('src/parser.ts');
    expect(JSON.stringify(await opened(response))).not.toContain('w3999');
    expect(response.usage.output_tokens).toBeGreaterThan(1_000);
  });

  it('is not asked for what is too short to get any shorter', async () => {
    await compact([user('Hello'), said('Hello!')]);
    expect(model.requests).toEqual([]);
  });

  it('compaction that the operator has switched off is refused', async () => {
    overrides = { enabled: false };
    await expect(compact(CONVERSATION)).rejects.toMatchObject({
      status: 400,
      code: 'compaction_disabled',
    });
  });

  it('loads the tokenizer that the operator has chosen', async () => {
    const tokenized = await startApi({ compactionSecret: SECRET });
    Object.assign(tokenized.deps.world.server, { token_counter: 'o200k_base' });
    const response = await clientOf(tokenized).responses.compact({
      model: MODEL,
      input: CONVERSATION,
    });
    expect(response.output).toHaveLength(1);
    expect(tokenized.deps.world.tokenizers.o200k_base).toBeDefined();
    await tokenized.close();
  });
});

it('ends its work when the client goes away', async () => {
  let isAsked = (_: AbortSignal) => {};
  const asked = new Promise<AbortSignal>((resolve) => {
    isAsked = resolve;
  });
  const api = await startApi({
    summarize: async (_, signal) => {
      isAsked(signal);
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      return { ok: false, message: 'interrupted' };
    },
  });
  const controller = new AbortController();
  const request = clientOf(api).responses.compact(
    { model: MODEL, input: CONVERSATION },
    { signal: controller.signal },
  );
  const signal = await asked;
  expect(signal.aborted).toBe(false);
  controller.abort();
  await expect(request).rejects.toBeInstanceOf(APIUserAbortError);
  await expect.poll(() => signal.aborted).toBe(true);
  await api.close();
  expect(api.logged).toEqual([]);
});
