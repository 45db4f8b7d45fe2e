import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/domain/json.ts';
import { Conversations } from '../support/api-conversation.ts';
import { type ApiServer, send, startApi } from '../support/api-server.ts';
import { assistant, user } from '../support/items.ts';

let api: ApiServer;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const { create, compact, compacted } = new Conversations(() => api);
const get = (path: string) => send(api, 'GET', path);
const post = (path: string, headers: Record<string, string> = {}) =>
  send(api, 'POST', path, { headers });
const append = (id: string, ...items: JsonObject[]) =>
  send(api, 'POST', `/sessions/${id}/items`, { body: items });
const context = async (id: string, query = '') =>
  (await get(`/sessions/${id}/context${query}`)).body;

/** Events of one type, as the API shows them. */
async function events(id: string, type: string) {
  const { text } = await get(`/sessions/${id}/events?types=${type}`);
  return JSON.parse(text).data;
}

/** A new session with an open proposal; their ids, and the path of the proposal. */
async function proposing(body: JsonObject = { mode: 'full' }, config: JsonObject = {}) {
  const id = await create(config);
  const before = await context(id);
  const cid = await compacted(id, { ...body, propose: true });
  return { id, cid, before, path: `/sessions/${id}/compactions/${cid}` };
}

describe('POST /sessions/:id/compact with "propose": true', () => {
  it.each([
    ['full', 'compaction.completed'],
    ['micro', 'compaction.micro_completed'],
    ['auto', 'compaction.micro_completed'],
  ])(
    'mode %s runs everything, stores the candidate, and leaves the context as it is',
    async (mode, type) => {
      const { id, before, path } = await proposing(
        { mode },
        { micro_compact_min_tokens_to_save: 100, auto_compact_threshold: 8_000 },
      );
      const { items, tokens } = await context(id);
      expect({ items, tokens }).toEqual({ items: before.items, tokens: before.tokens });
      expect((await get(path)).body).toMatchObject({
        status: 'ended',
        outcome: 'proposed',
        reason: 'proposal',
        tokens_before: before.tokens,
        proposal: { state: 'open', superseded_by: null },
      });
      const events = await get(`/sessions/${id}/events?types=compaction.proposed`);
      expect(events.body.data).toMatchObject([{ data: { candidate: { type } } }]);
    },
  );

  it('waits for the end where it is asked to', async () => {
    const id = await create();
    const reply = compact(id, { mode: 'full', propose: true }, { Prefer: 'wait=20' });
    await expect.poll(() => api.dispatched.at(-1)?.ref.session_id).toBe(id);
    await api.work(api.dispatched.at(-1));
    expect(await reply).toMatchObject({ status: 200, body: { outcome: 'proposed' } });
  });

  it('tells an agent that asks for one what it has got', async () => {
    const id = await create();
    const cid = await compacted(id, { mode: 'full', trigger: 'tool', propose: true });
    const { body } = await get(`/sessions/${id}/compactions/${cid}`);
    expect(body.message).toMatch(
      /^A proposal is ready, and nothing has changed yet: \d+ → \d+ tokens/,
    );
  });

  it('refuses a dry run beside it', async () => {
    const id = await create();
    const reply = await compact(id, { propose: true, dry_run: true });
    expect(reply.status).toBe(400);
    expect(JSON.stringify(reply.body)).toContain('a dry run makes no proposal: send one of');
  });

  it('is repeated safely with an idempotency key', async () => {
    const id = await create();
    const headers = { 'Idempotency-Key': 'propose-1' };
    const first = await compact(id, { mode: 'full', propose: true }, headers);
    await api.work(api.dispatched.at(-1));
    const again = await compact(id, { mode: 'full', propose: true }, headers);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again).toMatchObject({ status: 200, body: { id: first.body.id, outcome: 'proposed' } });
    const other = await compact(id, { mode: 'micro', propose: true }, headers);
    expect(other.status).toBe(422);
    expect((await get(`/sessions/${id}/compactions`)).body.data).toHaveLength(1);
  });

  it('refuses to take a compaction that is under way for a proposal, and the other way round', async () => {
    const id = await create();
    await compact(id, { mode: 'full' });
    const proposal = await compact(id, { propose: true });
    expect(proposal).toMatchObject({
      status: 409,
      body: { type: 'urn:palimpsest:problem:compaction-not-proposable' },
    });
    expect(proposal.body.detail).toContain('is under way and will be applied');
    await api.work(api.dispatched.at(-1));
    await compact(id, { mode: 'full', propose: true });
    const plain = await compact(id, { mode: 'full' });
    expect(plain.status).toBe(409);
    expect(plain.body.detail).toMatch(/^the proposal \S+ is being written: wait for its end/);
  });
});

describe('looking at a proposal', () => {
  it('shows the exact context that it gives, in any format', async () => {
    const { id, cid, before, path } = await proposing();
    await append(id, assistant('Meanwhile.'));
    const shown = await get(`/sessions/${id}/context?proposal=${cid}`);
    expect(shown.headers.get('etag')).toBe(`"${shown.body.version}"`);
    const other = await context(id, `?proposal=${cid}&format=openai-chat`);
    expect(JSON.stringify(shown.body.items)).toContain('Meanwhile.');
    expect(shown.body.tokens).toBeLessThan(Number(before.tokens));
    expect(shown.body.base_compaction_id).toBe(cid);
    await post(`${path}/apply`);
    const after = await context(id);
    expect(JSON.stringify(after.items)).toBe(JSON.stringify(shown.body.items));
    expect(after.tokens).toBe(shown.body.tokens);
    expect((await context(id, '?format=openai-chat')).items).toEqual(other.items);
  });

  it('shows what clearing gives', async () => {
    const config = { micro_compact_min_tokens_to_save: 100 };
    const { id, cid, path } = await proposing({ mode: 'micro' }, config);
    const shown = await context(id, `?proposal=${cid}`);
    expect(shown.compacted_tool_ids).toEqual(['c0', 'c1', 'c2']);
    await post(`${path}/apply`);
    const { version: _version, at: _at, ...after } = await context(id);
    expect(shown).toMatchObject(after);
  });

  it('tells all of the result, as of one that is in place', async () => {
    const { path } = await proposing();
    const { body } = await get(path);
    await post(`${path}/apply`);
    const applied = (await get(path)).body;
    for (const field of [
      'summary',
      'boundary',
      'through',
      'restored',
      'tokens',
      'usage',
      'config',
    ]) {
      expect(body[field]).not.toBeNull();
      expect(applied[field]).toEqual(body[field]);
    }
  });

  it('compares the context now with the one that it gives', async () => {
    const { path, before } = await proposing();
    const { body } = await get(`${path}/diff`);
    expect(body.added).not.toEqual([]);
    expect(body.after_version).toBe(Number(body.before_version) + 1);
    expect(body.before_version).toBe(Number(before.version) + 3);
    await post(`${path}/apply`);
    const applied = (await get(`${path}/diff`)).body;
    const { added, removed, kept, tokens } = body;
    expect(applied).toMatchObject({ added, removed, kept, tokens });
  });

  it('refuses a version beside it, and what is no open proposal', async () => {
    const { id, cid, path } = await proposing();
    const both = await get(`/sessions/${id}/context?proposal=${cid}&at=3`);
    expect(both.status).toBe(400);
    expect(both.body.detail).toMatch(/^send one of "at" and "proposal"/);
    expect((await get(`/sessions/${id}/context?proposal=nothing`)).status).toBe(404);
    await post(`${path}/discard`);
    const gone = await get(`/sessions/${id}/context?proposal=${cid}`);
    expect(gone.status).toBe(409);
    expect(gone.body.detail).toBe('this proposal was discarded: propose again');
  });

  it('does not hold up who waits for a compaction', async () => {
    const id = await create();
    await compact(id, { mode: 'full', propose: true });
    const { status } = await get(`/sessions/${id}/context?wait=compaction`);
    expect(status).toBe(200);
    await api.work(api.dispatched.at(-1));
  });
});

describe('POST …/apply', () => {
  it('installs exactly what was proposed, with what came meanwhile behind it', async () => {
    const { id, cid, path } = await proposing();
    const [proposed] = await events(id, 'compaction.proposed');
    await append(id, user('One more thing.'));
    const reply = await post(`${path}/apply`);
    expect(reply.status).toBe(200);
    const [completed] = await events(id, 'compaction.completed');
    const { candidate } = proposed.data;
    for (const field of ['entries', 'summary_text', 'through', 'previous', 'mode']) {
      expect(JSON.stringify(completed.data[field])).toBe(JSON.stringify(candidate.data[field]));
    }
    const items = JSON.stringify((await context(id)).items);
    expect(items.slice(-100)).toContain('One more thing.');
    expect(reply.body).toMatchObject({
      compaction: { id: cid, outcome: 'full_compacted', ended_version: completed.version },
      version: completed.version,
      context: { tokens: (await context(id)).tokens },
    });
    expect((await get(path)).body.proposal).toMatchObject({ state: 'applied' });
  });

  it('goes by the configuration that the proposal was made with', async () => {
    const { id, path } = await proposing();
    const body = { config: { token_safety_multiplier: 3 } };
    await send(api, 'PATCH', `/sessions/${id}`, { body });
    await post(`${path}/apply`);
    const { tokens_after } = (await get(path)).body;
    expect((await context(id)).tokens).toBeGreaterThan(Number(tokens_after) * 2);
  });

  it('can be reverted like every other', async () => {
    const { id, before, path } = await proposing();
    await post(`${path}/apply`);
    expect((await post(`${path}/revert`)).status).toBe(200);
    expect((await context(id)).items).toEqual(before.items);
  });

  it('is repeated safely with an idempotency key, and only then', async () => {
    const { path } = await proposing();
    const headers = { 'Idempotency-Key': 'apply-1' };
    const first = await post(`${path}/apply`, headers);
    const again = await post(`${path}/apply`, headers);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.body).toEqual(first.body);
    const without = await post(`${path}/apply`);
    expect(without.status).toBe(409);
    expect(without.body).toMatchObject({
      type: 'urn:palimpsest:problem:proposal-not-open',
      detail: 'this proposal was applied already',
    });
  });

  it.each(['full', 'micro'])('is refused when a %s compaction was applied since', async (mode) => {
    const { id, path } = await proposing({}, { micro_compact_min_tokens_to_save: 100 });
    await refusedFor(path, await compacted(id, { mode }));
  });

  it('is refused when a compaction was reverted since', async () => {
    const id = await create({ auto_compact_enabled: false });
    const old = await compacted(id, { mode: 'full' });
    const more = `More: ${'word '.repeat(900)}`;
    await append(id, ...[1, 2, 3, 4].flatMap(() => [user(more), assistant(more)]));
    const cid = await compacted(id, { mode: 'full', propose: true });
    await post(`/sessions/${id}/compactions/${old}/revert`);
    await refusedFor(`/sessions/${id}/compactions/${cid}`, old);
  });

  /** The proposal was made for a context that this compaction has changed. */
  async function refusedFor(path: string, superseded_by: string): Promise<void> {
    const reply = await post(`${path}/apply`);
    expect(reply.status).toBe(409);
    expect(reply.body.detail).toMatch(
      new RegExp(`made for another context: compaction ${superseded_by} was applied or reverted`),
    );
    expect((await get(path)).body).toMatchObject({
      outcome: 'discarded',
      outcome_reason: 'superseded',
      proposal: { state: 'discarded', superseded_by },
    });
  }

  it('an automatic compaction goes ahead of a proposal that stands', async () => {
    const config = { auto_compact_threshold: 6_500, min_new_tokens_between_compactions: 0 };
    const { id, cid, path } = await proposing(
      { mode: 'full' },
      { ...config, auto_compact_enabled: false },
    );
    await send(api, 'PATCH', `/sessions/${id}`, {
      body: { config: { auto_compact_enabled: true } },
    });
    const { body } = await append(id, user(`Go on. ${'word '.repeat(500)}`));
    expect(body.compaction).toMatchObject({ trigger: 'auto' });
    const early = await post(`${path}/apply`);
    expect(early.status).toBe(409);
    expect(early.body.detail).toMatch(/is under way: wait for its end or cancel it, then apply/);
    await api.work(api.dispatched.at(-1));
    expect((await get(path)).body).toMatchObject({ id: cid, outcome: 'discarded' });
  });

  it('is refused of what is no proposal', async () => {
    const id = await create();
    const plain = await compacted(id, { mode: 'full' });
    const path = `/sessions/${id}/compactions`;
    const reply = await post(`${path}/${plain}/apply`);
    expect(reply.status).toBe(409);
    expect(reply.body.detail).toMatch(/^this compaction is no proposal: POST/);
    expect((await post(`${path}/nothing/apply`)).status).toBe(404);
    const queued = await compact(id, { mode: 'micro', propose: true });
    const early = await post(`${path}/${queued.body.id}/apply`);
    expect(early.body.detail).toBe('this proposal is queued: wait for its end');
    await api.work(api.dispatched.at(-1));
    const skipped = await post(`${path}/${queued.body.id}/apply`);
    expect(skipped.body.detail).toBe(
      'no proposal has come of this compaction: it ended as "skipped"',
    );
  });

  it('takes no fields', async () => {
    const { path } = await proposing();
    for (const verb of ['apply', 'discard']) {
      const reply = await send(api, 'POST', `${path}/${verb}`, { body: { now: true } });
      expect(reply.status).toBe(400);
    }
  });
});

describe('POST …/discard', () => {
  it('drops the proposal, and leaves the context as it is', async () => {
    const { id, cid, before, path } = await proposing();
    const reply = await post(`${path}/discard`, { 'Idempotency-Key': 'd' });
    expect(reply).toMatchObject({
      status: 200,
      body: { id: cid, outcome: 'discarded', outcome_reason: 'requested' },
    });
    expect((await context(id)).items).toEqual(before.items);
    expect((await post(`${path}/discard`, { 'Idempotency-Key': 'd' })).status).toBe(200);
    const again = await post(`${path}/discard`);
    expect(again.status).toBe(409);
    expect(again.body.detail).toBe('this proposal was discarded: propose again');
  });
});

describe('a proposal elsewhere', () => {
  it('belongs to its session: a fork has none', async () => {
    const { id, cid, path } = await proposing();
    const forked = (await send(api, 'POST', `/sessions/${id}/fork`, { body: {} })).body.id;
    expect((await post(`/sessions/${forked}/compactions/${cid}/apply`)).status).toBe(404);
    expect((await post(`${path}/apply`)).status).toBe(200);
  });

  it('stands in the audit trail, with what became of it', async () => {
    const { id, cid, path } = await proposing();
    const other = await compacted(id, { mode: 'full', propose: true });
    await post(`${path}/apply`);
    const { text } = await get(`/sessions/${id}/rollout`);
    const lines = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const told = lines.filter(({ type }) => type !== 'response_item' && type !== 'session_meta');
    expect(told.map(({ type, payload }) => payload.type ?? type)).toEqual([
      'CompactProposed',
      'CompactProposed',
      'compacted',
      'ContextCompacted',
      'CompactCompleted',
      'CompactDiscarded',
    ]);
    expect(told[0].payload).toMatchObject({ compaction_id: cid, strategy: 'full' });
    expect(told[2].payload.trigger).toMatchObject({ type: 'manual' });
    expect(told[5].payload).toMatchObject({ compaction_id: other, superseded_by: cid });
  });

  it('holds with the rest of the store', async () => {
    expect((await api.deps.store.verify()).problems).toEqual([]);
  });
});
