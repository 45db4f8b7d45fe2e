import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createApp } from '../../src/api/create-app.ts';
import { answerSent, type SentRequest } from '../../src/api/http/elsewhere.ts';
import { type ApiServer, send, startApi } from '../support/api-server.ts';
import { user } from '../support/items.ts';

/** What another thread was asked to answer. */
const passedOn: SentRequest[] = [];

let plain: ApiServer;
let api: ApiServer;
beforeAll(async () => {
  plain = await startApi();
  const { store, limits } = plain.deps;
  api = await startApi({
    store,
    largestHere: { events: 5, bytes: 100_000, values: 1_000, tokens: 100_000 },
    limits: { ...limits, body_bytes_here: 10_000, json_values_here: 20 },
    elsewhere: (request, signal) => {
      passedOn.push(request);
      return answerSent(createApp(plain.deps), request, signal);
    },
  });
});
afterAll(async () => {
  await api.close();
  await plain.close();
});
beforeEach(() => {
  passedOn.length = 0;
});

const items = (count: number) => Array.from({ length: count }, () => user('x'));

it.each([
  { what: 'few items', body: items(6), elsewhere: 0 },
  { what: 'many small items', body: items(7), elsewhere: 1 },
  {
    what: 'one item of many small parts',
    body: user(Array(10).fill({ type: 'text', text: 'x' })),
    elsewhere: 1,
  },
  { what: 'one large text', body: user('x'.repeat(10_000)), elsewhere: 1 },
])('$what are appended in another thread $elsewhere times', async ({ what, body, elsewhere }) => {
  const path = `/sessions/${what.replaceAll(' ', '-')}/items`;
  expect((await send(api, 'POST', path, { body })).status).toBe(201);
  expect(passedOn.map(({ method }) => method)).toEqual(Array(elsewhere).fill('POST'));
});

it('a session with a long log is erased in another thread', async () => {
  await send(api, 'POST', '/sessions/short/items', { body: items(4) });
  await send(api, 'POST', '/sessions/long/items', { body: items(5) });
  await send(api, 'DELETE', '/sessions/short');
  expect(passedOn).toEqual([]);
  const { status } = await send(api, 'DELETE', '/sessions/long');
  expect(status).toBe(204);
  expect(passedOn.map(({ method }) => method)).toEqual(['DELETE']);
  expect(await api.deps.store.head({ tenant: 'local', session_id: 'long' })).toBeNull();
});

describe.each([
  ['a small item', 100, 0],
  ['a large item', 100_000, 1],
])('%s', (what, length, elsewhere) => {
  const id = what.replaceAll(' ', '-');
  const path = `/sessions/${id}`;
  const page = `/inspect${path}`;
  const result = {
    type: 'tool_result',
    tool_use_id: 'call_1',
    content: `${'x '.repeat(length / 2)}needle`,
  };
  const call = { type: 'tool_use', id: 'call_1', name: 'Read', input: {} };
  beforeAll(async () => {
    const body = [{ role: 'assistant', content: [call] }, user([result])];
    expect((await send(api, 'POST', `${path}/items`, { body })).status).toBe(201);
  });

  it.each([
    `${path}/items`,
    `${path}/events`,
    `${path}/context`,
    `${path}/items/3/trace`,
    `${path}/tool-results/call_1`,
    `${path}/search?q=needle`,
    `${page}/items/3`,
    `${page}/log`,
    `${page}/context`,
    page,
  ])('is read by GET %s elsewhere only where it is large', async (address) => {
    const answer = await fetch(api.url + address, { headers: { accept: '*/*' } });
    expect(answer.status).toBe(200);
    await answer.text();
    expect(passedOn.map(({ method }) => method)).toEqual(Array(elsewhere).fill('GET'));
  });

  it('is waited for here alone', async () => {
    const { status } = await send(api, 'GET', `${path}/context?wait=compaction&origins=true`);
    expect(status).toBe(200);
    const [sent] = passedOn;
    expect(sent === undefined ? null : new URL(sent.url).search).toBe(
      elsewhere === 0 ? null : '?origins=true',
    );
  });

  it('is recalled elsewhere only where it is large', async () => {
    const params = { name: 'recall', arguments: { tool_use_id: 'call_1' } };
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
    const headers = { accept: 'application/json, text/event-stream' };
    const answer = await send(api, 'POST', `/mcp/${id}`, { body, headers });
    expect(JSON.stringify(answer.body)).toContain('result of call_1');
    expect(passedOn.map(({ method }) => method)).toEqual(Array(elsewhere).fill('POST'));
  });

  it('is pinned elsewhere only where it is large, and once', async () => {
    const { status } = await send(api, 'POST', `${path}/pins`, { body: { seq: 2 } });
    expect(status).toBe(201);
    const { body } = await send(api, 'GET', `${path}/pins`);
    expect(body).toMatchObject({ data: [{ seq: 2 }] });
    expect(passedOn.map(({ method }) => method)).toEqual(elsewhere === 0 ? [] : ['POST', 'GET']);
  });
});
