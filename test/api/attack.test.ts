import { gzipSync } from 'node:zlib';
import { z } from '@hono/zod-openapi';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApp } from '../../src/api/create-app.ts';
import { json } from '../../src/api/http/answer.ts';
import { addEndpoint, noParams, noQuery } from '../../src/api/http/endpoint.ts';
import { longAnswers } from '../../src/api/http/long-answers.ts';
import { flawOf } from '../../src/domain/exact-json.ts';
import { startCompaction } from '../../src/domain/session/compaction-commands.ts';
import { CLEARS_NOTHING, Conversations } from '../support/api-conversation.ts';
import { type ApiServer, send, startApi } from '../support/api-server.ts';
import { ofTokens, tool, user } from '../support/items.ts';

let api: ApiServer;
beforeAll(async () => {
  api = await startApi();
});
afterAll(async () => {
  expect(api.logged).toEqual([]);
  await api.close();
});

const { create, compact, compacted } = new Conversations(() => api);

describe('numbers that a double does not hold', () => {
  const ndjson = { 'content-type': 'application/x-ndjson' };
  const itemWith = (number: string) => `{"role":"user","content":"a","n":${number}}`;
  const refused = (where: string, position: number) =>
    `in ${where}, a number at position ${position} cannot be kept exactly: send it as a string`;
  const post = (body: string, headers: Record<string, string> = {}) =>
    send(api, 'POST', '/sessions/numbers/items', { body, headers });

  it.each([
    '12345678901234567890',
    '-12345678901234567890',
    '9007199254740993',
    // A double holds it, but is written as 1152921504606847000.
    '1152921504606846976',
    `1${'0'.repeat(400)}`,
    '1e400',
    '-1E+309',
    `${'9'.repeat(400)}.5`,
  ])('refuses %s', async (number) => {
    const reply = await post(itemWith(number));
    expect(reply.status).toBe(400);
    expect(reply.body.detail).toBe(refused('the body', 33));
  });

  it('names the line, and refuses them in other bodies, too', async () => {
    const lines = await post(`${itemWith('1')}\n${itemWith('[1e999]')}`, ndjson);
    expect(lines.body.detail).toBe(refused('line 2', 34));
    const body = '{"metadata":{"ticket":12345678901234567890}}';
    const created = await send(api, 'POST', '/sessions', { body });
    expect(created.body.detail).toBe(refused('the body', 22));
    expect((await send(api, 'GET', '/sessions/numbers')).status).toBe(404);
  });

  it.each([
    '9007199254740991',
    '-9007199254740992',
    '12345678901234567000',
    '1e21',
    '1.7976931348623157e308',
    '0.1234567890123456789012345678',
    '-0.5',
    '"12345678901234567890"',
    '"\\"1e400"',
  ])('keeps %s', async (number) => {
    const session = `/sessions/kept-${Buffer.from(number).toString('hex')}`;
    const reply = await send(api, 'POST', `${session}/items`, { body: itemWith(number) });
    expect(reply.status).toBe(201);
    const { body } = await send(api, 'GET', `${session}/items`);
    expect(body.data).toMatchObject([{ item: { n: JSON.parse(number) } }]);
  });

  it.each(['-', '1-2', '01234567890123456789e', '1.2.3.4.5', '- 1'])(
    'leaves %s to the parser',
    async (number) => {
      expect((await post(itemWith(number))).body.detail).toMatch(/^the body is not valid JSON: /);
    },
  );

  it('what JSON.stringify writes is never refused', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), fc.double(), (value, number) => {
        expect(flawOf(JSON.stringify([value, number]), 64)).toBeNull();
      }),
    );
  });

  it('a whole number is refused exactly when it would be written differently', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), (number) => {
        const isSame = String(Number(number)) === String(number);
        expect(flawOf(`{"n": ${number}}`, 64) === null).toBe(isSame);
      }),
    );
  });
});

describe('a compressed body', () => {
  const body = gzipSync(JSON.stringify(user('x')));
  const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };

  it('is not taken for a wrong encoding of text', async () => {
    const url = `${api.url}/sessions/packed/items`;
    const response = await fetch(url, { method: 'POST', headers, body });
    expect(response.status).toBe(415);
    expect(response.headers.get('accept-encoding')).toBe('identity');
    expect(await response.json()).toMatchObject({
      type: 'urn:palimpsest:problem:unsupported-media-type',
      detail:
        'the body has a Content-Encoding, and the service does not decompress: send it uncompressed',
    });
  });

  it('is none where the encoding is "identity"', async () => {
    const reply = await send(api, 'POST', '/sessions/packed/items', {
      body: user('x'),
      headers: { 'content-encoding': 'identity' },
    });
    expect(reply.status).toBe(201);
  });
});

describe('what a handler throws', () => {
  /** What an endpoint answers that does `handle`, and what is logged of it. */
  async function answerOf(method: 'get' | 'post', handle: () => object) {
    const logged: object[] = [];
    const deps = { ...api.deps, log: { error: (fields: object) => logged.push(fields) } };
    const app = createApp(deps);
    addEndpoint(
      { app, gate: () => 'local', ...longAnswers() },
      {
        method,
        path: '/broken',
        operationId: 'broken',
        tag: 'Test',
        summary: 'Broken',
        params: noParams,
        query: noQuery,
        responses: { 200: json('Nothing.', z.custom<object>()) },
        problems: [],
        handle: async (_call, answer) => answer.json(200, handle()),
      },
    );
    const response = await app.request('/broken', { method: method.toUpperCase() });
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    return { status: response.status, body: await response.json(), logged };
  }

  const tooLong = () => ({
    toJSON: () => {
      throw new RangeError('Invalid string length');
    },
  });

  it('an answer longer than a string can be says how to get at the data', async () => {
    const { status, body, logged } = await answerOf('get', tooLong);
    expect(status).toBe(409);
    expect(body).toEqual({
      type: 'urn:palimpsest:problem:answer-too-large',
      title: 'Answer too large',
      status: 409,
      detail:
        'what this would answer is too large for one response: compact the session first, or read ' +
        'it in pages from /items',
    });
    expect(logged).toEqual([]);
  });

  it('the error of the engine is the one that is looked for', () => {
    expect(() => 'x'.repeat(2 ** 28).concat('x'.repeat(2 ** 28))).toThrow(
      new RangeError('Invalid string length'),
    );
  });

  it.each<[string, 'get' | 'post', () => object, string]>([
    ['another RangeError', 'get', () => ({ text: 'x'.repeat(-1) }), 'RangeError'],
    ['a text that gets too long while writing', 'post', tooLong, 'RangeError'],
    [
      'a value that is no Error',
      'get',
      () => {
        throw 'a secret';
      },
      'NoError',
    ],
    [
      'nothing at all',
      'post',
      () => {
        throw undefined;
      },
      'NoError',
    ],
  ])('%s is a mistake of the service', async (_, method, handle, error) => {
    const { status, body, logged } = await answerOf(method, handle);
    expect(status).toBe(500);
    expect(body).toMatchObject({ type: 'urn:palimpsest:problem:internal-error' });
    expect(logged).toMatchObject([{ error, frames: expect.any(Array), route: '/broken' }]);
    expect(JSON.stringify([body, logged])).not.toContain('secret');
  });
});

describe.each(['revert', 'cancel'])('the body of %s', (action) => {
  const ask = (id: string, cid: string, options: Parameters<typeof send>[3]) =>
    send(api, 'POST', `/sessions/${id}/compactions/${cid}/${action}`, options);
  /** A compaction on which the action works. */
  async function ready(id: string): Promise<string> {
    if (action === 'revert') return compacted(id, { mode: 'full' });
    return String((await compact(id)).body.id);
  }

  it('may not have fields', async () => {
    const id = await create();
    const cid = await ready(id);
    const reply = await ask(id, cid, { body: { twice: true } });
    expect(reply.status).toBe(400);
    expect(reply.body).toMatchObject({
      detail: expect.stringMatching(
        /^the body \(twice\) cannot be used: there is no field "twice" here: /,
      ),
      errors: [{ path: 'twice' }],
    });
    expect((await ask(id, cid, { body: '[]' })).status).toBe(400);
    // Nothing was done.
    expect((await ask(id, cid, { body: {} })).status).toBe(200);
  });

  it.each<[string, Parameters<typeof send>[3]]>([
    ['none', {}],
    ['an empty one', { body: '' }],
    [
      'an empty form',
      { body: '', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
    ],
    ['an empty object', { body: '{}' }],
  ])('may be %s', async (_, options) => {
    const id = await create();
    expect((await ask(id, await ready(id), options)).status).toBe(200);
  });
});

describe('revert of a compaction that has not ended', () => {
  it('is refused with what to do instead', async () => {
    const id = await create();
    const cid = String((await compact(id, { mode: 'full' })).body.id);
    const revert = () => send(api, 'POST', `/sessions/${id}/compactions/${cid}/revert`);
    const detail = (status: string) =>
      `this compaction is ${status}: cancel it, or wait for its end and then revert it`;
    const problem = { type: 'urn:palimpsest:problem:compaction-not-revertible', status: 409 };
    expect((await revert()).body).toMatchObject({ ...problem, detail: detail('queued') });
    const { store, world } = api.deps;
    const ref = { tenant: 'local', session_id: id };
    await store.commit(ref, startCompaction(world, cid), { at: '2026-01-02T03:04:06.000Z' });
    expect((await revert()).body).toMatchObject({ ...problem, detail: detail('running') });
  });
});

describe('a dry run', () => {
  it('is refused with compaction switched off, as the request itself is', async () => {
    const id = await create({ enabled: false });
    const real = await compact(id);
    const dry = await compact(id, { dry_run: true });
    expect(real.body).toMatchObject({
      type: 'urn:palimpsest:problem:compaction-disabled',
      status: 409,
      detail: expect.stringContaining('set config.enabled to true'),
    });
    expect(dry.body).toEqual(real.body);
  });

  it('is answered while a compaction is under way', async () => {
    const id = await create(CLEARS_NOTHING);
    await compact(id, { mode: 'full' });
    const dry = await compact(id, { mode: 'full', dry_run: true });
    expect(dry).toMatchObject({ status: 200, body: { dry_run: true, action: 'full' } });
  });
});

it('a fork of a session with cleared results and a full compaction verifies', async () => {
  const id = await create({ micro_compact_target_tokens: 1_000 });
  await compacted(id, { mode: 'micro' });
  await compacted(id, { mode: 'full' });
  const reads = Array.from({ length: 6 }, (_, i) => tool(`d${i}`, 'Read', 800)).flat();
  const body = [...reads, user(ofTokens(50))];
  await send(api, 'POST', `/sessions/${id}/items`, { body });
  await compacted(id, { mode: 'micro' });
  const { version } = (await send(api, 'GET', `/sessions/${id}`)).body;
  for (let at = 1; at <= Number(version); at++) {
    const reply = await send(api, 'POST', `/sessions/${id}/fork`, {
      body: { at, id: `${id}-fork-${at}` },
    });
    expect(reply.status).toBe(201);
  }
  // The last one holds both: what the full compaction made, and results cleared after it.
  const last = await send(api, 'GET', `/sessions/${id}-fork-${version}/events`);
  expect(last.text).toMatch(/"origin":"summary"/);
  expect(last.text).toMatch(/"kind":"digested"/);
  expect((await api.deps.store.verify()).problems).toEqual([]);
});
