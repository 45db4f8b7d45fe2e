import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BodyRoom } from '../src/api/http/body-room.ts';
import { createRoomyApp } from '../src/room-for-bodies.ts';
import { GatewayLab } from './support/gateway/lab.ts';

const LENGTH = 300_000;
const KEYS = [
  { name: 'one', key: 'key-of-one-0123456789' },
  { name: 'other', key: 'key-of-other-0123456789' },
];

let lab: GatewayLab;
beforeEach(async () => {
  lab = await GatewayLab.open({ keys: KEYS });
});
afterEach(() => lab.close());

/** Room for two bodies of this length, and for one of each tenant. */
function open() {
  return createRoomyApp(lab.api.deps, new BodyRoom(2.5 * LENGTH, 1.5 * LENGTH));
}

type Sent = { path: string; body: string; key?: string; isChunked?: boolean };

/** A request that stalls before the last byte of its body until `end` is called. */
function stalling({ path, body, key = KEYS[0]?.key ?? '', isChunked = false }: Sent) {
  let end = () => {};
  const bytes = new TextEncoder().encode(body);
  const stream = new ReadableStream({
    start: (controller) => {
      controller.enqueue(bytes.subarray(0, -1));
      end = () => {
        controller.enqueue(bytes.subarray(-1));
        controller.close();
      };
    },
  });
  const headers = new Headers({ 'content-type': 'application/json', 'x-palimpsest-key': key });
  if (!isChunked) headers.set('content-length', String(bytes.length));
  const options: RequestInit & { duplex: 'half' } = {
    method: 'POST',
    headers,
    body: stream,
    duplex: 'half',
  };
  return { request: new Request(`http://localhost${path}`, options), end };
}

const item = (length = LENGTH) => JSON.stringify({ role: 'user', content: 'x'.repeat(length) });
const ofItem = (id: string, more: Partial<Sent> = {}): Sent => ({
  path: `/sessions/${id}/items`,
  body: item(),
  ...more,
});

describe('while there is no room for a body', () => {
  it.each([true, false])('it is refused, to be sent again (chunked: %s)', async (isChunked) => {
    const app = open();
    const first = stalling(ofItem('first', { isChunked }));
    const answer = app.fetch(first.request);
    const second = stalling(ofItem('second', { isChunked }));
    // The first has come as far as it comes.
    await new Promise((resolve) => setImmediate(resolve));
    const refused = await app.fetch(second.request);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await refused.json()).toMatchObject({
      type: 'urn:palimpsest:problem:unavailable',
      detail:
        'the service holds as many large bodies as it has room for: send the request again in a second, ' +
        'or several smaller ones',
    });

    const small = stalling({ path: '/sessions/small/items', body: item(1_000) });
    small.end();
    expect((await app.fetch(small.request)).status).toBe(201);
    const ofOther = stalling(ofItem('first', { isChunked, key: KEYS[1]?.key ?? '' }));
    ofOther.end();
    expect((await app.fetch(ofOther.request)).status).toBe(201);

    first.end();
    expect((await answer).status).toBe(201);
    const again = stalling(ofItem('second', { isChunked }));
    again.end();
    expect((await app.fetch(again.request)).status).toBe(201);
  });

  it('it goes past the gateway, byte for byte', async () => {
    const app = open();
    const first = stalling(ofItem('first'));
    const answer = app.fetch(first.request);
    await new Promise((resolve) => setImmediate(resolve));
    const body = JSON.stringify({
      model: 'm',
      max_tokens: 100,
      messages: [{ role: 'user', content: 'x'.repeat(LENGTH) }],
    });
    const turn = stalling({ path: '/v1/messages', body });
    turn.end();
    const passed = await app.fetch(turn.request);
    expect(passed.headers.get('palimpsest-status')).toBe('bypassed; reason=no_room');
    expect(await passed.text()).toContain('Done.');
    expect(lab.provider.received[0]?.raw.toString()).toBe(body);
    first.end();
    expect((await answer).status).toBe(201);
    const next = stalling({ path: '/v1/messages', body });
    next.end();
    expect((await app.fetch(next.request)).headers.get('palimpsest-status')).toBe('forwarded');
  });
});

describe('a packed body', () => {
  const packed = (length: number) =>
    new Request('http://localhost/v1/messages', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'content-encoding': 'gzip',
        'x-palimpsest-key': KEYS[0]?.key ?? '',
      },
      body: gzipSync(
        JSON.stringify({
          model: 'm',
          max_tokens: 100,
          messages: [{ role: 'user', content: 'x'.repeat(length) }],
        }),
      ),
    });

  it('takes the room of what is in it', async () => {
    const app = open();
    const statusOf = async (length: number) => {
      const answer = await app.fetch(packed(length));
      expect(await answer.text()).toContain('Done.');
      return answer.headers.get('palimpsest-status');
    };
    expect(await statusOf(LENGTH)).toBe('forwarded');
    expect(await statusOf(2 * LENGTH)).toBe('bypassed; reason=no_room');
    expect(await statusOf(LENGTH)).toBe('forwarded');
  });

  it('takes no room while its answer is waited for where it was not unpacked', async () => {
    const app = open();
    let answerAll = () => {};
    lab.provider.held = new Promise((resolve) => {
      answerAll = resolve;
    });
    const first = app.fetch(packed(2 * LENGTH));
    await expect.poll(() => lab.provider.received.length).toBe(1);
    const second = app.fetch(packed(LENGTH));
    await expect.poll(() => lab.provider.received.length).toBe(2);
    answerAll();
    const statuses = [await first, await second].map(({ headers }) =>
      headers.get('palimpsest-status'),
    );
    expect(statuses).toEqual(['bypassed; reason=no_room', 'forwarded']);
  });
});

it('one tenant leaves room for others, and all of them together take no more than there is', async () => {
  const room = new BodyRoom(2.5 * LENGTH, 1.5 * LENGTH);
  const of = (tenant: string) => {
    const request = new Request('http://localhost/');
    room.admit(request, tenant);
    return request;
  };
  const [one, two, three] = [of('one'), of('two'), of('three')];
  // A promise takes no room before an eighth of it has come.
  expect(room.holds(one, LENGTH / 10, 2 * LENGTH)).toBe(true);
  expect(room.holds(one, LENGTH / 2, 2 * LENGTH)).toBe(false);
  expect(room.holds(one, LENGTH / 2, LENGTH)).toBe(true);
  expect(room.holds(one, LENGTH, LENGTH)).toBe(true);
  expect(room.holds(of('one'), LENGTH, LENGTH)).toBe(false);
  expect(room.holds(two, LENGTH, LENGTH)).toBe(true);
  expect(room.holds(three, LENGTH, LENGTH)).toBe(false);
  room.leave(one);
  room.leave(one);
  // What has left takes no room any more.
  expect(room.holds(one, LENGTH, LENGTH)).toBe(true);
  expect(room.holds(three, LENGTH, LENGTH)).toBe(true);
  expect(room.holds(of('one'), LENGTH, LENGTH)).toBe(false);
});
