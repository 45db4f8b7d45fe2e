import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
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
    largestHere: { events: 5, bytes: 100_000, tokens: 100_000 },
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
