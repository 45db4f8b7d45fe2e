import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/domain/json.ts';
import { type ApiServer, SMALL_WINDOW, send, startApi } from '../support/api-server.ts';
import { assistant, attachment, GHOST, ofTokens, tool, user } from '../support/items.ts';

let api: ApiServer;
/** Versions of the parent at which something else than an append had just happened. */
const moments: number[] = [];

const append = (id: string, body: unknown) => send(api, 'POST', `/sessions/${id}/items`, { body });
const context = async (id: string, query = '') =>
  (await send(api, 'GET', `/sessions/${id}/context${query}`)).body;
const fork = (body: JsonObject, id = 'parent') =>
  send(api, 'POST', `/sessions/${id}/fork`, { body });

async function compact(mode: string): Promise<string> {
  const { body } = await send(api, 'POST', '/sessions/parent/compact', { body: { mode } });
  await api.work(api.dispatched.at(-1));
  const { body: ended } = await send(api, 'GET', `/sessions/parent/compactions/${body.id}`);
  expect(ended.outcome).toBe(`${mode}_compacted`);
  moments.push(Number((await context('parent')).version));
  return String(body.id);
}

beforeAll(async () => {
  api = await startApi();
  await send(api, 'POST', '/sessions', {
    body: {
      id: 'parent',
      context_window: SMALL_WINDOW,
      config: {
        micro_compact_target_tokens: 100,
        micro_compact_min_tokens_to_save: 100,
        auto_compact_enabled: false,
      },
      initial_context: [user('Rules.')],
      metadata: { owner: 'x' },
    },
  });
  const reads = (name: string) =>
    Array.from({ length: 6 }, (_, i) => tool(`${name}${i}`, 'Read', 500)).flat();
  await append('parent', [user('Read.'), attachment('todo', 'ship it'), GHOST, ...reads('a')]);
  moments.push(Number((await context('parent')).version));
  await compact('micro');
  await append('parent', [user(ofTokens(300)), assistant('ok'), ...reads('b')]);
  const full = await compact('full');
  await append('parent', [...reads('c'), user('Now what?')]);
  await compact('micro');
  const answer = assistant('This.', { usage: { input_tokens: 7_000, output_tokens: 3 } });
  await append('parent', [answer, user('Go on.')]);
  moments.push(Number((await context('parent')).version));
  await send(api, 'POST', `/sessions/parent/compactions/${full}/revert`);
  moments.push(Number((await context('parent')).version));
});
afterAll(() => api.close());

describe('POST /sessions/:id/fork', () => {
  it('makes a context that equals the parent at every version', async () => {
    const { version } = await context('parent');
    const last = moments[4] ?? 0;
    const reported = new Set([last - 1, last]);
    for (let at = 1; at <= Number(version); at++) {
      const reply = await fork({ at, id: `fork-${at}` });
      expect(reply.status, `version ${at}`).toBe(201);
      const [mine, theirs] = [await context(`fork-${at}`), await context('parent', `?at=${at}`)];
      expect(mine.items, `version ${at}`).toEqual(theirs.items);
      // Of an earlier version an estimate is shown; the fork starts with the figure reported there.
      if (reported.has(at)) expect(mine.tokens, `version ${at}`).toBeGreaterThanOrEqual(7_003);
      else expect(mine.tokens, `version ${at}`).toBe(theirs.tokens);
    }
  });

  it('counts as its parent does, with the usage that was reported', async () => {
    const reply = await fork({ at: moments[4] ?? 0, id: 'counted' });
    expect(reply.body).toMatchObject({ context: { tokens: 7_003 + Math.ceil(2 * 1.33) } });
    await fork({ id: 'after-revert' });
    expect((await context('after-revert')).tokens).toBe((await context('parent')).tokens);
  });

  it('answers the new session, with the settings of the parent and where it comes from', async () => {
    const reply = await fork({ at: 3 });
    expect(reply.headers.get('location')).toBe(`/sessions/${reply.body.id}`);
    expect(reply.body).toMatchObject({
      context_window: SMALL_WINDOW,
      metadata: { owner: 'x' },
      config_overrides: { micro_compact_target_tokens: 100 },
      forked_from: { session_id: 'parent', version: 3 },
      counts: { items: 2 },
    });
  });

  it('keeps the originals of cleared results', async () => {
    await fork({ at: moments[1] ?? 0, id: 'originals' });
    expect(JSON.stringify(await context('originals'))).toContain('[Digest: ');
    const reply = await send(api, 'GET', '/sessions/originals/tool-results/a0');
    expect(reply.body).toMatchObject({ content: ofTokens(500) });
  });

  it('reaches results that its parent had summarised before, and none that came later', async () => {
    await fork({ at: moments[2] ?? 0, id: 'past' });
    const reply = (id: string) => send(api, 'GET', `/sessions/past/tool-results/${id}`);
    expect((await reply('a0')).body).toMatchObject({
      session_id: 'parent',
      content: ofTokens(500),
    });
    expect((await reply('c0')).status).toBe(404);
  });

  it('goes on by itself: appending, compacting, forking again', async () => {
    await fork({ id: 'alive', at: moments[3] ?? 0 });
    await append('alive', user('only here'));
    const { body } = await send(api, 'POST', '/sessions/alive/compact', { body: { mode: 'full' } });
    await api.work(api.dispatched.at(-1));
    const ended = await send(api, 'GET', `/sessions/alive/compactions/${body.id}`);
    expect(ended.body).toMatchObject({ outcome: 'full_compacted' });
    await fork({ id: 'grandchild' }, 'alive');
    expect((await context('grandchild')).items).toEqual((await context('alive')).items);
    expect(JSON.stringify(await context('parent'))).not.toContain('only here');
  });

  it('refuses versions that there are not, and ids that there are', async () => {
    const late = await fork({ at: 1_000_000 });
    expect(late.status).toBe(404);
    expect(late.body.detail).toMatch(/^"at" must be a version from 1 to \d+, the one that/);
    expect((await fork({ at: 0 })).status).toBe(400);
    expect((await fork({ from: 3 })).body.errors).toMatchObject([{ path: 'from' }]);
    expect((await fork({ id: 'parent' })).status).toBe(409);
  });
});
