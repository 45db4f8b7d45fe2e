import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApp } from '../../src/api/create-app.ts';
import { createWorkerApp } from '../../src/api/create-worker-app.ts';
import { type ApiServer, send, startApi } from '../support/api-server.ts';
import { user } from '../support/items.ts';
import { operationsOf } from '../support/openapi-fuzzer/document.ts';

let api: ApiServer;
beforeAll(async () => {
  api = await startApi();
  await send(api, 'POST', '/sessions/s/items', { body: user('Hello') });
});
afterAll(() => api.close());

async function refusal(method: string, path: string, body?: unknown): Promise<string> {
  const reply = await send(api, method, path, body === undefined ? {} : { body });
  expect([path, reply.status]).toEqual([path, 400]);
  expect(reply.headers.get('content-type')).toBe('application/problem+json');
  return String(reply.body.detail);
}

describe('A11: a query parameter that a route does not have is refused', () => {
  it('does not compact where the caller asked for a dry run in the query', async () => {
    const before = await send(api, 'GET', '/sessions/s');
    const detail = await refusal('POST', '/sessions/s/compact?dry_run=true', {});
    expect(detail).toBe(
      'the query cannot be used: "dry_run": unknown query parameter: "dry_run" is a field of the ' +
        'JSON body, send it there',
    );
    expect((await send(api, 'GET', '/sessions/s')).body.version).toBe(before.body.version);
  });

  it.each([
    ['GET', '/sessions/s/context?wiat=compaction', 'did you mean "wait"?'],
    ['GET', '/sessions/s/context?WAIT=compaction', 'did you mean "wait"?'],
    ['GET', '/sessions/s/context?fromat=anthropic', 'did you mean "format"?'],
    ['GET', '/sessions/s/items?q=lexer', 'this path takes after, cursor, limit'],
    ['GET', '/sessions/s/items?Limit=1', 'did you mean "limit"?'],
    ['GET', '/sessions/s/items?limit=1&limit=2', '"limit": is given more than once: send it once'],
    ['GET', '/sessions?page=2', 'this path takes limit, cursor'],
    ['GET', '/sessions/s/events?type=item.appended', 'did you mean "types"?'],
    ['GET', '/sessions/s/rollout?limit=1', 'this path takes no query parameters'],
    ['POST', '/sessions/s/compact?wait=10', 'this path takes no query parameters'],
    ['POST', '/sessions/s/compact?dryRun=1', 'did you mean "dry_run"? "dry_run" is a field of'],
    ['POST', '/sessions/s/items?idempotency_key=k', '"idempotency-key" is a header'],
    ['POST', '/sessions?context_window=32000', '"context_window" is a field of the JSON body'],
    ['GET', '/readyz?exclud=queue', 'did you mean "exclude"?'],
    ['GET', '/sessions/s/items?__proto__=1', 'this path takes after, cursor, limit'],
    ['GET', '/sessions/s/items?=1', 'this path takes after, cursor, limit'],
  ])('%s %s says what to do', async (method, path, hint) => {
    const body = method === 'POST' ? user('Never appended') : undefined;
    expect(await refusal(method, path, body)).toContain(hint);
  });

  it('names each unknown parameter once, and lists them as errors', async () => {
    const reply = await send(api, 'GET', '/sessions/s/items?limti=1&limti=2&q=3');
    expect(reply.body.errors).toEqual([
      { path: 'limti', message: 'unknown query parameter: did you mean "limit"?' },
      {
        path: 'q',
        message: 'unknown query parameter; this path takes after, cursor, limit',
      },
    ]);
  });

  it('refuses a stream with one before it begins', async () => {
    const headers = { accept: 'text/event-stream' };
    const reply = await send(api, 'GET', '/sessions/s/events?form=1', { headers });
    expect(reply.status).toBe(400);
  });

  it('holds on every route of the document', async () => {
    const { body: document } = await send(api, 'GET', '/openapi.json');
    const checked: string[] = [];
    for (const { method, path } of operationsOf(document)) {
      if (path.startsWith('/v1/')) continue;
      const filled = path.replaceAll(/\{\w+\}/g, 's');
      await refusal(method, `${filled}?surely_unknown=1`, method === 'GET' ? undefined : {});
      checked.push(path);
    }
    expect(checked.length).toBeGreaterThan(20);
  });

  it('holds on every route of the router, those without a place in the document too', async () => {
    const apps = [createApp(api.deps), createWorkerApp(api.deps)];
    // Else / is a page.
    const headers = { accept: 'application/json' };
    const checked: string[] = [];
    for (const app of apps) {
      for (const { method, path } of app.routes) {
        // Pages are for people, whose links may carry what others have added to them.
        if (/^\/(?:v1|admin|inspect)\//.test(path) || method === 'ALL') continue;
        const url = `http://localhost${path.replaceAll(/:\w+/g, 's')}?surely_unknown=1`;
        const response = await app.request(url, { method, headers });
        expect([method, path, response.status]).toEqual([method, path, 400]);
        checked.push(path);
      }
    }
    expect(checked).toEqual(expect.arrayContaining(['/', '/docs', '/openapi.json', '/healthz']));
  });

  it('lets clients of the OpenAI API add their own', async () => {
    const body = { model: 'gpt-5.4', input: 'Hello' };
    const reply = await send(api, 'POST', '/v1/responses/compact?api-version=1&a=1&a=2', { body });
    expect(reply.status).toBe(200);
  });
});

describe('A11: an unknown field of a body', () => {
  it.each([
    ['POST', '/sessions', { contxt_window: 1 }, 'did you mean "context_window"?'],
    ['POST', '/sessions', { contextWindow: 1 }, 'did you mean "context_window"?'],
    ['POST', '/sessions', { config: { enbled: true } }, 'did you mean "enabled"?'],
    ['POST', '/sessions', { auto_compact_threshold: 1 }, 'it belongs inside "config"'],
    ['PATCH', '/sessions/s', { profle: 'rawr' }, 'did you mean "profile"?'],
    ['POST', '/sessions/s/compact', { dryrun: true }, 'did you mean "dry_run"?'],
    [
      'POST',
      '/sessions/s/signals',
      { signal: 'agent_done', needsFollowUp: true },
      '"needs_follow_up"?',
    ],
    ['POST', '/sessions/s/fork', { version: 1 }, 'there are "at" and "id"'],
  ])('%s %s %j says which was meant', async (method, path, body, hint) => {
    expect(await refusal(method, path, body)).toContain(hint);
  });
});
