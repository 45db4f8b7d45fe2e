import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/domain/json.ts';
import { failCompaction, startCompaction } from '../../src/domain/session/compaction-commands.ts';
import { CLEARS_NOTHING, Conversations } from '../support/api-conversation.ts';
import { type ApiServer, send, startApi } from '../support/api-server.ts';
import { TERMS } from '../support/given.ts';
import { assistant, ofTokens, user } from '../support/items.ts';

let api: ApiServer;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const { create, compact, compacted } = new Conversations(() => api);
const get = (path: string) => send(api, 'GET', path);
const context = async (id: string) => (await get(`/sessions/${id}/context`)).body;

describe('GET /sessions/:id/compactions', () => {
  it('lists them newest first, in pages', async () => {
    const id = await create();
    const full = await compacted(id, { mode: 'full' });
    const micro = await compacted(id, { mode: 'micro', trigger: 'tool' });
    const first = await get(`/sessions/${id}/compactions?limit=1`);
    expect(first.body.data).toMatchObject([
      { id: micro, outcome: 'skipped', outcome_reason: 'not_effective', trigger: 'tool' },
    ]);
    const rest = await get(`/sessions/${id}/compactions?cursor=${first.body.next_cursor}`);
    expect(rest.body).toMatchObject({
      data: [{ id: full, outcome: 'full_compacted', mode: 'full' }],
      next_cursor: null,
    });
  });

  it('refuses the cursor of another list', async () => {
    const id = await create();
    expect((await get(`/sessions/${id}/compactions?cursor=xyz`)).status).toBe(400);
  });

  it('says that there is no such compaction', async () => {
    const id = await create();
    for (const path of ['', '/diff']) {
      const reply = await get(`/sessions/${id}/compactions/nothing${path}`);
      expect(reply.status).toBe(404);
      expect(reply.body.detail).toContain('GET …/compactions lists those it has');
    }
  });
});

describe('one compaction in full', () => {
  it('tells everything about a full one', async () => {
    const id = await create();
    const cid = await compacted(id, { mode: 'full', instructions: 'Keep names.', focus: 'names' });
    const { body } = await get(`/sessions/${id}/compactions/${cid}`);
    expect(body).toMatchObject({
      id: cid,
      outcome: 'full_compacted',
      attempts: 1,
      request: { mode: 'full', trigger: 'manual', instructions: 'Keep names.', focus: 'names' },
      attempt_history: [{ attempt: 1, failure: null }],
      config: { enabled: true },
      skip: null,
      micro: null,
      cleared_tool_results: [],
      boundary: { subtype: 'compact_boundary', compact_metadata: { trigger: 'manual' } },
      summarizer: 'extractive',
      model: null,
      usage: { input: 0, output: 0, cache_read: 0 },
      durations: { total_ms: 0, summarizer_ms: 0 },
      threshold_exceeded: null,
    });
    expect(body.summary).toContain('Read the files.');
    expect(body.restored).toContainEqual(expect.objectContaining({ kind: 'todo', path: null }));
    expect(body.restored).toContainEqual(
      expect.objectContaining({ kind: 'file', path: 'src/f5.ts' }),
    );
    expect(body.tokens_after).toBeLessThan(Number(body.tokens_before));
  });

  it('tells of failed attempts and of why it ended', async () => {
    const id = await create();
    const { body: queued } = await compact(id, { mode: 'full' });
    const cid = String(queued.id);
    const ref = { tenant: 'local', session_id: id };
    const { store, world } = api.deps;
    const at = '2026-01-02T03:04:06.000Z';
    const clock = { at, now_ms: Date.parse(at) };
    for (const [attempt, will_retry] of [
      [1, true],
      [2, false],
    ] as const) {
      await store.commit(ref, startCompaction(world, cid), { at });
      const step = { compaction_id: cid, attempt };
      const failure = { reason: 'timeout', message: 'no answer in 120 s', will_retry } as const;
      await store.commit(ref, failCompaction(TERMS, step, failure, clock), { at });
    }
    const { body } = await get(`/sessions/${id}/compactions/${cid}`);
    expect(body).toMatchObject({
      status: 'ended',
      outcome: 'failed',
      outcome_reason: 'timeout',
      attempts: 2,
      attempt_history: [
        { attempt: 1, failure: { reason: 'timeout', will_retry: true } },
        { attempt: 2, failure: { message: 'no answer in 120 s', will_retry: false } },
      ],
      through: null,
      summary: null,
    });
  });

  it('tells why it was skipped', async () => {
    const id = await create(CLEARS_NOTHING);
    const cid = await compacted(id, { mode: 'micro' });
    const { body } = await get(`/sessions/${id}/compactions/${cid}`);
    expect(body.skip).toMatchObject({
      reason: 'not_effective',
      detail: expect.stringMatching(/^the context holds \d+ tokens, and /),
    });
  });
});

describe('the difference that a compaction made', () => {
  /** Both sides of the sums: what was there has gone somewhere, what is there came from somewhere. */
  function expectSums(diff: JsonObject): void {
    const tokens = Object(diff.tokens);
    expect(tokens.before).toBe(tokens.kept + tokens.cleared + tokens.removed);
    expect(tokens.after).toBe(tokens.kept + tokens.added);
  }

  it('is what a full one removed and put there', async () => {
    const id = await create();
    const cid = await compacted(id, { mode: 'full' });
    const { body } = await get(`/sessions/${id}/compactions/${cid}/diff`);
    const { through } = (await get(`/sessions/${id}/compactions/${cid}`)).body;
    expect(body.kept).toContainEqual({ seq: null, origin: 'initial', tokens: 2 });
    expect(body.removed).toContainEqual(
      expect.objectContaining({ seq: 2, item: user('Read the files.') }),
    );
    expect(Array.isArray(body.removed) && body.removed.length).toBe(Number(through) - 1);
    const origins = JSON.parse(JSON.stringify(body.added)).map((e: JsonObject) => e.origin);
    expect(origins).toEqual(expect.arrayContaining(['boundary', 'summary', 'file', 'todo']));
    expect(body).toMatchObject({ cleared: [] });
    expectSums(body);
  });

  it('is what a micro one cleared', async () => {
    const id = await create({ micro_compact_target_tokens: 1_000 });
    const cid = await compacted(id, { mode: 'micro' });
    const { body } = await get(`/sessions/${id}/compactions/${cid}/diff`);
    expect(body.cleared).toMatchObject(
      ['c0', 'c1', 'c2'].map((tool_use_id) => ({
        tool_use_id,
        kind: 'digested',
        tokens_before: 800,
      })),
    );
    expect(body).toMatchObject({ removed: [], added: [] });
    expectSums(body);
  });

  it('is empty for one that changed nothing, and not there yet for one under way', async () => {
    const id = await create(CLEARS_NOTHING);
    const skipped = await compacted(id, { mode: 'micro' });
    const { body } = await get(`/sessions/${id}/compactions/${skipped}/diff`);
    expect(body).toMatchObject({ cleared: [], removed: [], added: [] });
    const running = await compact(id);
    const reply = await get(`/sessions/${id}/compactions/${running.body.id}/diff`);
    expect(reply.status).toBe(409);
    expect(reply.body.detail).toBe(
      'the compaction is queued: ask again when its status is "ended"',
    );
  });
});

describe('revert', () => {
  const revert = (id: string, cid: string) =>
    send(api, 'POST', `/sessions/${id}/compactions/${cid}/revert`);

  it.each(['full', 'micro'])('gives back the context before a %s one', async (mode) => {
    const id = await create({ micro_compact_target_tokens: 1_000 });
    const before = await context(id);
    const cid = await compacted(id, { mode });
    expect((await context(id)).items).not.toEqual(before.items);
    const reply = await revert(id, cid);
    expect(reply.status).toBe(200);
    const after = await context(id);
    expect(after).toMatchObject({ items: before.items, tokens: before.tokens });
    expect(reply.body).toMatchObject({
      reverted: [cid],
      note: null,
      compaction: { id: cid, outcome: `${mode}_compacted`, reverted_at: expect.any(String) },
      version: after.version,
      context: { tokens: before.tokens },
    });
    const again = await revert(id, cid);
    expect(again.status).toBe(409);
    expect(again.body.detail).toBe('this compaction has already been reverted');
  });

  it('is refused for one that a later full one builds on', async () => {
    const id = await create();
    const first = await compacted(id, { mode: 'full' });
    const talk = Array.from({ length: 6 }, () => [user(ofTokens(300)), assistant(ofTokens(300))]);
    await send(api, 'POST', `/sessions/${id}/items`, { body: talk.flat() });
    const second = await compacted(id, { mode: 'full' });
    const reply = await revert(id, first);
    expect(reply.status).toBe(409);
    expect(reply.body.detail).toContain(`(${second}) builds on this one: revert that one first`);
    expect((await revert(id, second)).status).toBe(200);
    expect((await revert(id, first)).status).toBe(200);
  });

  it('takes the later ones back with it when it is told to', async () => {
    const id = await create();
    const talk = Array.from({ length: 6 }, () => [user(ofTokens(300)), assistant(ofTokens(300))]);
    const ids: string[] = [];
    for (let round = 0; round < 3; round++) {
      ids.push(await compacted(id, { mode: 'full' }));
      await send(api, 'POST', `/sessions/${id}/items`, { body: talk.flat() });
    }
    const [first = '', second = '', third = ''] = ids;
    const started = (await get(`/sessions/${id}/compactions/${second}`)).body.requested_version;
    const before = await get(`/sessions/${id}/context?at=${Number(started) - 1}`);
    const path = `/sessions/${id}/compactions/${second}/revert`;
    const reply = await send(api, 'POST', path, { body: { cascade: true } });
    expect(reply.status).toBe(200);
    const after = await context(id);
    expect(reply.body).toMatchObject({
      compaction: { id: second },
      reverted: [third, second],
      version: after.version,
      context: { tokens: after.tokens },
    });
    const { items } = after as { items: unknown[] };
    const was = before.body.items as unknown[];
    expect(items.slice(0, was.length - 1)).toEqual(was.slice(0, -1));
    expect(items.length).toBeGreaterThan(was.length);
    const page = await get(`/sessions/${id}/compactions`);
    const rows = page.body.data as { id: string; reverted_at: string | null }[];
    expect(rows.map((row) => [row.id, row.reverted_at !== null])).toEqual([
      [third, true],
      [second, true],
      [first, false],
    ]);
    expect((await revert(id, first)).body).toMatchObject({ reverted: [first] });
  });

  it('warns when the context is above the threshold again', async () => {
    const id = await create();
    const cid = await compacted(id, { mode: 'full' });
    const tight = { config: { auto_compact_threshold: 1_000 } };
    await send(api, 'PATCH', `/sessions/${id}`, { body: tight });
    const { body } = await revert(id, cid);
    expect(body.context).toMatchObject({ is_above_auto_compact: true });
    expect(body.note).toContain('above the threshold');
  });

  it('is refused while one is under way, and for one that changed nothing', async () => {
    const id = await create(CLEARS_NOTHING);
    const skipped = await compacted(id, { mode: 'micro' });
    const nothing = await revert(id, skipped);
    expect(nothing.status).toBe(409);
    expect(nothing.body.detail).toContain('did not change the context');
    const full = await compacted(id, { mode: 'full' });
    await compact(id);
    expect((await revert(id, full)).body.detail).toContain('is under way: cancel it or wait');
  });
});

describe('cancel', () => {
  const cancel = (id: string, cid: string) =>
    send(api, 'POST', `/sessions/${id}/compactions/${cid}/cancel`);

  it('ends one that is under way and stops its job', async () => {
    const id = await create();
    const before = await context(id);
    const cid = String((await compact(id)).body.id);
    const reply = await cancel(id, cid);
    expect(reply.body).toMatchObject({ id: cid, status: 'ended', outcome: 'cancelled' });
    expect(api.cancelled).toContain(cid);
    await api.work(api.dispatched.at(-1));
    expect((await context(id)).items).toEqual(before.items);
  });

  it('is refused for one that has ended, and for one that never was', async () => {
    const id = await create();
    const cid = await compacted(id, { mode: 'full' });
    const reply = await cancel(id, cid);
    expect(reply.status).toBe(409);
    expect(reply.body.detail).toContain('revert it to undo what it did');
    expect((await cancel(id, 'never')).status).toBe(404);
  });
});
