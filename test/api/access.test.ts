import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { whoAsks } from '../../src/api/http/who.ts';
import { OpaqueContent } from '../../src/app/opaque-content.ts';
import { type ApiServer, send, startApi } from '../support/api-server.ts';
import { cpuMs } from '../support/cpu-time.ts';
import { tool, user } from '../support/items.ts';

describe('with keys', () => {
  let api: ApiServer;
  const red = { authorization: 'Bearer red-key' };
  const blue = { 'x-api-key': 'blue:key' };
  beforeAll(async () => {
    api = await startApi({
      keys: [
        { name: 'red', key: 'red-key' },
        { name: 'red', key: 'second-red-key' },
        { name: 'blue', key: 'blue:key' },
      ],
    });
  });
  afterAll(() => api.close());

  it.each<[string, Record<string, string>, RegExp]>([
    ['no key', {}, /send your key as "Authorization: Bearer KEY"/],
    ['another key', { authorization: 'Bearer green-key' }, /does not know this key/],
    ['another scheme', { authorization: 'Basic cmVkLWtleQ==' }, /send your key as/],
    ['no key behind the scheme', { authorization: 'Bearer ' }, /send your key as/],
    ['a longer key', { 'x-api-key': 'red-key-and-more' }, /does not know this key/],
    ['the name of a key', { 'x-api-key': 'red' }, /does not know this key/],
  ])('refuses %s', async (_, headers, detail) => {
    for (const [method, path] of [
      ['GET', '/sessions'],
      ['POST', '/sessions'],
      ['GET', '/sessions/x/context'],
      ['DELETE', '/sessions/x'],
    ] as const) {
      const reply = await send(api, method, path, { headers });
      expect(reply.status).toBe(401);
      expect(reply.headers.get('www-authenticate')).toBe('Bearer realm="palimpsest"');
      expect(reply.body.detail).toMatch(detail);
    }
  });

  it.each(['/healthz', '/readyz', '/openapi.json', '/docs', '/'])(
    'leaves %s open',
    async (path) => {
      const headers = { accept: 'application/json' };
      expect((await send(api, 'GET', path, { headers })).status).toBe(200);
    },
  );

  it('takes any key of a name, in any case of the scheme', async () => {
    const headers = { authorization: 'bearer second-red-key' };
    await send(api, 'POST', '/sessions', { body: { id: 'shared' }, headers });
    expect((await send(api, 'GET', '/sessions/shared', { headers: red })).status).toBe(200);
  });

  it('thousands of headers are tried against thousands of keys in no time', () => {
    const keys = Array.from({ length: 3_000 }, (_, n) => ({ name: `t-${n}`, key: `key-of-${n}` }));
    const asks = whoAsks(keys, new OpaqueContent(null, keys));
    const headers = new Headers(Array.from({ length: 1_500 }, (_, n) => [`x-${n}`, 'Basic YTpi']));
    const began = cpuMs();
    expect(() => asks(new Request('http://a.test/', { headers }))).toThrow(/send a key/);
    headers.append('x-more', 'Bearer key-of-2999');
    expect(asks(new Request('http://a.test/', { headers })).tenant).toBe('t-2999');
    expect(cpuMs() - began).toBeLessThan(500);
  });

  it('shows a tenant nothing of another', async () => {
    const items = [user('secret'), ...tool('t1', 'Read', 5)];
    await send(api, 'POST', '/sessions/same/items', { body: items, headers: red });
    const { body } = await send(api, 'POST', '/sessions/same/compact', { headers: red });
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/context'],
      ['GET', '/items'],
      ['GET', '/events'],
      ['GET', '/rollout'],
      ['GET', '/compactions'],
      ['GET', `/compactions/${body.id}`],
      ['GET', `/compactions/${body.id}/diff`],
      ['POST', `/compactions/${body.id}/cancel`],
      ['POST', `/compactions/${body.id}/revert`],
      ['GET', '/tool-results/t1'],
      ['GET', '/items/2/trace'],
      ['GET', '/pins'],
      ['DELETE', '/pins/x'],
      ['GET', `/compactions/${body.id}/covered`],
      ['POST', '/fork'],
      ['POST', '/compact'],
      ['DELETE', ''],
    ] as const) {
      const reply = await send(api, method, `/sessions/same${path}`, { headers: blue });
      expect(reply.status, path).toBe(404);
      expect(reply.text).not.toContain('secret');
    }
    const list = await send(api, 'GET', '/sessions', { headers: blue });
    expect(list.body.data).toEqual([]);
  });

  it('lets two tenants use one id', async () => {
    await send(api, 'POST', '/sessions/twins/items', { body: user('of red'), headers: red });
    await send(api, 'POST', '/sessions/twins/items', { body: user('of blue'), headers: blue });
    const context = await send(api, 'GET', '/sessions/twins/context', { headers: blue });
    expect(context.body.items).toEqual([user('of blue')]);
  });
});

describe('without keys', () => {
  let api: ApiServer;
  beforeAll(async () => {
    api = await startApi();
  });
  afterAll(() => api.close());

  it('refuses what a page of another site asks for', async () => {
    const headers = { 'sec-fetch-site': 'cross-site' };
    const reply = await send(api, 'POST', '/sessions', { body: {}, headers });
    expect(reply.status).toBe(403);
    expect(reply.body.detail).toContain('set PALIMPSEST_API_KEYS and send a key');
  });

  it.each(['same-origin', 'none'])('lets %s through', async (site) => {
    const headers = { 'sec-fetch-site': site };
    expect((await send(api, 'GET', '/sessions', { headers })).status).toBe(200);
  });
});

describe('with a rate limit', () => {
  it('turns a key down when its minute is used up, and lets it in again later', async () => {
    const api = await startApi({
      keys: [
        { name: 'red', key: 'red-key' },
        { name: 'blue', key: 'blue-key' },
      ],
      limits: {
        body_bytes: 1_000,
        items_per_request: 10,
        json_depth: 64,
        json_values: 400_000,
        rate_per_minute_per_key: 6,
      },
    });
    try {
      const list = async (key: string) =>
        send(api, 'GET', '/sessions', { headers: { 'x-api-key': key } });
      for (let i = 0; i < 6; i++) expect((await list('red-key')).status).toBe(200);
      const refused = await list('red-key');
      expect(refused.status).toBe(429);
      expect(refused.headers.get('retry-after')).toBe('10');
      expect(refused.body.detail).toBe(
        'this key may send 6 requests a minute: wait 10 s, then send the request again',
      );
      expect((await list('blue-key')).status).toBe(200);
      expect((await send(api, 'GET', '/healthz')).status).toBe(200);
      api.advance(9_000);
      expect((await list('red-key')).headers.get('retry-after')).toBe('1');
      api.advance(1_000);
      expect((await list('red-key')).status).toBe(200);
      expect((await list('red-key')).status).toBe(429);
    } finally {
      await api.close();
    }
  });
});
