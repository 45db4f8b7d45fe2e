import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Conversations } from '../support/api-conversation.ts';
import { type ApiServer, send, startApi } from '../support/api-server.ts';

let api: ApiServer;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const { create, compact, compacted } = new Conversations(() => api);
const get = (path: string) => send(api, 'GET', path);

describe('POST /sessions/:id/compact', () => {
  it('answers 202 with the place of the compaction, and hands it over', async () => {
    const id = await create();
    const reply = await compact(id, { mode: 'full', instructions: 'Keep names.', focus: 'names' });
    const cid = String(reply.body.id);
    expect(reply.status).toBe(202);
    expect(reply.headers.get('location')).toBe(`/sessions/${id}/compactions/${cid}`);
    expect(reply.body).toMatchObject({
      session_id: id,
      status: 'queued',
      outcome: null,
      mode: 'full',
      trigger: 'manual',
      reason: 'requested',
      attempts: 0,
      ended_at: null,
    });
    expect(api.dispatched.at(-1)).toEqual({
      ref: { tenant: 'local', session_id: id },
      compaction_id: cid,
    });
    expect((await get(`/sessions/${id}`)).body.running_compaction).toEqual({
      id: cid,
      status: 'queued',
      mode: 'full',
      trigger: 'manual',
    });
  });

  it('answers the one under way instead of a second', async () => {
    const id = await create();
    const first = await compact(id, { mode: 'full' });
    const before = api.dispatched.length;
    const second = await compact(id, { mode: 'micro', trigger: 'tool' });
    expect(second.status).toBe(202);
    expect(second.body).toEqual(first.body);
    expect(api.dispatched).toHaveLength(before);
  });

  it('answers 200 at once when a tool asks for it with too little that is new', async () => {
    const id = await create({ tool_compact_min_tokens: 1_000_000 });
    const before = api.dispatched.length;
    const reply = await compact(id, { trigger: 'tool' });
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({
      status: 'ended',
      trigger: 'tool',
      outcome: 'not_needed',
      outcome_reason: 'too_few_tokens',
      attempts: 0,
    });
    expect(api.dispatched).toHaveLength(before);
    const { body } = await get(`/sessions/${id}`);
    expect(body).toMatchObject({
      running_compaction: null,
      counts: { compactions: { skipped: 1 } },
    });
    // Nobody else is held to that.
    expect((await compact(id, { mode: 'full' })).status).toBe(202);
  });

  it('answers 200 when it has ended within the wait', async () => {
    const id = await create();
    const waiting = compact(id, { mode: 'full' }, { prefer: 'respond-async, wait="30"' });
    const before = api.dispatched.length;
    await expect.poll(() => api.dispatched.length).toBeGreaterThan(before);
    await api.work(api.dispatched.at(-1));
    const reply = await waiting;
    expect(reply.status).toBe(200);
    expect(reply.headers.get('preference-applied')).toBe('wait=30');
    expect(reply.body).toMatchObject({ status: 'ended', outcome: 'full_compacted' });
  });

  it.each(['wait=0', 'wait=-1', 'wait', 'wait=soon', 'return=minimal'])(
    'does not hold the answer for Prefer: %s',
    async (prefer) => {
      expect((await compact(await create(), {}, { prefer })).status).toBe(202);
    },
  );

  it('says that remote compaction is not available', async () => {
    const reply = await compact(await create(), { mode: 'remote' });
    expect(reply.status).toBe(400);
    expect(reply.body.detail).toBe(
      'remote compaction is not available for this session: it needs a session of format ' +
        '"openai-responses", and this one is "anthropic"; use mode "auto", "micro" or "full"',
    );
  });

  it('says that compaction is switched off', async () => {
    const reply = await compact(await create({ enabled: false }));
    expect(reply.status).toBe(409);
    expect(reply.body.detail).toContain('set config.enabled to true');
  });

  it.each([
    [{ mode: 'fully' }, 'mode'],
    [{ trigger: 'auto' }, 'trigger'],
    [{ propose: 'yes' }, 'propose'],
    [{ instructions: '' }, 'instructions'],
    [{ instructions: 'x'.repeat(20_001) }, 'instructions'],
    [{ dry_run: 'yes' }, 'dry_run'],
  ])('refuses %o', async (body, path) => {
    const reply = await compact('any', body);
    expect(reply.status).toBe(400);
    expect(reply.body.errors).toMatchObject([{ path }]);
  });
});

describe('dry_run', () => {
  it('shows the cut and the prompt of a full compaction, and appends nothing', async () => {
    const id = await create();
    const reply = await compact(id, { mode: 'full', dry_run: true });
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({ dry_run: true, action: 'full', cleared_tool_results: [] });
    expect((await get(`/sessions/${id}`)).body).toMatchObject({ running_compaction: null });
    const cid = await compacted(id, { mode: 'full' });
    const done = (await get(`/sessions/${id}/compactions/${cid}`)).body;
    expect(reply.body.through).toBe(done.through);
    expect(reply.body.tokens_before).toBe(done.tokens_before);
    expect(reply.body.prompt_tokens).toBeGreaterThan(4_000);
  });

  it('shows what a micro-compaction would clear', async () => {
    const id = await create({ micro_compact_target_tokens: 1_000 });
    const { body } = await compact(id, { mode: 'micro', dry_run: true });
    expect(body).toMatchObject({ action: 'micro', skip: null, through: null });
    const cid = await compacted(id, { mode: 'micro' });
    const done = (await get(`/sessions/${id}/compactions/${cid}`)).body;
    expect(body.cleared_tool_results).toEqual(done.cleared_tool_results);
    expect(body.tokens_after_micro).toBe(done.tokens_after);
  });

  it('shows a full compaction when clearing is not enough', async () => {
    const id = await create({
      micro_compact_target_tokens: 1_000,
      auto_compact_threshold: 2_000,
      auto_compact_enabled: false,
    });
    const { body } = await compact(id, { dry_run: true });
    expect(body).toMatchObject({ action: 'full', cleared_tool_results: [] });
    const cid = await compacted(id, {});
    const done = (await get(`/sessions/${id}/compactions/${cid}`)).body;
    expect(done).toMatchObject({ outcome: 'full_compacted', through: body.through });
    expect(done.cleared_tool_results).toEqual(body.cleared_tool_results);
    expect(done.tokens).toMatchObject({ covered: body.covered_tokens });
  });

  it('says why nothing would happen', async () => {
    await send(api, 'POST', '/sessions', { body: { id: 'empty' } });
    const { body } = await compact('empty', { dry_run: true });
    expect(body).toMatchObject({
      action: 'skip',
      skip: { reason: 'nothing_to_compact', detail: expect.stringContaining('no items') },
    });
  });

  it('loads the tokenizer that it counts with', async () => {
    const id = await create();
    const config = { token_counter: 'o200k_base' };
    await send(api, 'PATCH', `/sessions/${id}`, { body: { config } });
    expect((await compact(id, { dry_run: true })).status).toBe(200);
  });
});
