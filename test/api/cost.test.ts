import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NOTHING_LEFT_OUT } from '../../src/domain/session/events.ts';
import type { Summarizer, WrittenText } from '../../src/workers/summarizers/summarizer.ts';
import { Conversations } from '../support/api-conversation.ts';
import { type ApiServer, send, startApi } from '../support/api-server.ts';
import { assistant, user } from '../support/items.ts';

const USAGE = { input: 10_000, output: 500, cache_read: 2_000, cache_creation: 0 };
const FAILED = { input: 4_000, output: 0, cache_read: 0, cache_creation: 0 };

/** A model that answers at a price; the first answer of each list of failures comes to nothing. */
class PricedModel implements Summarizer<WrittenText> {
  readonly kind = 'asking';
  name = 'openai/gpt-4o-mini';
  failures = 0;

  summarize: Summarizer<WrittenText>['summarize'] = async () => {
    if (this.failures > 0) {
      this.failures -= 1;
      const message = 'no';
      return { ok: false, reason: 'no_summary', message, retryable: false, usage: FAILED };
    }
    const by = { summarizer: 'model', model: this.name, template: 't@1', usage: USAGE };
    const summary = { text: 'Short.', ...by, left_out: NOTHING_LEFT_OUT, truncated_turns: 0 };
    return { ok: true, kind: 'text', summary };
  };
}

const model = new PricedModel();
let api: ApiServer;
beforeAll(async () => {
  api = await startApi({}, model);
});
afterAll(() => api.close());

const { create, compacted } = new Conversations(() => api);
const get = async (path: string) => (await send(api, 'GET', path)).body;
const post = (path: string) => send(api, 'POST', path);
const patch = (id: string, body: { model: string }) =>
  send(api, 'PATCH', `/sessions/${id}`, { body });
const listed = async (id: string) => {
  const { text } = await send(api, 'GET', `/sessions/${id}/compactions`);
  return JSON.parse(text).data;
};

/** A session whose model has answered: 1,000 tokens of input, nine tenths of them from the cache. */
async function answered(): Promise<string> {
  const id = await create();
  await patch(id, { model: 'claude-sonnet-4-5' });
  const usage = { input_tokens: 100, cache_read_input_tokens: 900, output_tokens: 9_000 };
  await send(api, 'POST', `/sessions/${id}/items`, { body: [assistant('Well.', { usage })] });
  return id;
}

describe('the cost of a compaction', () => {
  it('is what was paid, and what it saves with every later call', async () => {
    const id = await answered();
    const cid = await compacted(id, { mode: 'full' });
    const more = [user('Go on.'), assistant('Yes.'), user('And on.'), assistant('Yes.')];
    await send(api, 'POST', `/sessions/${id}/items`, { body: more });
    const [row] = await listed(id);
    const saved = row.tokens_before - row.tokens_after;
    // 10,000 × 0.15 + 2,000 × 0.075 + 500 × 0.60 = 1,500 + 150 + 300 millionths.
    // Later calls: 0.9 × 0.30 + 0.1 × 3 = 0.57. The first one: 0.9 × 3.75 + 0.1 × 3 − 0.57 = 3.105 more.
    const first = (row.tokens_after * 3.105) / 1e6;
    expect(row.cost).toMatchObject({
      tokens: USAGE,
      summarizer_usd: 0.00195,
      cache_write_usd: expect.closeTo(first, 8),
      usd: expect.closeTo(0.00195 + first, 8),
      saved_tokens: saved,
      saves_usd_per_call: expect.closeTo((saved * 0.57) / 1e6, 8),
      pays_after_calls: Math.ceil((1_950 + row.tokens_after * 3.105) / (saved * 0.57)),
      calls_since: 2,
      unpriced: null,
    });
    expect((await get(`/sessions/${id}/compactions/${cid}`)).cost).toEqual(row.cost);
  });

  it('of answers that came to nothing counts, and stands in the log with their model', async () => {
    const id = await answered();
    model.failures = 1;
    const cid = await compacted(id, { mode: 'full' });
    const { cost, usage, summarizer } = await get(`/sessions/${id}/compactions/${cid}`);
    expect(summarizer).toBe('extractive');
    // 4,000 × 0.15 = 600 millionths.
    expect(cost).toMatchObject({ tokens: FAILED, summarizer_usd: 0.0006 });
    expect(usage).toEqual(FAILED);
    const { data } = await get(`/sessions/${id}/events?types=compaction.failed`);
    expect(data).toMatchObject([{ data: { model: 'openai/gpt-4o-mini' } }]);
  });

  it('has no price where the table has none, and says which model it was', async () => {
    const id = await create();
    const cid = await compacted(id, { mode: 'full' });
    expect((await get(`/sessions/${id}/compactions/${cid}`)).cost).toMatchObject({
      summarizer_usd: 0.00195,
      usd: null,
      saves_usd_per_call: null,
      unpriced: 'the session names no model',
    });
    await patch(id, { model: 'somebody/else' });
    expect((await get(`/sessions/${id}/compactions/${cid}`)).cost).toMatchObject({
      usd: null,
      unpriced: 'the price table does not have the model "somebody/else"',
    });
  });

  it('is that of the model which the messages name, where the session names none', async () => {
    const id = await create();
    const body = [assistant('Well.', { model: 'claude-sonnet-4-5' })];
    await send(api, 'POST', `/sessions/${id}/items`, { body });
    await compacted(id, { mode: 'full' });
    expect(await get(`/sessions/${id}/cost`)).toMatchObject({
      model: 'claude-sonnet-4-5',
      model_price: { input: 3, output: 15, cache_read: 0.3, cache_write: 3.75 },
      unpriced: { compactions: 0, reason: null },
    });
  });

  it('of a proposal is paid whatever becomes of it, and paid once', async () => {
    const id = await answered();
    const cid = await compacted(id, { mode: 'full', propose: true });
    const path = `/sessions/${id}/compactions/${cid}`;
    expect((await get(path)).cost).toMatchObject({
      tokens: USAGE,
      usd: 0.00195,
      saved_tokens: null,
    });
    const other = await compacted(id, { mode: 'full', propose: true });
    await post(`/sessions/${id}/compactions/${other}/discard`);
    await post(`${path}/apply`);
    expect((await get(path)).cost).toMatchObject({ tokens: USAGE, summarizer_usd: 0.00195 });
    expect((await get(`/sessions/${id}/compactions/${other}`)).cost).toMatchObject({
      usd: 0.00195,
      saved_tokens: null,
    });
    expect((await get(`/sessions/${id}/cost`)).tokens).toMatchObject({ input: 20_000 });
  });

  it('saves nothing once it is reverted', async () => {
    const id = await answered();
    const cid = await compacted(id, { mode: 'full' });
    await post(`/sessions/${id}/compactions/${cid}/revert`);
    const [{ cost }] = await listed(id);
    expect(cost).toMatchObject({ usd: 0.00195, saved_tokens: null, saves_usd_per_call: null });
  });
});

describe('GET /sessions/:id/cost', () => {
  it('sums all compactions', async () => {
    const id = await answered();
    await compacted(id, { mode: 'full' });
    await compacted(id, { mode: 'micro' });
    await send(api, 'POST', `/sessions/${id}/items`, { body: [user('On.'), assistant('Yes.')] });
    const rows = await listed(id);
    const body = await get(`/sessions/${id}/cost`);
    const [, { cost }] = rows;
    expect(body).toEqual({
      session_id: id,
      model: 'claude-sonnet-4-5',
      calls: 11,
      prices_date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      model_price: { input: 3, output: 15, cache_read: 0.3, cache_write: 3.75 },
      model_unpriced: null,
      compactions: 2,
      tokens: USAGE,
      usd: cost.usd,
      saved_tokens: cost.saved_tokens,
      saved_usd: cost.saves_usd_per_call,
      net_usd: expect.closeTo(cost.saves_usd_per_call - cost.usd, 8),
      unpriced: { compactions: 0, reason: null },
    });
  });

  it('does not know the net while a compaction has no price', async () => {
    const id = await create();
    await compacted(id, { mode: 'full' });
    expect(await get(`/sessions/${id}/cost`)).toMatchObject({
      model: null,
      model_price: null,
      model_unpriced: 'the session names no model',
      net_usd: null,
      unpriced: { compactions: 1, reason: 'the session names no model' },
    });
  });

  it('refuses an unknown session', async () => {
    expect((await send(api, 'GET', '/sessions/nobody/cost')).status).toBe(404);
  });

  it('holds with the rest of the store', async () => {
    expect((await api.deps.store.verify()).problems).toEqual([]);
  });
});
