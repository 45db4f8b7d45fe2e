import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type ApiServer, send, startApi } from '../support/api-server.ts';
import { assistant, call, ofTokens, result, user } from '../support/items.ts';

let api: ApiServer;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const sync = (id: string, body: unknown, headers: Record<string, string> = {}) =>
  send(api, 'POST', `/sessions/${id}/sync`, { body, headers });

const TALK = [user('Look.'), call('c1', 'Read', { path: 'a' }), result('c1', 'text')];

const contextSize = z.object({ limit: z.number(), tokens: z.number() });

describe('POST /sessions/:id/sync', () => {
  it('creates the session, appends what is new and answers the context', async () => {
    const first = await sync('new', { items: TALK.slice(0, 1) });
    expect(first.status).toBe(200);
    expect(first.body).toMatchObject({ session_id: 'new', version: 2, matched: 0, appended: 1 });
    const reply = await sync('new', { items: TALK });
    const context = await send(api, 'GET', '/sessions/new/context?origins=true');
    expect(reply.body).toEqual({
      session_id: 'new',
      version: 4,
      matched: 1,
      appended: 2,
      superseded: [],
      is_compacted_by_client: false,
      divergence: null,
      compaction: null,
      advice: null,
      note: null,
      context: {
        format: 'anthropic',
        items: context.body.items,
        compacted_tool_ids: [],
        base_compaction_id: null,
        hash: context.body.hash,
        tokens: context.body.tokens,
        limit: expect.any(Number),
        percent_remaining: expect.any(Number),
        is_above_warning: false,
        is_above_error: false,
        is_above_auto_compact: false,
      },
    });
  });

  it('takes the format of the items for a session that it creates', async () => {
    const items = [
      { role: 'developer', content: 'Be short.' },
      { role: 'user', content: 'Hi.' },
    ];
    const reply = await sync('responses', { items, format: 'openai-responses' });
    expect(reply.body).toMatchObject({ appended: 2, context: { format: 'openai-responses' } });
    const other = await sync('responses', { items, format: 'anthropic' });
    expect(other.status).toBe(400);
    expect(other.body).toMatchObject({
      type: 'urn:palimpsest:problem:invalid-request',
      detail:
        'the session has the format "openai-responses", and the history was sent as "anthropic": ' +
        'send it as "openai-responses", or to another session',
      errors: [{ path: 'format', message: 'must be "openai-responses", or left out' }],
    });
  });

  it('keeps the overhead of the client free, and compacts what is above the new limit', async () => {
    await send(api, 'POST', '/sessions', { body: { id: 'room', context_window: 16_000 } });
    const items = Array.from({ length: 10 }, (_, turn) =>
      turn % 2 === 0 ? user(`${turn} ${ofTokens(800)}`) : assistant(`${turn} ${ofTokens(800)}`),
    );
    const first = await sync('room', { items });
    expect(first.body).toMatchObject({ compaction: null, note: null });
    const { limit } = contextSize.parse(first.body.context);
    const second = await sync('room', { items, overhead: 7_000 });
    expect(second.body).toMatchObject({ matched: 10, appended: 0, context: { limit: 8_800 } });
    expect(limit).toBeGreaterThan(8_800);
    const waiting = sync('room', { items, overhead: 7_000, wait: 'compaction' });
    await api.work(api.dispatched.at(-1));
    const after = await waiting;
    expect(after.body.context).toMatchObject({ base_compaction_id: expect.any(String) });
    expect(contextSize.parse(after.body.context).tokens).toBeLessThan(8_800);
    const most = await sync('room', { items, overhead: 1_000_000 });
    expect(most.body.note).toMatch(/^an overhead of 1000000 tokens leaves no room in a window/);
  });

  it.each([-1, 1.5, '7'])('refuses an overhead of %j', async (overhead) => {
    const reply = await sync('refused', { items: [user('Hi.')], overhead });
    expect(reply.status).toBe(400);
    expect(reply.body.errors).toEqual([
      { path: 'overhead', message: 'must be a number of tokens, 0 or more' },
    ]);
  });

  it('requests a compaction as an append does, and waits for it where it is asked to', async () => {
    const body = { id: 'full', context_window: 16_000 };
    await send(api, 'POST', '/sessions', { body });
    const items = Array.from({ length: 30 }, (_, turn) =>
      turn % 2 === 0 ? user(`${turn} ${ofTokens(600)}`) : assistant(`${turn} ${ofTokens(600)}`),
    );
    const reply = await sync('full', { items });
    expect(reply.body).toMatchObject({ appended: 30, compaction: { status: 'queued' } });
    const waiting = sync('full', { items, wait: 'compaction' });
    await api.work(api.dispatched.at(-1));
    const after = await waiting;
    expect(after.body).toMatchObject({ matched: 30, appended: 0 });
    expect(after.body.context).toMatchObject({ base_compaction_id: expect.any(String) });
    const next = await sync('full', { items: [...items, user('Go on.')] });
    expect(next.body).toMatchObject({ matched: 30, appended: 1, divergence: null });
  });

  it('answers the same request again from what it answered first', async () => {
    await sync('idem', { items: TALK.slice(0, 1) });
    const key = { 'idempotency-key': 'k1' };
    const first = await sync('idem', { items: TALK.slice(0, 2) }, key);
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    await sync('idem', { items: [...TALK, assistant('Seen.')] });
    const again = await sync('idem', { items: TALK.slice(0, 2) }, key);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.body).toMatchObject({ matched: 1, appended: 1, divergence: null });
    const other = await sync('idem', { items: TALK }, key);
    expect(other.status).toBe(422);
    expect(other.body.detail).toContain('was used with another request body');
    // Where nothing was new, and in a fork.
    const known = await sync(
      'idem',
      { items: [...TALK, assistant('Seen.')] },
      { 'idempotency-key': 'k2' },
    );
    expect(known.body).toMatchObject({ appended: 0 });
    const edited = { items: [user('Else.'), assistant('Yes.')] };
    const forked = await sync('idem', edited, { 'idempotency-key': 'k3' });
    const replayed = await sync('idem', edited, { 'idempotency-key': 'k3' });
    expect(replayed.headers.get('idempotency-replayed')).toBe('true');
    expect(replayed.body).toMatchObject({ session_id: forked.body.session_id, appended: 2 });
  });

  it('forks a history of another past, or refuses it', async () => {
    await sync('past', { items: TALK });
    const edited = { items: [TALK[0], call('c2', 'Read', { path: 'b' }), result('c2', 'other')] };
    const refused = await sync('past', { ...edited, on_divergence: 'reject' });
    expect(refused.status).toBe(409);
    expect(refused.body).toMatchObject({
      type: 'urn:palimpsest:problem:history-diverged',
      title: 'The history is another one',
      detail:
        'the history is another one than that of session "past" after version 2: item 1 is not what ' +
        'the session has there. Nothing was appended: send "on_divergence": "fork" to go on in a fork',
      errors: [{ path: 'items.1', message: 'this is not what the session has there' }],
    });
    const forked = await sync('past', edited);
    expect(forked.body).toMatchObject({
      matched: 1,
      appended: 2,
      divergence: { parent_session_id: 'past', parent_version: 2, index: 1 },
    });
    expect(forked.body.session_id).toMatch(/^past-[0-9a-f]{16}$/);
    expect((await send(api, 'GET', '/sessions/past')).body.version).toBe(4);
  });

  it('writes only to the version that is expected', async () => {
    await sync('match', { items: TALK.slice(0, 1) });
    const reply = await sync('match', { items: TALK }, { 'if-match': '"7"' });
    expect(reply.status).toBe(412);
    expect(reply.body.detail).toBe(
      'the session is at version 2, not 7: read it again before you append',
    );
    const missing = await sync('nobody', { items: TALK }, { 'if-match': '*' });
    expect(missing.body.detail).toContain('If-Match: * requires an existing session');
    expect((await sync('match', { items: TALK }, { 'if-match': '"2"' })).status).toBe(200);
  });

  it.each([
    ['no items', {}, 'must be an array: the whole history, oldest first'],
    ['an empty history', { items: [] }, 'send the whole history'],
    ['the body of a request to a model', { messages: TALK }, 'messages'],
    ['another divergence', { items: TALK, on_divergence: 'merge' }, 'on_divergence'],
    ['another format', { items: TALK, format: 'gemini' }, 'format'],
    ['another wait', { items: TALK, wait: 5 }, 'must be "compaction"'],
    ['no item at all', { items: [null] }, 'must be an item: a JSON object'],
    [
      'an item of no format',
      { items: [{ role: 'judge', content: 'x' }] },
      'nothing was appended: the history does not fit the session\'s format "anthropic"',
    ],
  ])('refuses %s', async (_, body, message) => {
    const reply = await sync('wrong', body);
    expect(reply.status).toBe(400);
    expect(JSON.stringify(reply.body)).toContain(JSON.stringify(message).slice(1, -1));
    expect((await send(api, 'GET', '/sessions/wrong')).status).toBe(404);
  });

  it('refuses lines, packed bodies and too many items', async () => {
    const lines = await sync('wrong', '{}', { 'content-type': 'application/x-ndjson' });
    expect(lines.status).toBe(415);
    expect(lines.body.detail).toBe('send this body as application/json');
    const items = Array.from({ length: 1_001 }, () => user('x'));
    const many = await sync('wrong', { items });
    expect(many.status).toBe(413);
    expect(many.body.detail).toBe(
      'a history may have 1000 items, and this one has 1001: compact it, or begin a new session',
    );
  });

  it('loses nothing where many sync at once', async () => {
    const histories = Array.from({ length: 8 }, (_, index) => TALK.slice(0, 1 + (index % 3)));
    const replies = await Promise.all(histories.map((items) => sync('many', { items })));
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
    const last = await sync('many', { items: TALK });
    expect(last.body.context).toMatchObject({ items: [{ item: TALK[0] }, {}, {}] });
  });
});
