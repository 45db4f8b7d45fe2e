import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { eventStream } from '../../src/api/http/event-stream.ts';
import { TenantRooms } from '../../src/api/http/tenant-room.ts';
import { type ApiServer, send, startApi } from '../support/api-server.ts';
import { assistant, user } from '../support/items.ts';

const room = new TenantRooms().forStreams('local', null);
let api: ApiServer;
beforeAll(async () => {
  api = await startApi();
  await append('log', [user('a'), assistant('b'), user('c')]);
  await send(api, 'PATCH', '/sessions/log', { body: { metadata: { x: 1 } } });
});
afterAll(() => api.close());

const append = (id: string, body: unknown) => send(api, 'POST', `/sessions/${id}/items`, { body });

type Frame = { id: string; event: string; data: string };

/** Reads frames of a stream one by one; comments are left out. */
class StreamReader {
  readonly #reader: ReadableStreamDefaultReader<string>;
  readonly #abort: AbortController;
  readonly response: Response;
  #text = '';

  private constructor(response: Response, abort: AbortController) {
    if (response.body === null) throw new Error('the stream has no body');
    this.response = response;
    this.#abort = abort;
    this.#reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  }

  static async open(path: string, headers: Record<string, string> = {}): Promise<StreamReader> {
    const abort = new AbortController();
    const response = await fetch(api.url + path, {
      headers: { accept: 'text/event-stream', ...headers },
      signal: abort.signal,
    });
    return new StreamReader(response, abort);
  }

  /** The next frame, or null at the end of the stream. */
  async next(): Promise<Frame | null> {
    for (;;) {
      const end = this.#text.indexOf('\n\n');
      if (end === -1) {
        const { done, value } = await this.#reader.read();
        if (done) return null;
        this.#text += value;
        continue;
      }
      const frame = this.#text.slice(0, end);
      this.#text = this.#text.slice(end + 2);
      const [, id, event, data] = /^id: (.*)\nevent: (.*)\ndata: (.*)$/.exec(frame) ?? [];
      if (id !== undefined && event !== undefined && data !== undefined) return { id, event, data };
      expect(frame).toMatch(/^: /);
    }
  }

  close(): void {
    this.#abort.abort();
  }
}

describe('GET /sessions/:id/events', () => {
  it('answers whole events, oldest first, in pages', async () => {
    const first = await send(api, 'GET', '/sessions/log/events?limit=2');
    expect(first.body).toMatchObject({
      data: [
        { version: 1, type: 'session.created', at: '2026-01-02T03:04:05.000Z' },
        { version: 2, type: 'item.appended', data: { item: user('a'), tokens: 1 } },
      ],
      next_cursor: '2',
    });
    const rest = await send(api, 'GET', '/sessions/log/events?after=2');
    expect(JSON.parse(rest.text).data.map((e: { version: number }) => e.version)).toEqual([
      3, 4, 5,
    ]);
    expect(rest.body.next_cursor).toBeNull();
    expect(rest.text).toMatch(/"hash":"[0-9a-f]{64}"/);
  });

  it('filters by type', async () => {
    const reply = await send(
      api,
      'GET',
      '/sessions/log/events?types=session.created,%20session.configured',
    );
    expect(reply.body.data).toMatchObject([{ version: 1 }, { version: 5 }]);
  });

  it('names the types when one is wrong', async () => {
    const reply = await send(api, 'GET', '/sessions/log/events?types=item.apended');
    expect(reply.status).toBe(400);
    expect(reply.body.errors).toMatchObject([
      {
        path: 'types',
        message: expect.stringContaining(
          'item.appended, item.superseded, pin.added, pin.removed, signal.observed',
        ),
      },
    ]);
  });
});

describe('the stream of events', () => {
  it('sends the log and then what is new', async () => {
    await append('live', user('a'));
    const stream = await StreamReader.open('/sessions/live/events');
    expect(stream.response.headers.get('content-type')).toBe('text/event-stream');
    expect(await stream.next()).toMatchObject({ id: '1', event: 'session.created' });
    expect(await stream.next()).toMatchObject({ id: '2', event: 'item.appended' });
    await append('live', user('b'));
    const frame = await stream.next();
    const page = await send(api, 'GET', '/sessions/live/events?after=2');
    expect(frame?.id).toBe('3');
    expect(page.body.data).toEqual([JSON.parse(frame?.data ?? '')]);
    stream.close();
  });

  it.each<[string, string, Record<string, string>]>([
    ['Last-Event-ID', '', { 'last-event-id': '3' }],
    ['after', '?after=3', {}],
    ['Last-Event-ID rather than after', '?after=1', { 'last-event-id': '3' }],
  ])('goes on after %s', async (_, query, headers) => {
    const stream = await StreamReader.open(`/sessions/log/events${query}`, headers);
    expect(await stream.next()).toMatchObject({ id: '4' });
    expect(await stream.next()).toMatchObject({ id: '5', event: 'session.configured' });
    stream.close();
  });

  it.each<[string, string, Record<string, string>]>([
    ['Last-Event-ID', '', { 'last-event-id': '99' }],
    ['after', '?after=99', {}],
  ])(
    'refuses to wait for what comes after a version that never was: %s',
    async (_, query, told) => {
      const headers = { accept: 'text/event-stream', ...told };
      const reply = await send(api, 'GET', `/sessions/log/events${query}`, { headers });
      expect(reply.status).toBe(404);
      expect(reply.body.type).toBe('urn:palimpsest:problem:version-not-found');
      expect(reply.body.detail).toMatch(
        /^the session is at version \d+: there is nothing to go on from/,
      );
    },
  );

  it('loses nothing over many pages and resumptions', async () => {
    const texts = Array.from({ length: 95 }, (_, i) => user(`item ${i}`));
    await append('long', texts);
    const seen: string[] = [];
    let resume = '0';
    while (seen.length < 96) {
      const stream = await StreamReader.open('/sessions/long/events', { 'last-event-id': resume });
      for (let i = 0; i < 40 && seen.length < 96; i++) {
        resume = (await stream.next())?.id ?? '';
        seen.push(resume);
      }
      stream.close();
    }
    expect(seen).toEqual(Array.from({ length: 96 }, (_, i) => String(i + 1)));
  });

  it('filters by type, what is old and what is new', async () => {
    await append('typed', [user('a'), user('b')]);
    const stream = await StreamReader.open('/sessions/typed/events?types=session.configured');
    await append('typed', user('c'));
    await send(api, 'PATCH', '/sessions/typed', { body: { metadata: {} } });
    expect(await stream.next()).toMatchObject({ id: '5', event: 'session.configured' });
    stream.close();
  });

  it('ends when the session is erased', async () => {
    await append('short', user('a'));
    const stream = await StreamReader.open('/sessions/short/events?after=2');
    await send(api, 'DELETE', '/sessions/short');
    expect(await stream.next()).toBeNull();
  });

  it('ends where another session has the id, and has not come as far', async () => {
    const ref = { tenant: 'local', session_id: 'log' };
    const stream = eventStream(api.deps.store, ref, { after: 99 }, { room });
    expect(await new Response(stream).text()).toBe(': connected\n\n');
  });

  it('lets go of the session when the client goes away', async () => {
    await append('left', user('a'));
    const { store } = api.deps;
    const subscribe = store.subscribe.bind(store);
    const released = new Promise<void>((resolve) => {
      store.subscribe = (ref, listener) => {
        const stop = subscribe(ref, listener);
        return () => {
          stop();
          resolve();
        };
      };
    });
    const stream = await StreamReader.open('/sessions/left/events');
    expect(await stream.next()).toMatchObject({ id: '1' });
    stream.close();
    await released;
    store.subscribe = subscribe;
  });

  it('reads the store only as far as the client reads', async () => {
    await append(
      'slow',
      Array.from({ length: 90 }, () => user('x')),
    );
    const { store } = api.deps;
    const events = store.events.bind(store);
    let read = 0;
    store.events = async (ref, query) => {
      const found = await events(ref, query);
      read += found.length;
      return found;
    };
    const ref = { tenant: 'local', session_id: 'slow' };
    const reader = eventStream(store, ref, { after: 0 }, { room }).getReader();
    expect(read).toBe(0);
    await reader.read();
    await reader.read();
    // Fifty were sent; no more is read before the client takes them.
    expect(read).toBe(50);
    await reader.cancel();
    store.events = events;
  });

  it('reads no more while clients of its tenant leave too much unread', async () => {
    await append('unread', [user('x'.repeat(200_000)), user('y'.repeat(200_000))]);
    const rooms = new TenantRooms();
    const own = rooms.forStreams('local', null);
    const ref = { tenant: 'local', session_id: 'unread' };
    const opened = async (after: number, room = own) => {
      const reader = eventStream(api.deps.store, ref, { after }, { room }).getReader();
      await reader.read();
      return { reader, told: reader.read().then(({ value }) => value?.length) };
    };
    const much = own.hold(64_000_000);
    const first = await opened(1);
    expect(await first.told).toBe(65_536);
    const second = await opened(1);
    const other = await opened(2, rooms.forStreams('other', null));
    expect(await other.told).toBe(65_536);
    expect(await Promise.race([second.told, other.reader.read().then(() => 'waits')])).toBe(
      'waits',
    );
    much.end();
    expect(await second.told).toBe(65_536);
    for (const { reader } of [first, second, other]) await reader.cancel();
  });

  it('reads what is new once for all of its readers', async () => {
    await append('watched', [user('a')]);
    const { store } = api.deps;
    const ref = { tenant: 'local', session_id: 'watched' };
    const after = (await store.head(ref))?.state.version ?? 0;
    const readers = Array.from({ length: 50 }, () =>
      eventStream(store, ref, { after }, { room }).getReader(),
    );
    await Promise.all(readers.map((reader) => reader.read()));
    const told = readers.map((reader) => reader.read());
    // All of them have looked, and wait.
    await append('other', [user('x')]);
    const reads = vi.spyOn(store, 'events');
    await append('watched', [user('b')]);
    const texts = (await Promise.all(told)).map(({ value }) => new TextDecoder().decode(value));
    const looks = reads.mock.calls.filter(([, query]) => query?.after === after);
    reads.mockRestore();
    expect(new Set(texts).size).toBe(1);
    expect(texts[0]).toMatch(/^id: \d+\nevent: item\.appended\n/);
    expect(looks.length).toBeLessThan(5);
    await Promise.all(readers.map((reader) => reader.cancel()));
  });

  it.each(['x', '-1', '1.5', '99999999999999999'])('refuses Last-Event-ID: %s', async (id) => {
    const headers = { accept: 'text/event-stream', 'last-event-id': id };
    const reply = await send(api, 'GET', '/sessions/log/events', { headers });
    expect(reply.status).toBe(400);
    expect(reply.body.detail).toContain('Last-Event-ID must be the id of an event');
  });

  it('does not start for HEAD', async () => {
    const response = await fetch(`${api.url}/sessions/log/events`, {
      method: 'HEAD',
      headers: { accept: 'text/event-stream' },
    });
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('');
  });
});
