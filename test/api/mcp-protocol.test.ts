import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApp } from '../../src/api/create-app.ts';
import { answerSent } from '../../src/api/http/elsewhere.ts';
import { type ApiServer, send, startApi } from '../support/api-server.ts';
import { call, result, user } from '../support/items.ts';
import { overHttp } from '../support/mcp-client.ts';

const TENANTS = [
  { name: 'alice', key: 'key-of-alice' },
  { name: 'bob', key: 'key-of-bob' },
];

let api: ApiServer;
let keyed: ApiServer;
beforeAll(async () => {
  api = await startApi();
  keyed = await startApi({ keys: TENANTS });
  await send(api, 'POST', '/sessions/s/items', { body: user('One needle.') });
});
afterAll(async () => {
  await api.close();
  await keyed.close();
});

const ACCEPT = { accept: 'application/json, text/event-stream' };
const rpc = (method: string, params: object = {}) => ({ jsonrpc: '2.0', id: 1, method, params });
const called = (name: string, args: object, _meta?: object) =>
  rpc('tools/call', { name, arguments: args, ...(_meta && { _meta }) });
const post = (body: unknown, path = '/mcp/s', headers: Record<string, string> = {}) =>
  send(api, 'POST', path, { body, headers: { ...ACCEPT, ...headers } });
const toldIn = (body: object) => JSON.stringify(body);

describe('requests', () => {
  it('offers no stream and has no session to end: GET and DELETE are refused', async () => {
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const { status, headers } = await send(api, method, '/mcp/s', { headers: ACCEPT });
      expect([status, headers.get('allow')]).toEqual([405, 'POST, OPTIONS']);
    }
  });

  it('many clients that want to listen hold nothing open', async () => {
    const asked = Array.from({ length: 64 }, () => send(api, 'GET', '/mcp/s', { headers: ACCEPT }));
    expect((await Promise.all(asked)).every(({ status }) => status === 405)).toBe(true);
  });

  it.each([
    ['a batch', [rpc('ping'), rpc('ping')], {}, 400, 'send one message of MCP in each request'],
    ['no JSON', '{"jsonrpc"', {}, 400, 'the body is not valid JSON'],
    ['no message', { hello: 1 }, {}, 400, 'JSON-RPC'],
    ['text', '{}', { 'content-type': 'text/plain' }, 415, 'Content-Type: application/json'],
    ['lines', '{}', { 'content-type': 'application/x-ndjson' }, 415, 'send a message of MCP'],
    ['another answer', rpc('ping'), { accept: 'text/html' }, 406, 'application/json'],
    [
      'a later protocol',
      rpc('server/discover'),
      { 'mcp-protocol-version': '2099-01-01' },
      400,
      'Unsupported protocol version',
    ],
    ['a large message', rpc('ping', { x: 'x'.repeat(140_000) }), {}, 413, '131072 bytes'],
    [
      'a deep message',
      `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":${'['.repeat(80)}${']'.repeat(80)}}}`,
      {},
      400,
      'nested',
    ],
    [
      'a page of another site',
      rpc('ping'),
      { origin: 'https://evil.example' },
      403,
      'of other sites',
    ],
  ])('refuses %s', async (_what, body, headers, status, message) => {
    const reply = await post(body, '/mcp/s', headers);
    expect(reply.status).toBe(status);
    expect(reply.text).toContain(message);
  });

  it('refuses a session whose name no session can have', async () => {
    expect((await post(rpc('ping'), '/mcp/a%2Fb')).status).toBe(400);
  });

  it.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])(
    'speaks version %s',
    async (protocolVersion) => {
      const clientInfo = { name: 'old', version: '1' };
      const params = { protocolVersion, capabilities: {}, clientInfo };
      const { body } = await post(rpc('initialize', params));
      expect(body).toMatchObject({
        result: { protocolVersion, serverInfo: { name: 'palimpsest' } },
      });
    },
  );

  it('a notification is taken and not answered', async () => {
    const reply = await post({ jsonrpc: '2.0', method: 'notifications/initialized' });
    expect([reply.status, reply.text]).toEqual([202, '']);
  });

  it('arguments that are null are none', async () => {
    const { body } = await post(rpc('tools/call', { name: 'context_status', arguments: null }));
    expect(toldIn(body)).toContain('session: s');
  });

  it('an unknown method is an error of the protocol', async () => {
    expect((await post(rpc('resources/list'))).body).toMatchObject({ error: { code: -32601 } });
  });
});

describe('the session', () => {
  const needle = called('search_history', { query: 'needle' });

  it('is that of the address', async () => {
    expect(toldIn((await post(needle)).body)).toContain('One needle.');
  });

  it('is the one that Codex names, where the tenant has it', async () => {
    await send(api, 'POST', '/sessions/01a20310-3787/items', { body: user('A needle of Codex.') });
    const meta = { threadId: '01a20310-3787', sessionId: 'none', callId: 'call_1' };
    const { body } = await post({ ...needle, params: { ...needle.params, _meta: meta } }, '/mcp');
    expect(toldIn(body)).toContain('A needle of Codex.');
  });

  it.each([
    [undefined],
    [{ 'claudecode/toolUseId': 'toolu_1', progressToken: 2 }],
    [{ threadId: 'none', sessionId: ['s'] }],
    [{ threadId: 7 }],
    [{ threadId: 'x\0', 'claudecode/toolUseId': 'y\0' }],
  ])('is unknown where the client names none: %j', async (meta) => {
    const { body } = await post(called('recall', { items: '1' }, meta), '/mcp');
    expect(body).toMatchObject({
      result: {
        isError: true,
        content: [{ text: expect.stringContaining('to …/mcp/SESSION_ID') }],
      },
    });
  });

  it('may not be there yet', async () => {
    expect(toldIn((await post(needle, '/mcp/none')).body)).toContain(
      'there is no session \\"none\\" yet',
    );
  });

  it('is one of the tenant whose key was sent, and nothing is said of others', async () => {
    const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
    await send(keyed, 'POST', '/sessions/secret/items', {
      body: [user('A secret.'), call('t1', 'Read'), result('t1', 'hidden')],
      headers: bearer('key-of-alice'),
    });
    const anonymous = await send(keyed, 'POST', '/mcp/secret', {
      body: rpc('ping'),
      headers: ACCEPT,
    });
    expect(anonymous.status).toBe(401);
    const alice = await overHttp(`${keyed.url}/mcp/secret`, bearer('key-of-alice'));
    expect((await alice.call('recall', { tool_use_id: 't1' })).text).toContain('hidden');
    const bob = await overHttp(`${keyed.url}/mcp/secret`, { 'x-api-key': 'key-of-bob' });
    const [foreign, none] = [
      await bob.call('recall', { tool_use_id: 't1' }),
      await (await overHttp(`${keyed.url}/mcp/nothing`, bearer('key-of-bob'))).call('recall', {
        tool_use_id: 't1',
      }),
    ];
    expect(foreign).toEqual({ isError: true, text: none.text.replace('nothing', 'secret') });
    await send(keyed, 'POST', '/sessions/own/items', {
      body: user('Mine.'),
      headers: bearer('key-of-bob'),
    });
    const own = await overHttp(`${keyed.url}/mcp/own`, bearer('key-of-bob'));
    expect((await own.call('recall', { items: '2', session_id: 'secret' })).isError).toBe(true);
    for (const client of [alice, bob, own]) await client.close();
  });
});

it('counts as any request against the limit of its key', async () => {
  const limits = { ...api.deps.limits, rate_per_minute_per_key: 1 };
  const slow = await startApi({ limits });
  const ping = () => send(slow, 'POST', '/mcp/s', { body: rpc('ping'), headers: ACCEPT });
  expect([(await ping()).status, (await ping()).status]).toEqual([200, 429]);
  await slow.close();
});

/** Members of one message. */
const MANY = Array.from({ length: 100 }, (_, i) => [`m${i}`, i]);

it('what would hold up the process is done in another thread', async () => {
  let passedOn = 0;
  const { store, limits } = api.deps;
  const busy = await startApi({
    store,
    limits: { ...limits, json_values_here: MANY.length },
    largestHere: { events: 5, bytes: 100_000, values: 1_000, tokens: 100_000 },
    elsewhere: (request, signal) => {
      passedOn += 1;
      return answerSent(createApp(api.deps), request, signal);
    },
  });
  const client = await overHttp(`${busy.url}/mcp/s`);
  const { text, isError } = await client.call('search_history', { regex: 'n[e]{2}dle' });
  expect({ passedOn, isError }).toEqual({ passedOn: 1, isError: false });
  expect(text).toContain('One needle.');
  await client.close();
  const many = { ...rpc('tools/list'), params: { _meta: Object.fromEntries(MANY) } };
  const { status } = await send(busy, 'POST', '/mcp/s', { body: many, headers: ACCEPT });
  expect({ passedOn, status }).toEqual({ passedOn: 2, status: 200 });
  expect(busy.logged).toEqual([]);
});

it('many calls at a time are all answered', async () => {
  const client = await overHttp(`${api.url}/mcp/s`);
  const told = await Promise.all(
    Array.from({ length: 100 }, () => client.call('recall', { items: '2' })),
  );
  expect(new Set(told.map(({ text }) => text)).size).toBe(1);
  await client.close();
});

it('what our tools were asked and have answered is not found again', async () => {
  const name = 'mcp__palimpsest__recall';
  const own = [
    call('r1', name, { items: '2', why: 'zebra' }),
    result('r1', '[item 2]\nThe zebra.'),
    call('x1', 'mcp__memory__recall', { why: 'zebra' }),
    result('x1', 'Another zebra.'),
  ];
  await send(api, 'POST', '/sessions/own-tools/items', {
    body: [user('A zebra.'), ...own.slice(0, 1)],
  });
  const client = await overHttp(`${api.url}/mcp/own-tools`);
  // So that the result is indexed apart from its call.
  await client.call('search_history', { query: 'zebra' });
  await send(api, 'POST', '/sessions/own-tools/items', { body: own.slice(1) });
  for (const query of [{ query: 'zebra' }, { regex: 'zebr.' }]) {
    const { text } = await client.call('search_history', query);
    const items = [...text.matchAll(/^\[item (\d+)/gm)].map((match) => Number(match[1]));
    expect(items.sort()).toEqual([2, 5, 6]);
  }
  expect((await client.call('recall', { tool_use_id: 'r1' })).text).toContain('The zebra.');
  await client.close();
});
