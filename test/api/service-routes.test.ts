import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StoreBusyError } from '../../src/app/ports/store-busy-error.ts';
import { StoreTroubleError } from '../../src/app/ports/store-trouble-error.ts';
import { StoreUnavailableError } from '../../src/app/ports/store-unavailable-error.ts';
import { type ApiServer, send, startApi } from '../support/api-server.ts';
import { user } from '../support/items.ts';

let api: ApiServer;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

describe('health', () => {
  it('says that the process answers, and that it is ready', async () => {
    expect((await send(api, 'GET', '/healthz')).body).toEqual({
      status: 'ok',
      version: '0.0.0-test',
    });
    expect((await send(api, 'GET', '/readyz')).body).toEqual({ status: 'ready' });
  });

  const well = async () => {};
  const away = () => Promise.reject(new Error('password=x'));
  const full = () => Promise.reject(new StoreTroubleError('full', null));
  it.each([
    ['the store', '', { store: away, queue: well }, 'the store cannot be reached'],
    ['the queue', '', { store: well, queue: away }, 'the queue cannot be reached'],
    ['both', '', { store: away, queue: away }, 'the store and the queue cannot be reached'],
    ['a full disk', '', { store: full, queue: well }, new StoreTroubleError('full', null).message],
    [
      'a full disk beside the queue',
      '',
      { store: full, queue: away },
      `${new StoreTroubleError('full', null).message} the queue cannot be reached`,
    ],
    ['the rest', '?exclude=queue', { store: away, queue: away }, 'the store cannot be reached'],
  ])(
    'says that it is not ready, and names what is away: %s',
    async (_name, query, probes, detail) => {
      const broken = await startApi({ probes });
      try {
        const reply = await send(broken, 'GET', `/readyz${query}`);
        expect(reply.status).toBe(503);
        expect(reply.headers.get('retry-after')).toBe('5');
        expect(reply.body.detail).toBe(detail);
        expect((await send(broken, 'GET', '/healthz')).status).toBe(200);
      } finally {
        await broken.close();
      }
    },
  );

  it('may be asked about all but the queue', async () => {
    const broken = await startApi({ probes: { store: well, queue: away } });
    try {
      expect((await send(broken, 'GET', '/readyz?exclude=queue')).status).toBe(200);
      const reply = await send(broken, 'GET', '/readyz?exclude=everything');
      expect(reply.status).toBe(400);
      expect(reply.body.detail).toMatch(
        /^the query \(exclude\) cannot be used: .*"store", "queue"/,
      );
    } finally {
      await broken.close();
    }
  });
});

describe('the reference', () => {
  it('is a page that loads only files of this server', async () => {
    const page = await send(api, 'GET', '/docs');
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'; script-src 'self'");
    expect(policy).not.toContain('unsafe');
    expect(page.text).not.toMatch(/<script>|<style>|style=| on\w+=|https?:/);
    const files = [...page.text.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path]) => path);
    expect(files).toHaveLength(3);
    for (const path of files) {
      const file = await send(api, 'GET', String(path));
      expect(file.status).toBe(200);
      expect(file.headers.get('content-type')).toMatch(/^text\/(css|javascript)/);
      expect(file.text.length).toBeGreaterThan(50);
    }
  });

  it.each(['/docs/assets/../package.json', '/docs/assets/package.json', '/docs/assets/%2e%2e/x'])(
    'has nothing else at %s',
    async (path) => {
      expect((await send(api, 'GET', path)).status).toBe(404);
    },
  );

  it('is linked from the start', async () => {
    const headers = { accept: 'application/json' };
    expect((await send(api, 'GET', '/', { headers })).body).toMatchObject({
      name: 'palimpsest',
      reference: '/docs',
      openapi: '/openapi.json',
    });
  });
});

describe('what is not there', () => {
  it.each([
    ['/chat/completions', '/v1/chat/completions'],
    ['/responses', '/v1/responses'],
    ['/responses/compact', '/v1/responses/compact'],
    ['/u/my-vllm/chat/completions', '/u/my-vllm/v1/chat/completions'],
    ['/messages', '/v1/messages'],
  ])('POST %s, of a client whose base URL lacks /v1, is told %s', async (path, meant) => {
    const reply = await send(api, 'POST', path, { body: {} });
    expect(reply.status).toBe(404);
    // Where the SDKs of OpenAI and Anthropic, and the AI SDK, look for the words that they show.
    expect(reply.body.error).toMatchObject({
      message: `there is nothing at this path: set the base URL so that this becomes ${meant}, which the gateway serves`,
    });
  });

  it.each(['/v1/v1/messages', '/v1/v1/chat/completions', '/u/my-vllm/v1/v1/messages/count_tokens'])(
    'POST %s, of a client whose base URL has one /v1 too many, is told so',
    async (path) => {
      const reply = await send(api, 'POST', path, { body: {} });
      expect(reply.status).toBe(404);
      expect(reply.body.error).toMatchObject({
        message: 'this path has /v1 twice: leave it out at the end of the base URL',
      });
    },
  );

  it('and so is the SDK of Anthropic that asks for models, in its own words', async () => {
    const headers = { 'anthropic-version': '2023-06-01' };
    const reply = await send(api, 'GET', '/v1/v1/models', { headers });
    expect(reply).toMatchObject({ status: 404, body: { type: 'error' } });
  });

  it.each([
    ['/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse', 'the Gemini API'],
    ['/api/chat', 'Ollama'],
    ['/model/anthropic.claude-sonnet-5-v1%3A0/converse-stream', 'Bedrock'],
  ])('POST %s, of a client that speaks another protocol, is told so', async (path, name) => {
    const reply = await send(api, 'POST', path, { body: {} });
    expect(reply.status).toBe(404);
    expect(reply.body.detail).toBe(
      `there is nothing at this path: it belongs to the protocol of ${name}, which the gateway does not speak: it serves /v1/messages, /v1/chat/completions and /v1/responses`,
    );
  });

  it.each([
    ['/sessions/', '/sessions'],
    ['/SESSIONS', '/sessions'],
    ['/v2/sessions', '/sessions'],
    ['/api/sessions/A', '/sessions/A'],
    ['/api/v1/sessions', '/sessions'],
    ['/session/A/context', '/sessions/A/context'],
  ])('GET %s, which is nearly a path of ours, is told %s', async (path, meant) => {
    const reply = await send(api, 'GET', path);
    expect(reply.status).toBe(404);
    expect(reply.body.detail).toBe(`there is nothing at this path: did you mean ${meant}?`);
  });

  it.each(['/nothing', '/sessions/a/nothing', '/api/nothing', '/v2'])(
    'GET %s is a 404 problem',
    async (path) => {
      const reply = await send(api, 'GET', path);
      expect(reply.status).toBe(404);
      expect(reply.headers.get('content-type')).toBe('application/problem+json');
      expect(reply.body.detail).toBe('there is nothing at this path: /docs lists what there is');
    },
  );

  it.each([
    ['PUT', '/sessions', 'GET, POST, HEAD, OPTIONS'],
    ['POST', '/sessions/a', 'GET, PATCH, DELETE, HEAD, OPTIONS'],
    ['DELETE', '/sessions/a/items', 'GET, POST, HEAD, OPTIONS'],
    ['GET', '/sessions/a/compact', 'POST, OPTIONS'],
    ['POST', '/docs', 'GET, HEAD, OPTIONS'],
    ['PROPFIND', '/healthz', 'GET, HEAD, OPTIONS'],
  ])('%s %s is a 405 problem that says what there is', async (method, path, allow) => {
    const reply = await send(api, method, path);
    expect(reply.status).toBe(405);
    expect(reply.headers.get('allow')).toBe(allow);
    expect(reply.body.detail).toBe(`this path takes ${allow}, not ${method}`);
  });

  it('answers OPTIONS with what a path takes, HEAD like GET without the body', async () => {
    const options = await send(api, 'OPTIONS', '/sessions/a/context');
    expect(options).toMatchObject({ status: 204, text: '' });
    expect(options.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
    expect((await send(api, 'OPTIONS', '/nothing')).status).toBe(404);
    await send(api, 'POST', '/sessions/head/items', { body: user('x') });
    const head = await send(api, 'HEAD', '/sessions/head/context');
    expect(head).toMatchObject({ status: 200, text: '' });
    expect(head.headers.get('etag')).toBe('"2"');
    expect((await send(api, 'HEAD', '/sessions/nobody')).status).toBe(404);
    expect((await send(api, 'HEAD', '/sessions/head/compact')).status).toBe(405);
  });
});

describe('when the store fails', () => {
  const failing = async (error: Error) => {
    const own = await startApi();
    own.deps.store.commit = () => Promise.reject(error);
    const reply = await send(own, 'POST', '/sessions/s/items', { body: user('confidential') });
    await own.close();
    return { reply, logged: own.logged };
  };

  const cause = Object.assign(new Error('cause'), { code: '57P01' });
  const told = { fields: { code: '57P01' }, message: 'the store cannot be reached' };
  it.each([
    ['is locked', new StoreBusyError(cause), /nothing was written, try again/, []],
    [
      'is away',
      new StoreUnavailableError('not_written', cause),
      /nothing was written, try again/,
      [told],
    ],
    [
      'goes',
      new StoreUnavailableError('unknown', cause),
      /not known.*same Idempotency-Key is safe/,
      [told],
    ],
  ])('asks to try again while the store %s', async (_name, error, detail, expected) => {
    const { reply, logged } = await failing(error);
    expect(reply.status).toBe(503);
    expect(reply.headers.get('retry-after')).toBe('1');
    expect(reply.body.detail).toMatch(detail);
    expect(logged).toEqual(expected);
  });

  it('owns up to a bug, shows nothing of it and logs no conversation', async () => {
    const { reply, logged } = await failing(new TypeError('near "confidential": broken'));
    expect(reply.status).toBe(500);
    expect(reply.body).toMatchObject({ type: 'urn:palimpsest:problem:internal-error' });
    expect(reply.text).not.toMatch(/confidential|TypeError|\.ts/);
    expect(logged).toMatchObject([
      {
        message: 'a request failed',
        fields: { error: 'TypeError', method: 'POST', route: '/sessions/:id/items' },
      },
    ]);
    expect(JSON.stringify(logged)).toContain('service-routes.test.ts');
    expect(JSON.stringify(logged)).not.toContain('confidential');
  });
});
