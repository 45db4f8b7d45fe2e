import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accept } from '../../src/domain/session/errors.ts';
import { type ApiServer, SMALL_WINDOW, send, startApi } from '../support/api-server.ts';
import { AT, created } from '../support/given.ts';
import { assistant, ofTokens, user } from '../support/items.ts';

let api: ApiServer;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const append = (id: string, body: unknown, headers: Record<string, string> = {}) =>
  send(api, 'POST', `/sessions/${id}/items`, { body, headers });
const log = async (id: string) => (await send(api, 'GET', `/sessions/${id}/items`)).body.data;

describe('POST /sessions/:id/items', () => {
  it('creates the session and answers where the context stands', async () => {
    const reply = await append('new', user('hello'));
    expect(reply.status).toBe(201);
    expect(reply.body).toEqual({
      session_id: 'new',
      version: 2,
      first_seq: 2,
      last_seq: 2,
      context: {
        tokens: 3,
        limit: 187_000,
        percent_remaining: 99,
        is_above_warning: false,
        is_above_error: false,
        is_above_auto_compact: false,
      },
      compaction: null,
      advice: null,
      note: null,
      message: null,
    });
  });

  it.each([
    ['one item', user('a'), 1],
    ['an array', [user('a'), assistant('b')], 2],
    ['an envelope', { items: [user('a'), assistant('b'), user('c')] }, 3],
    ['an item that has a field "items"', { ...user('a'), items: 'mine' }, 1],
  ])('takes %s', async (name, body, count) => {
    const id = name.replaceAll(/\W/g, '-');
    expect((await append(id, body)).body).toMatchObject({ first_seq: 2, last_seq: 1 + count });
    expect(await log(id)).toHaveLength(count);
  });

  it('takes one item a line as NDJSON, with any line ends', async () => {
    const lines = `${JSON.stringify(user('a'))}\r\n\n${JSON.stringify(assistant('b'))}`;
    const reply = await append('lines', lines, { 'content-type': 'application/x-ndjson' });
    expect(reply.body).toMatchObject({ first_seq: 2, last_seq: 3 });
  });

  it('stores an item exactly as it came', async () => {
    const item =
      '{"role":"user","content":"\\ud800 \\u0000 é","x":{"__proto__":{"y":1},"z":[null,1.5e3]}}';
    await append('exact', item);
    const [stored] = (
      await send(api, 'GET', '/sessions/exact/events?types=item.appended')
    ).text.match(/"item":(.*?),"tokens"/) ?? [''];
    expect(stored).toContain('"__proto__":{"y":1}');
    expect(stored).toContain('"\\ud800 \\u0000 é"');
  });

  it('appends nothing at all when one item is wrong, and says which', async () => {
    await append('atomic', user('first'));
    const wrong = { role: 'user', content: 7 };
    const reply = await append('atomic', [user('fine'), wrong]);
    expect(reply.status).toBe(400);
    expect(reply.body).toMatchObject({
      type: 'urn:palimpsest:problem:invalid-item',
      detail: expect.stringContaining('nothing was appended'),
      errors: [{ path: '1.content', message: expect.stringContaining('"content"') }],
    });
    expect(await log('atomic')).toHaveLength(1);
    expect((await append('atomic', wrong)).body.errors).toMatchObject([{ path: 'content' }]);
    expect((await append('atomic', { items: [wrong] })).body.errors).toMatchObject([
      { path: 'items.0.content' },
    ]);
    const ndjson = `${JSON.stringify(user('a'))}\n\n${JSON.stringify(wrong)}`;
    const lines = await append('atomic', ndjson, { 'content-type': 'application/x-ndjson' });
    expect(lines.body.errors).toMatchObject([{ path: 'line 3.content' }]);
  });

  it('requests a compaction in the same write, and hands it over once', async () => {
    await send(api, 'POST', '/sessions', { body: { id: 'full', context_window: SMALL_WINDOW } });
    const before = api.dispatched.length;
    const reply = await append('full', [user(ofTokens(12_000)), assistant('ok')]);
    expect(reply.body).toMatchObject({
      version: 4,
      last_seq: 3,
      context: { is_above_auto_compact: true },
      compaction: { status: 'queued', mode: 'auto', trigger: 'auto', reason: 'token_limit' },
    });
    const later = await append('full', user('more'));
    expect(later.body.compaction).toEqual(reply.body.compaction);
    expect(api.dispatched.slice(before)).toEqual([
      {
        ref: { tenant: 'local', session_id: 'full' },
        compaction_id: Object(reply.body.compaction).id,
      },
    ]);
  });

  it('counts with a tokenizer that was not loaded yet', async () => {
    const own = await startApi({
      world: { server: { token_counter: 'cl100k_base' }, tokenizers: {} },
    });
    try {
      const { deps } = own;
      const tokenizers: Record<string, (text: string) => number> = deps.world.tokenizers;
      deps.loadTokenizer = async (name) => {
        tokenizers[name] = () => 100;
      };
      const reply = await send(own, 'POST', '/sessions/t/items', { body: user('hello') });
      expect(reply.body).toMatchObject({ context: { tokens: 133 } });
    } finally {
      await own.close();
    }
  });
});

describe('Idempotency-Key', () => {
  const key = { 'idempotency-key': 'turn-1' };

  it('answers the first response again and appends nothing', async () => {
    const first = await append('idem', user('once'), key);
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    await append('idem', user('between'));
    const again = await append('idem', user('once'), key);
    expect(again.status).toBe(201);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.text).toBe(first.text);
    expect(await log('idem')).toHaveLength(2);
  });

  it('an answer that an older release has kept gets the fields that it did not know', async () => {
    const body = JSON.stringify(user('old'));
    const fingerprint = createHash('sha256')
      .update(`POST\n/sessions/idem-old/items\n${body}`)
      .digest('hex');
    const kept = { version: 2, first_seq: 2, last_seq: 2, context: {}, compaction: null };
    const ref = { tenant: 'local', session_id: 'idem-old' };
    const decide = () => accept({ events: [created()], value: () => kept });
    const idempotency = { key: key['idempotency-key'], fingerprint };
    await api.deps.store.commit(ref, decide, { at: AT, idempotency });
    const reply = await append('idem-old', body, { ...key, 'content-type': 'application/json' });
    expect(reply.body).toEqual({
      session_id: 'idem-old',
      ...kept,
      advice: null,
      note: null,
      message: null,
    });
  });

  it('refuses the same key with another body', async () => {
    const reply = await append('idem', user('something else'), key);
    expect(reply.status).toBe(422);
    expect(reply.body.detail).toContain('send a new key with a new body');
  });

  it('belongs to one session', async () => {
    expect(
      (await append('idem-2', user('once'), key)).headers.get('idempotency-replayed'),
    ).toBeNull();
  });

  it('does not keep what was refused', async () => {
    const retry = { 'idempotency-key': 'turn-2' };
    expect((await append('idem', { role: 'x' }, retry)).status).toBe(400);
    expect((await append('idem', user('now right'), retry)).status).toBe(201);
  });

  it('hands a compaction over once only', async () => {
    await send(api, 'POST', '/sessions', { body: { id: 'once', context_window: SMALL_WINDOW } });
    const before = api.dispatched.length;
    for (let i = 0; i < 2; i++) await append('once', user(ofTokens(13_000)), key);
    expect(api.dispatched).toHaveLength(before + 1);
  });

  it.each(['x'.repeat(256), 'ünï'])('refuses the key %s', async (value) => {
    const reply = await append('idem', user('x'), { 'idempotency-key': value });
    expect(reply.status).toBe(400);
    expect(reply.body.detail).toBe(
      'an Idempotency-Key must be 1 to 255 printable ASCII characters',
    );
  });
});

describe('If-Match', () => {
  it('lets through at the version named, refuses at any other', async () => {
    await append('match', user('a'));
    const fine = await append('match', user('b'), { 'if-match': '"2"' });
    expect(fine.body.version).toBe(3);
    const late = await append('match', user('c'), { 'if-match': '"2"' });
    expect(late.status).toBe(412);
    expect(late.body.detail).toBe(
      'the session is at version 3, not 2: read it again before you append',
    );
  });

  it('takes "0" for a session that shall not exist yet, and * for one that shall', async () => {
    expect((await append('zero', user('a'), { 'if-match': '*' })).status).toBe(412);
    expect((await append('zero', user('a'), { 'if-match': '"0"' })).status).toBe(201);
    expect((await append('zero', user('a'), { 'if-match': '"0"' })).status).toBe(412);
    expect((await append('zero', user('a'), { 'if-match': '*' })).status).toBe(201);
  });

  it.each(['W/"2"', '"1", "2"', '2', '""', '"x"', '"99999999999999999999"'])(
    'refuses %s and says what it takes',
    async (value) => {
      const reply = await append('match', user('x'), { 'if-match': value });
      expect(reply.status).toBe(400);
      expect(reply.body.detail).toContain('If-Match takes one version in quotes');
    },
  );
});

describe('GET /sessions/:id/items', () => {
  it('answers the raw log, oldest first, in pages', async () => {
    await append('pages', [user('a'), assistant('b'), user('c')]);
    const first = await send(api, 'GET', '/sessions/pages/items?limit=2');
    expect(first.body).toEqual({
      data: [
        { seq: 2, at: '2026-01-02T03:04:05.000Z', occurred_at: null, item: user('a'), tokens: 1 },
        {
          seq: 3,
          at: '2026-01-02T03:04:05.000Z',
          occurred_at: null,
          item: assistant('b'),
          tokens: 1,
        },
      ],
      next_cursor: '3',
    });
    for (const name of ['after', 'cursor']) {
      const rest = await send(api, 'GET', `/sessions/pages/items?${name}=3`);
      expect(rest.body).toMatchObject({ data: [{ seq: 4, item: user('c') }], next_cursor: null });
    }
  });

  it('refuses an `after` that is no number', async () => {
    const reply = await send(api, 'GET', '/sessions/pages/items?after=two');
    expect(reply.status).toBe(400);
    expect(reply.body.errors).toMatchObject([{ path: 'after' }]);
  });
});
