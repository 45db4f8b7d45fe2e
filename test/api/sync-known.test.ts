import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createApp } from '../../src/api/create-app.ts';
import { answerSent } from '../../src/api/http/elsewhere.ts';
import { KnownBodies } from '../../src/app/known-bodies.ts';
import { type ApiServer, send, startApi } from '../support/api-server.ts';
import { assistant, user } from '../support/items.ts';

/** How often a beginning was known. */
let known = 0;
const bodies = new KnownBodies();
const counted = {
  beginning: async (session: string, body: Uint8Array) => {
    const beginning = await bodies.beginning(session, body);
    if (beginning !== null) known += 1;
    return beginning;
  },
  keep: bodies.keep.bind(bodies),
};

/** Knows beginnings, and another that reads every history as a whole. */
let knowing: ApiServer;
let reading: ApiServer;
beforeAll(async () => {
  knowing = await startApi({ knownBodies: counted });
  reading = await startApi({ knownBodies: { beginning: async () => null, keep: () => {} } });
});
afterAll(async () => {
  await knowing.close();
  await reading.close();
});
beforeEach(() => {
  known = 0;
});

const TEXT = 'The session keeps every event of its log, naïvely 100 €. '.repeat(20);
const talk = (length: number, from = 0) =>
  Array.from({ length }, (_, index) => {
    const text = `${from + index}: ${TEXT}`;
    return index % 2 === 0 ? user(text) : assistant(text);
  });
const LONG = talk(100);
const OTHER = [...LONG.slice(0, 90), ...talk(4, 1_000)];
const json = (items: unknown, more: object = {}) => JSON.stringify({ items, ...more });

/** What both answer to the same bodies, one after another. */
async function answers(id: string, given: (string | { text: string; key: string })[]) {
  const all: { knowing: unknown; reading: unknown }[] = [];
  for (const one of given) {
    const { text: body, key = null } = typeof one === 'string' ? { text: one } : one;
    const headers = {
      'content-type': 'application/json',
      ...(key !== null && { 'idempotency-key': key }),
    };
    const ask = async (api: ApiServer) => {
      const reply = await send(api, 'POST', `/sessions/${id}/sync`, { body, headers });
      // What is noted after an answer.
      await new Promise((resolve) => setImmediate(resolve));
      return { status: reply.status, body: reply.body };
    };
    all.push({ knowing: await ask(knowing), reading: await ask(reading) });
  }
  return all;
}

describe('a history that begins like the one before is answered like one that is read', () => {
  it.each([
    { what: 'that has grown', next: [json([...LONG, user('And?')])], times: 1 },
    {
      what: 'that grows by many',
      next: [json([...LONG, ...talk(60)]), json([...LONG, ...talk(60), user('And?')])],
      times: 2,
    },
    { what: 'that is told again', next: [json(LONG), json(LONG)], times: 2 },
    {
      what: 'whose end is told otherwise',
      next: [json([...LONG.slice(0, 99), user('So?')])],
      times: 1,
    },
    {
      what: 'that goes on otherwise',
      next: [json(OTHER), json([...OTHER, user('And?')])],
      times: 2,
    },
    {
      what: 'that is cut short',
      next: [json(LONG.slice(0, 97)), json(LONG.slice(0, 20))],
      times: 1,
    },
    { what: 'that begins otherwise', next: [json([user('No.'), ...LONG.slice(1)])], times: 0 },
    {
      what: 'with fields behind it',
      next: [json([...LONG, user('And?')], { format: 'anthropic', on_divergence: 'reject' })],
      times: 1,
    },
    {
      what: 'with an unknown field behind it',
      next: [json([...LONG, user('And?')], { unknown: 1 })],
      status: 400,
      times: 1,
    },
    {
      what: 'with a second history behind it',
      next: [`${json([...LONG, user('And?')]).slice(0, -1)},"items":[]}`],
      status: 400,
      times: 1,
    },
    {
      what: 'whose new item is none',
      next: [json([...LONG, { role: 'nobody' }])],
      status: 400,
      times: 1,
    },
    { what: 'whose new item is no object', next: [json([...LONG, 7])], status: 400, times: 1 },
    {
      what: 'that is cut off',
      next: [json([...LONG, user('And?')]).slice(0, -4)],
      status: 400,
      times: 1,
    },
    {
      what: 'with white space',
      next: [json(LONG).replace(/\]\}$/, ` , ${json(user('x')).slice(9, -1)} ] } `)],
      times: 1,
    },
    {
      what: 'with a number that is none',
      next: [json([...LONG, user('x')]).replace('"x"', '1e999')],
      status: 400,
      times: 1,
    },
    {
      what: 'with a key',
      next: [
        { text: json([...LONG, user('And?')]), key: 'k1' },
        { text: json([...LONG, user('And?')]), key: 'k1' },
        { text: json([...LONG, user('No.')]), key: 'k1' },
      ],
      status: 422,
      times: 3,
    },
    {
      what: 'with a mark of the order of bytes behind it',
      // Right behind the 96th item, up to which the beginning is known.
      next: [`${json(LONG.slice(0, 96)).slice(0, -2)}\ufeff,${json(LONG.slice(96)).slice(10)}`],
      status: 400,
      times: 1,
    },
    {
      what: 'with a field before it and behind it',
      next: [
        `{"format":"anthropic",${json(LONG).slice(1)}`,
        `{"format":"anthropic",${json([...LONG, user('x')]).slice(1)}`,
        `{"format":"anthropic",${json([...LONG, user('x')], { format: 'anthropic' }).slice(1)}`,
      ],
      status: 400,
      times: 2,
    },
    {
      what: 'of too many items',
      next: [json([...LONG, ...Array(950).fill(user('x'))])],
      status: 413,
      times: 1,
    },
    {
      what: 'that ends with a trigger',
      next: [json([...LONG, user('x'), { type: 'compaction_trigger' }])],
      times: 1,
    },
  ])('$what', async ({ what, next, times, status = 200 }) => {
    const all = await answers(`told-${what.replaceAll(/\W/g, '-')}`, [json(LONG), ...next]);
    for (const one of all) expect(one.knowing).toEqual(one.reading);
    expect(all[0]).toMatchObject({ knowing: { status: 200 } });
    expect(all.at(-1)).toMatchObject({ knowing: { status } });
    expect(known).toBe(times);
  });
});

it('a history that another thread has read goes on in this one', async () => {
  const passedOn: string[] = [];
  const { store, limits } = knowing.deps;
  const beside = { ...knowing.deps, knownBodies: { ...counted, beginning: async () => null } };
  const api = await startApi({
    store,
    knownBodies: counted,
    limits: { ...limits, body_bytes_here: 10_000 },
    elsewhere: (request, signal) => {
      passedOn.push(request.url);
      return answerSent(createApp(beside), request, signal);
    },
  });
  const post = async (items: unknown) => {
    const reply = await send(api, 'POST', '/sessions/beside/sync', { body: { items } });
    await new Promise((resolve) => setImmediate(resolve));
    return reply.body;
  };
  expect(await post(LONG)).toMatchObject({ matched: 0, appended: 100 });
  expect(passedOn).toHaveLength(1);
  expect(await post([...LONG, user('And?')])).toMatchObject({ matched: 100, appended: 1 });
  expect(passedOn).toHaveLength(1);
  // What is new is too large for this one.
  expect(await post([...LONG, user('And?'), ...talk(200)])).toMatchObject({ appended: 200 });
  expect(passedOn).toHaveLength(2);
  expect(await post([user('No.'), ...LONG])).toMatchObject({ matched: 0, appended: 101 });
  expect(passedOn).toHaveLength(3);
});
