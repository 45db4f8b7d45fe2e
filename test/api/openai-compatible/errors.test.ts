import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bracketed } from '../../../src/api/openai-compatible/errors.ts';
import { type ApiServer, send, startApi } from '../../support/api-server.ts';

const PATH = '/v1/responses/compact';
const BODY = { model: 'gpt-5.4', input: 'Hello' };

describe('errors under /v1 have the shape of OpenAI', () => {
  let api: ApiServer;
  const key = { authorization: 'Bearer secret-of-red' };
  beforeAll(async () => {
    api = await startApi({ keys: [{ name: 'red', key: 'secret-of-red' }] });
  });
  afterAll(() => api.close());

  type Expected = { status: number; type?: string; param?: string; code: string; message: RegExp };

  it.each<[string, string, string, Parameters<typeof send>[3], Expected]>([
    [
      'no key',
      'POST',
      PATH,
      { body: BODY, headers: { authorization: '' } },
      { status: 401, code: 'invalid_api_key', message: /send your key as/ },
    ],
    [
      'another key',
      'POST',
      PATH,
      { body: BODY, headers: { authorization: 'Bearer x' } },
      { status: 401, code: 'invalid_api_key', message: /does not know this key/ },
    ],
    [
      'broken JSON',
      'POST',
      PATH,
      { body: '{"model":' },
      { status: 400, code: 'invalid_request', message: /not valid JSON: it ends too early/ },
    ],
    [
      'JSON that is too deep',
      'POST',
      PATH,
      { body: `{"model":"m","input":${'['.repeat(70)}${']'.repeat(70)}}` },
      { status: 400, code: 'invalid_request', message: /nested deeper than 64/ },
    ],
    [
      'no model',
      'POST',
      PATH,
      { body: { input: 'Hello' } },
      { status: 400, param: 'model', code: 'invalid_request', message: /\(model\)/ },
    ],
    [
      'an empty body',
      'POST',
      PATH,
      { body: '' },
      { status: 400, param: 'model', code: 'invalid_request', message: /\(model\)/ },
    ],
    [
      'input of another kind',
      'POST',
      PATH,
      { body: { ...BODY, input: 7 } },
      { status: 400, param: 'input', code: 'invalid_request', message: /\(input\)/ },
    ],
    [
      'an item that is none',
      'POST',
      PATH,
      { body: { ...BODY, input: [{ role: 'user', content: 'a' }, null] } },
      { status: 400, param: 'input[1]', code: 'invalid_item', message: /must be a JSON object/ },
    ],
    [
      'an item that does not fit',
      'POST',
      PATH,
      { body: { ...BODY, input: [{ role: 'user', content: [{ type: 'input_text' }] }] } },
      {
        status: 400,
        param: 'input[0].content[0].text',
        code: 'invalid_item',
        message: /^input\[0\]\.content\[0\]\.text: a text block needs/,
      },
    ],
    [
      'a body that is too large',
      'POST',
      PATH,
      { body: { ...BODY, input: 'x'.repeat(1_000_001) } },
      { status: 413, code: 'body_too_large', message: /1000000 bytes/ },
    ],
    [
      'too many items',
      'POST',
      PATH,
      { body: { ...BODY, input: Array(101).fill({ role: 'user', content: 'a' }) } },
      { status: 413, param: 'input', code: 'too_many_items', message: /101 items.*100/ },
    ],
    [
      'another content type',
      'POST',
      PATH,
      { body: 'x', headers: { 'content-type': 'text/plain' } },
      { status: 415, code: 'unsupported_media_type', message: /application\/json/ },
    ],
    [
      'another method',
      'GET',
      PATH,
      {},
      { status: 405, code: 'method_not_allowed', message: /takes POST, OPTIONS, not GET/ },
    ],
  ])('%s', async (_, method, path, options, { message, ...expected }) => {
    const reply = await send(api, method, path, {
      ...options,
      headers: { ...key, ...options?.headers },
    });
    const { status, ...rest } = expected;
    expect(reply.status).toBe(status);
    expect(reply.headers.get('content-type')).toBe('application/json');
    expect(reply.body).toEqual({
      error: {
        type: 'invalid_request_error',
        param: null,
        ...rest,
        message: expect.stringMatching(message),
      },
    });
  });

  it('keep their headers', async () => {
    const unknown = await send(api, 'POST', PATH, { body: BODY });
    expect(unknown.headers.get('www-authenticate')).toBe('Bearer realm="palimpsest"');
    const options = await send(api, 'OPTIONS', PATH);
    expect([options.status, options.headers.get('allow')]).toEqual([204, 'POST, OPTIONS']);
  });

  it('never quote what they do not need to, however long it is', async () => {
    const reply = await send(api, 'POST', PATH, {
      body: { ...BODY, input: [{ role: 'x'.repeat(5_000), content: 'a' }] },
      headers: key,
    });
    expect(reply.text.length).toBeLessThan(1_000);
  });
});

it('too many requests are a rate limit error, which says how long to wait', async () => {
  const api = await startApi();
  const limits = { ...api.deps.limits, rate_per_minute_per_key: 1 };
  const limited = await startApi({ limits });
  expect((await send(limited, 'POST', PATH, { body: BODY })).status).toBe(200);
  const reply = await send(limited, 'POST', PATH, { body: BODY });
  expect(reply.status).toBe(429);
  expect(reply.headers.get('retry-after')).toBe('60');
  expect(reply.body.error).toMatchObject({
    type: 'rate_limit_error',
    code: 'rate_limit_exceeded',
  });
  await limited.close();
  await api.close();
});

it('a page of another site is refused while no key is asked for', async () => {
  const api = await startApi();
  const headers = { origin: 'https://elsewhere.example' };
  const reply = await send(api, 'POST', PATH, { body: BODY, headers });
  expect(reply.status).toBe(403);
  expect(reply.body.error).toMatchObject({ code: 'cross_site_request', param: null });
  await api.close();
});

it('a mistake of ours shows nothing of what went wrong, and is logged', async () => {
  const api = await startApi({
    summarize: async () => {
      throw new Error('a secret');
    },
  });
  const input = [{ role: 'assistant', content: 'x'.repeat(9_000) }];
  const reply = await send(api, 'POST', PATH, { body: { ...BODY, input } });
  expect(reply.status).toBe(500);
  expect(reply.body.error).toMatchObject({ type: 'server_error', code: 'internal_error' });
  expect(reply.text).not.toContain('secret');
  expect(api.logged).toMatchObject([{ fields: { route: PATH } }]);
  await api.close();
});

it.each([
  ['input.3.role', 'input[3].role'],
  ['input.0.content.12.text', 'input[0].content[12].text'],
  ['input.7', 'input[7]'],
  ['model', 'model'],
  ['a.1b', 'a.1b'],
])('%s is written %s', (path, expected) => {
  expect(bracketed(path)).toBe(expected);
});
