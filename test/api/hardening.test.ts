import { request as httpRequest } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createApp } from '../../src/api/create-app.ts';
import { noParams, noQuery } from '../../src/api/http/endpoint.ts';
import { eventStream } from '../../src/api/http/event-stream.ts';
import { TenantRooms } from '../../src/api/http/tenant-room.ts';
import { type ApiServer, send, startApi } from '../support/api-server.ts';
import { ofTokens, user } from '../support/items.ts';
import { openTestStore } from '../support/open-test-store.ts';

const room = new TenantRooms().forStreams('local', null);
let api: ApiServer;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

type Reply = { status: number | undefined; text: string };

/** A GET whose Host header is what the test says, which fetch does not allow. */
function get(server: ApiServer, headers: Record<string, string>): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(`${server.url}/sessions`, { headers }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => {
        text += part;
      });
      response.on('end', () => resolve({ status: response.statusCode, text }));
    });
    sent.on('error', reject);
    sent.end();
  });
}

describe('without keys', () => {
  it.each([
    'localhost',
    'LOCALHOST:8787',
    'localhost:9',
    '127.0.0.1',
    '127.0.0.1:8787',
    '[::1]:8787',
  ])('answers under %s', async (host) => {
    expect((await get(api, { host })).status).toBe(200);
  });

  it.each([
    'evil.example:8787',
    '127.0.0.1.evil.example',
    'localhost.evil.example:8787',
    '192.168.1.5:8787',
    'localhost.:8787',
  ])('refuses what is sent to %s', async (host) => {
    const { status, text } = await get(api, { host, 'sec-fetch-site': 'same-origin' });
    expect(status).toBe(403);
    expect(JSON.parse(text)).toEqual({
      type: 'urn:palimpsest:problem:host-not-local',
      title: 'Host name not allowed',
      status: 403,
      detail:
        'without API keys the service answers only at localhost, 127.0.0.1 and [::1]: use one of ' +
        'these in the address, or set PALIMPSEST_API_KEYS and send a key',
    });
  });

  it.each(['http://localhost:3000', 'https://127.0.0.1', 'http://[::1]:5173'])(
    'answers pages of %s',
    async (origin) => {
      expect((await get(api, { origin })).status).toBe(200);
    },
  );

  it.each([
    'https://evil.example',
    'http://localhost.evil.example',
    'http://evil.example:8787',
    'chrome-extension://localhost',
    'null',
  ])('refuses pages of %s', async (origin) => {
    const { status, text } = await get(api, { origin });
    expect(status).toBe(403);
    expect(JSON.parse(text)).toMatchObject({
      type: 'urn:palimpsest:problem:cross-site-request',
      detail: expect.stringContaining('refuses requests from web pages of other sites'),
    });
  });

  it('answers in process under localhost only', async () => {
    const app = createApp(api.deps);
    expect((await app.request('http://localhost/sessions')).status).toBe(200);
    expect((await app.request('http://evil.example/sessions')).status).toBe(403);
  });
});

describe('with keys', () => {
  it('any host name and origin will do, and no CORS header is sent', async () => {
    const keyed = await startApi({ keys: [{ name: 'red', key: 'red-key' }] });
    try {
      const origin = 'https://app.example';
      const headers = { host: 'palimpsest.example', origin, 'x-api-key': 'red-key' };
      expect((await get(keyed, headers)).status).toBe(200);
      for (const server of [keyed, api]) {
        const preflight = await send(server, 'OPTIONS', '/sessions', {
          headers: { origin, 'access-control-request-method': 'POST' },
        });
        const list = await send(server, 'GET', '/sessions', { headers: { origin } });
        const names = [...preflight.headers.keys(), ...list.headers.keys()];
        expect(names).toContain('allow');
        expect(names.filter((name) => name.startsWith('access-control-'))).toEqual([]);
      }
    } finally {
      await keyed.close();
    }
  });
});

describe('the answer to a body full of mistakes stays small', () => {
  const numbers = (count: number) => Array<number>(count).fill(1);
  const names = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`field_${index}`, 1]));

  it.each<[string, string, unknown, string]>([
    [
      'blocks of one item',
      '/sessions/x/items',
      user(numbers(300_000)),
      'the check stops here: correct the blocks before this one, then send it again',
    ],
    [
      'blocks of one tool result',
      '/sessions/x/items',
      user([{ type: 'tool_result', tool_use_id: 't', content: numbers(300_000) }]),
      'the check stops here: correct the blocks before this one, then send it again',
    ],
    [
      'blocks of many items',
      '/sessions/x/items',
      Array(100).fill(user(numbers(100))),
      'and more: only the first 100 are listed',
    ],
    [
      'fields beside "items"',
      '/sessions/x/items',
      { items: [], ...names(40_000) },
      'and more: only the first 100 are listed',
    ],
    ['fields of a session', '/sessions', names(40_000), 'and more: only the first 100 are listed'],
    [
      'fields of a configuration',
      '/sessions',
      { config: names(40_000) },
      'and more: only the first 100 are listed',
    ],
  ])('%s', async (_, path, body, message) => {
    const reply = await send(api, 'POST', path, { body });
    expect(reply.status).toBe(400);
    expect(reply.text.length).toBeLessThan(30_000);
    const { errors } = reply.body;
    expect(Array.isArray(errors) && errors.at(-1)).toMatchObject({ message });
  });

  it('a name of 900,000 characters', async () => {
    const reply = await send(api, 'POST', '/sessions', { body: { ['n'.repeat(900_000)]: 1 } });
    expect(reply.status).toBe(400);
    expect(reply.text.length).toBeLessThan(30_000);
    expect(reply.body.detail).toMatch(/^the body \(n{1900,2000}…$/);
  });

  it('few mistakes are all told', async () => {
    const body = user([...numbers(49), { type: 'text', text: 'fine' }]);
    const reply = await send(api, 'POST', '/sessions/x/items', { body });
    expect(reply.body.errors).toEqual(
      numbers(49).map((_, index) => ({
        path: `content.${index}`,
        message: 'a content block must be an object with a string "type"',
      })),
    );
  });
});

describe('metadata', () => {
  /** As JSON it has exactly so many bytes, in characters of two bytes each. */
  const ofBytes = (bytes: number) => ({ n: 'é'.repeat((bytes - '{"n":""}'.length) / 2) });

  it('may have 64 KiB', async () => {
    const metadata = ofBytes(65_536);
    const reply = await send(api, 'POST', '/sessions', { body: { id: 'meta', metadata } });
    expect(reply.status).toBe(201);
    expect(reply.body.metadata).toEqual(metadata);
  });

  it.each([
    ['POST', '/sessions'],
    ['PATCH', '/sessions/meta'],
  ])('may not have more: %s %s', async (method, path) => {
    const reply = await send(api, method, path, { body: { metadata: ofBytes(65_538) } });
    const message = 'has more than 64 KiB of JSON: keep large things elsewhere and refer to them';
    expect(reply.status).toBe(400);
    expect(reply.body).toMatchObject({
      detail: `the body (metadata) cannot be used: ${message}`,
      errors: [{ path: 'metadata', message }],
    });
  });
});

it('lines beyond the limit of items are not parsed', async () => {
  const body = `${`${JSON.stringify(user('x'))}\n\n`.repeat(100)}{"never read`;
  const headers = { 'content-type': 'application/x-ndjson' };
  const reply = await send(api, 'POST', '/sessions/lines/items', { body, headers });
  expect(reply.status).toBe(413);
  expect(reply.body.detail).toBe(
    'a request may carry 100 items, and this one has more: send the rest in further requests',
  );
});

it('what an endpoint does not take is not checked with each request', async () => {
  await send(api, 'POST', '/sessions', { body: { id: 'quick' } });
  const checks = [vi.spyOn(noQuery, 'safeParse'), vi.spyOn(noParams, 'safeParse')];
  expect((await send(api, 'POST', '/sessions', { body: {} })).status).toBe(201);
  expect((await send(api, 'GET', '/sessions/quick')).status).toBe(200);
  for (const check of checks) {
    expect(check).not.toHaveBeenCalled();
    check.mockRestore();
  }
});

describe('a long log of large items', () => {
  const ITEMS = 12;
  const MEGABYTES = 1_000_000;
  const large = user(ofTokens((3 * MEGABYTES) / 4));
  let service: ApiServer;
  const watchReads = () => vi.spyOn(service.deps.store, 'events');
  let reads: ReturnType<typeof watchReads>;
  beforeAll(async () => {
    const store = await openTestStore();
    service = await startApi({
      store,
      limits: {
        body_bytes: 100 * MEGABYTES,
        items_per_request: 100,
        json_depth: 64,
        json_values: 400_000,
        rate_per_minute_per_key: null,
      },
    });
    const body = Array(ITEMS).fill(large);
    expect((await send(service, 'POST', '/sessions/large/items', { body })).status).toBe(201);
  });
  afterAll(() => service.close());
  beforeEach(() => {
    reads = watchReads();
  });
  afterEach(() => {
    reads.mockRestore();
  });
  /** Every read of the store was bounded in bytes. */
  const expectSmallReads = () => {
    const bounds = reads.mock.calls.map(([, query]) => query?.max_bytes ?? Number.MAX_VALUE);
    expect(bounds.length).toBeGreaterThan(0);
    expect(Math.max(...bounds)).toBeLessThanOrEqual(500_000);
  };

  it.each([
    ['items', [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]],
    ['events', [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]],
  ])(
    'GET …/%s answers pages of about 8 MB, nothing twice and nothing left out',
    async (list, all) => {
      const seen: unknown[] = [];
      for (let cursor: unknown = 0; cursor !== null; ) {
        const path = `/sessions/large/${list}?limit=500&cursor=${cursor}`;
        const { body, text } = await send(service, 'GET', path);
        const data = body.data as { seq?: number; version?: number }[];
        expect(text.length).toBeLessThan(12 * MEGABYTES);
        seen.push(...data.map(({ seq, version }) => seq ?? version));
        cursor = body.next_cursor ?? null;
      }
      expect(seen).toEqual(all);
      expectSmallReads();
    },
  );

  it('the rollout is whole and sent in parts', async () => {
    const { text } = await send(service, 'GET', '/sessions/large/rollout');
    const items = text.split('\n').filter((line) => line.includes('"response_item"'));
    expect(items).toHaveLength(ITEMS);
    expectSmallReads();
  });

  it('the stream of events is sent in parts', async () => {
    const ref = { tenant: 'local', session_id: 'large' };
    const types = ['item.appended'] as const;
    const reader = eventStream(service.deps.store, ref, { after: 0, types }, { room }).getReader();
    expect(new TextDecoder().decode((await reader.read()).value)).toBe(': connected\n\n');
    const parts: string[] = [];
    const ends = () => parts.slice(-2).join('').endsWith('\n\n');
    for (let versions = 0; versions < ITEMS; versions += ends() ? 1 : 0) {
      const text = new TextDecoder().decode((await reader.read()).value);
      expect(text.length).toBeLessThan(MEGABYTES);
      parts.push(text);
    }
    expect(parts.join('').split('\nevent: item.appended\n').length - 1).toBe(ITEMS);
    await reader.cancel();
    expectSmallReads();
  });
});

it('a search through a long log lets other requests in between its reads', async () => {
  for (let request = 0; request < 3; request++) {
    await send(api, 'POST', '/sessions/long/items', { body: Array(20).fill(user('x')) });
  }
  const { store } = api.deps;
  const events = store.events.bind(store);
  const order: string[] = [];
  const reads = vi.spyOn(store, 'events').mockImplementation((ref, query) => {
    // A single event is read in no time.
    if (query?.limit === 1) return events(ref, query);
    order.push('read');
    setImmediate(() => order.push('turn of others'));
    return events(ref, query);
  });
  try {
    const reply = await send(api, 'GET', '/sessions/long/tool-results/nowhere');
    expect(reply.status).toBe(404);
  } finally {
    reads.mockRestore();
  }
  expect(order.slice(0, 6)).toEqual(Array(3).fill(['read', 'turn of others']).flat());
  expect(order.filter((step) => step === 'read').length).toBeGreaterThan(5);
});

it('a stream that breaks leaves no subscription behind', async () => {
  const { store } = api.deps;
  const subscribe = store.subscribe.bind(store);
  let subscriptions = 0;
  const spies = [
    vi.spyOn(store, 'subscribe').mockImplementation((ref, listener) => {
      const unsubscribe = subscribe(ref, listener);
      subscriptions += 1;
      return () => {
        subscriptions -= 1;
        unsubscribe();
      };
    }),
    vi.spyOn(store, 'head').mockRejectedValue(new Error('the disk is gone')),
  ];
  try {
    const ref = { tenant: 'local', session_id: 'broken' };
    const reader = eventStream(store, ref, { after: 0 }, { room }).getReader();
    await reader.read();
    expect(subscriptions).toBe(1);
    await expect(reader.read()).rejects.toThrow('the disk is gone');
    expect(subscriptions).toBe(0);
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
});
