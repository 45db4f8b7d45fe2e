import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiServer, send, startApi } from '../support/api-server.ts';
import { user } from '../support/items.ts';

let api: ApiServer;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const create = (body: unknown) => send(api, 'POST', '/sessions', { body });

describe('POST /sessions', () => {
  it('creates a session with what was chosen', async () => {
    const reply = await create({
      id: 'chosen',
      format: 'openai-chat',
      profile: 'claude-code',
      model: 'some-model',
      context_window: 100_000,
      config: { auto_compact_pct_override: 80 },
      initial_context: [{ role: 'system', content: 'Be brief.' }],
      metadata: { team: 'red', __proto: { deep: [1, null] } },
    });
    expect(reply.status).toBe(201);
    expect(reply.headers.get('location')).toBe('/sessions/chosen');
    expect(reply.body).toMatchObject({
      id: 'chosen',
      format: 'openai-chat',
      profile: 'claude-code',
      model: 'some-model',
      context_window: 100_000,
      config_overrides: { auto_compact_pct_override: 80 },
      config: { auto_compact_pct_override: 80, threshold_style: 'limit' },
      metadata: { team: 'red', __proto: { deep: [1, null] } },
      version: 1,
      counts: { items: 0, compactions: { micro: 0, full: 0, skipped: 0, failed: 0 } },
      context: { tokens: 3, limit: 80_000, percent_remaining: 100, is_above_warning: false },
      compact_state: { base_compaction_id: null, through: null, changed_at_version: null },
      running_compaction: null,
      breaker: { is_open: false, failures: 0, reset_at: null },
      created_at: '2026-01-02T03:04:05.000Z',
    });
    const read = await send(api, 'GET', '/sessions/chosen');
    const { note: _note, ...state } = reply.body;
    expect(read.body).toEqual(state);
  });

  it('fills in defaults for an empty body, with an id of its own', async () => {
    const reply = await send(api, 'POST', '/sessions');
    expect(reply.status).toBe(201);
    expect(reply.body).toMatchObject({
      format: 'anthropic',
      profile: 'default',
      model: null,
      context_window: 200_000,
      metadata: {},
      config_overrides: {},
    });
    expect(reply.body.id).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('takes the window from the model table when it knows the model', async () => {
    expect((await create({ model: 'known-model' })).body.context_window).toBe(64_000);
    expect((await create({ model: 'unheard-of' })).body.context_window).toBe(200_000);
  });

  it('loads the tokenizer that the configuration asks for', async () => {
    const reply = await create({
      id: 'counted',
      config: { token_counter: 'o200k_base', token_safety_multiplier: 1 },
      initial_context: [user('eleven char')],
    });
    expect(reply.body).toMatchObject({ context: { tokens: 11 } });
  });

  it('refuses an id that exists', async () => {
    await create({ id: 'twice' });
    const reply = await create({ id: 'twice' });
    expect(reply.status).toBe(409);
    expect(reply.headers.get('content-type')).toBe('application/problem+json');
    expect(reply.body).toEqual({
      type: 'urn:palimpsest:problem:session-exists',
      title: 'Session exists',
      status: 409,
      detail: 'a session with this id already exists: go on with it, or choose another id',
    });
  });

  it.each([
    ['an id with a slash', { id: 'a/b' }, 'id', /1 to 128 characters/],
    ['an id that is too long', { id: 'x'.repeat(129) }, 'id', /1 to 128 characters/],
    ['an id that no URL can name', { id: '..' }, 'id', /and not "\." or "\.\."/],
    ['an id with a NUL', { id: 'a\0b' }, 'id', /1 to 128 characters/],
    ['an unknown format', { format: 'gemini' }, 'format', /one of "anthropic", "openai-responses"/],
    ['an unknown profile', { profile: 'x' }, 'profile', /"default"/],
    ['an unknown field', { fromat: 'anthropic' }, 'fromat', /no field "fromat"/],
    ['an unknown config field', { config: { enabeld: 1 } }, 'config.enabeld', /no field "enabeld"/],
    [
      'a config field of another type',
      { config: { enabled: 1 } },
      'config.enabled',
      /must be true or false/,
    ],
    ['a window of 100', { context_window: 100 }, 'context_window', /from 1000 to/],
    ['a fraction of a token', { context_window: 1.5 }, 'context_window', /whole number/],
    ['metadata that is a list', { metadata: [] }, 'metadata', /JSON object/],
    ['a broken item', { initial_context: [{ role: 'x' }] }, 'initial_context.0.role', /role/],
    ['null for an item', { initial_context: [null] }, 'initial_context.0', /must be an item/],
  ])('refuses %s and names the field', async (_, body, path, message) => {
    const reply = await create(body);
    expect(reply.status).toBe(400);
    expect(reply.body.errors).toContainEqual({ path, message: expect.stringMatching(message) });
  });

  it('refuses __proto__ as a field, and does not let it change anything', async () => {
    const reply = await create('{"__proto__": {"format": "openai-chat"}}');
    expect(reply.status).toBe(400);
    expect(reply.body.errors).toEqual([
      { path: '__proto__', message: expect.stringContaining('no field') },
    ]);
  });

  it('refuses a window that has no room, with the figures', async () => {
    const reply = await create({ profile: 'claude-code', context_window: 16_000 });
    expect(reply.status).toBe(400);
    expect(reply.body).toMatchObject({ type: 'urn:palimpsest:problem:invalid-config' });
    expect(reply.body.detail).toContain('free_space_buffer 13000');
  });

  it.each(['null', '[]', '"x"', '7'])('refuses %s as a body', async (body) => {
    expect((await create(body)).status).toBe(400);
  });
});

describe('GET /sessions', () => {
  it('pages through the sessions of the key, newest first', async () => {
    const own = await startApi();
    try {
      for (const id of ['one', 'two', 'three']) {
        await send(own, 'POST', '/sessions', { body: { id } });
      }
      const first = await send(own, 'GET', '/sessions?limit=2');
      expect(first.body.data).toMatchObject([{ id: 'three' }, { id: 'two' }]);
      const cursor = encodeURIComponent(String(first.body.next_cursor));
      const second = await send(own, 'GET', `/sessions?limit=2&cursor=${cursor}`);
      expect(second.body).toMatchObject({ data: [{ id: 'one' }], next_cursor: null });
    } finally {
      await own.close();
    }
  });

  it.each([
    ['limit=0', 'limit', 'must be a whole number from 1 to 500'],
    ['limit=501', 'limit', 'must be a whole number from 1 to 500'],
    ['limit=-1', 'limit', 'must be a whole number from 1 to 500'],
    ['limit=1e2', 'limit', 'must be a whole number from 1 to 500'],
    ['limit=99999999999999999999', 'limit', 'must be a whole number from 1 to 500'],
  ])('refuses %s', async (query, path, message) => {
    const reply = await send(api, 'GET', `/sessions?${query}`);
    expect(reply.status).toBe(400);
    expect(reply.body.errors).toContainEqual({ path, message });
  });

  it('refuses a cursor of another list', async () => {
    const reply = await send(api, 'GET', '/sessions?cursor=nonsense');
    expect(reply.status).toBe(400);
    expect(reply.body.detail).toContain('start again without a cursor');
  });

  it('refuses query parameters that it does not know', async () => {
    const reply = await send(api, 'GET', '/sessions?utm_source=x');
    expect(reply.status).toBe(400);
    expect(reply.body.errors).toEqual([
      { path: 'utm_source', message: 'unknown query parameter; this path takes limit, cursor' },
    ]);
  });
});

describe('PATCH /sessions/:id', () => {
  it('merges the configuration field by field and replaces the rest', async () => {
    await create({ id: 'patched', config: { restore_plan: false }, metadata: { a: 1 } });
    const reply = await send(api, 'PATCH', '/sessions/patched', {
      body: {
        config: { restore_todos: false },
        profile: 'codex-v2',
        model: 'other',
        context_window: 150_000,
        metadata: { b: 2 },
      },
    });
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({
      version: 2,
      profile: 'codex-v2',
      model: 'other',
      context_window: 150_000,
      config_overrides: { restore_plan: false, restore_todos: false },
      config: { restore_plan: false, restore_todos: false, preserve_user_messages: true },
    });
    expect(reply.body.metadata).toEqual({ b: 2 });
    const events = await send(api, 'GET', '/sessions/patched/events?types=session.configured');
    expect(events.body.data).toHaveLength(1);
  });

  it.each([
    ['nothing', {}, /name at least one of/],
    ['an unknown field', { format: 'openai-chat' }, /no field "format"/],
    ['a window without room', { profile: 'claude-code', context_window: 20_000 }, /leaves no room/],
  ])('refuses %s', async (_, body, detail) => {
    await create({ id: 'unpatched' });
    const reply = await send(api, 'PATCH', '/sessions/unpatched', { body });
    expect(reply.status).toBe(400);
    expect(reply.body.detail).toMatch(detail);
    expect((await send(api, 'GET', '/sessions/unpatched')).body.version).toBe(1);
  });
});

describe('DELETE /sessions/:id', () => {
  it('erases the session, so that its id can be used again', async () => {
    await create({ id: 'gone' });
    await send(api, 'POST', '/sessions/gone/items', { body: user('hello') });
    const reply = await send(api, 'DELETE', '/sessions/gone');
    expect(reply).toMatchObject({ status: 204, text: '' });
    expect((await send(api, 'GET', '/sessions/gone')).status).toBe(404);
    expect((await create({ id: 'gone' })).body).toMatchObject({ version: 1 });
  });

  it('stops the compaction that was under way', async () => {
    await send(api, 'POST', '/sessions/busy/items', { body: user('hello') });
    const { body } = await send(api, 'POST', '/sessions/busy/compact');
    await send(api, 'DELETE', '/sessions/busy');
    expect(api.cancelled).toContain(body.id);
  });
});

describe('a session that does not exist', () => {
  it.each([
    ['GET', '/sessions/nobody'],
    ['PATCH', '/sessions/nobody'],
    ['DELETE', '/sessions/nobody'],
    ['GET', '/sessions/nobody/items'],
    ['GET', '/sessions/nobody/context'],
    ['GET', '/sessions/nobody/context?wait=compaction'],
    ['POST', '/sessions/nobody/compact'],
    ['GET', '/sessions/nobody/compactions'],
    ['GET', '/sessions/nobody/compactions/x'],
    ['GET', '/sessions/nobody/compactions/x/diff'],
    ['POST', '/sessions/nobody/compactions/x/revert'],
    ['POST', '/sessions/nobody/compactions/x/cancel'],
    ['GET', '/sessions/nobody/events'],
    ['GET', '/sessions/nobody/rollout'],
    ['GET', '/sessions/nobody/tool-results/x'],
    ['GET', '/sessions/nobody/items/2/trace'],
    ['GET', '/sessions/nobody/pins'],
    ['DELETE', '/sessions/nobody/pins/x'],
    ['GET', '/sessions/nobody/compactions/x/covered'],
    ['POST', '/sessions/nobody/fork'],
  ])('%s %s answers 404 and says how to make one', async (method, path) => {
    const options = method === 'PATCH' ? { body: { metadata: {} } } : {};
    const reply = await send(api, method, path, options);
    expect(reply.status).toBe(404);
    expect(reply.body).toMatchObject({
      type: 'urn:palimpsest:problem:session-not-found',
      detail:
        'there is no session with this id: GET /sessions lists those there are, POST /sessions creates one',
    });
  });

  it.each(['%00', 'a%2Fb', '%ZZ', 'x'.repeat(129), '%F0%9F%98%80', 'a%20b', '%E0%A4%A'])(
    'id %s in a path is refused before anything is looked up',
    async (id) => {
      const reply = await send(api, 'GET', `/sessions/${id}`);
      expect(reply.status).toBe(400);
      expect(reply.body.errors).toMatchObject([{ path: 'id' }]);
    },
  );
});
