import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiServer, SMALL_WINDOW, send, startApi } from '../support/api-server.ts';
import { assistant, attachment, ofTokens, tool, user } from '../support/items.ts';

let api: ApiServer;
let micro: string;
let full: string;
/** Versions of the session after each of them. */
let after: { micro: number; full: number };

const get = (path: string) => send(api, 'GET', path);
const trace = async (seq: number, query = '', id = 's') =>
  (await get(`/sessions/${id}/items/${seq}/trace${query}`)).body;
const covered = async (cid: string, query = '', id = 's') =>
  (await get(`/sessions/${id}/compactions/${cid}/covered${query}`)).body;

async function compact(mode: string, id = 's'): Promise<string> {
  const { body } = await send(api, 'POST', `/sessions/${id}/compact`, { body: { mode } });
  await api.work(api.dispatched.at(-1));
  return String(body.id);
}
const version = async (id = 's') => Number((await get(`/sessions/${id}`)).body.version);

/** Items 2 to 15: a question, a plan, six reads. The newest read is what stays. */
beforeAll(async () => {
  api = await startApi();
  await send(api, 'POST', '/sessions', {
    body: {
      id: 's',
      context_window: SMALL_WINDOW,
      config: {
        micro_compact_target_tokens: 100,
        micro_compact_min_tokens_to_save: 100,
        auto_compact_enabled: false,
      },
    },
  });
  const lines = Array.from({ length: 60 }, (_, i) => `const line${i} = compute(${i});`).join('\n');
  const read = tool('read', 'Read', 1, { file_path: '/src/a.ts' });
  const items = [
    user('Read it all.'),
    attachment('plan', 'First this, then that.'),
    read[0],
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'read', content: lines }] },
    ...[1, 2, 3, 4, 5].flatMap((i) => tool(`t${i}`, 'Grep', 500)),
  ];
  await send(api, 'POST', '/sessions/s/items', { body: items });
  micro = await compact('micro');
  const first = await version();
  const more = [assistant(ofTokens(50)), user('And now?'), assistant('Now this.')];
  await send(api, 'POST', '/sessions/s/items', { body: more });
  full = await compact('full');
  after = { micro: first, full: await version() };
});
afterAll(() => api.close());

describe('GET /sessions/:id/items/:seq/trace', () => {
  it('says of an item that nothing has happened to that it stands in the context', async () => {
    expect(await trace(2, `?at=${after.micro}`)).toEqual({
      session_id: 's',
      version: after.micro,
      item: { session_id: 's', seq: 2, at: expect.any(String), tokens: expect.any(Number) },
      state: 'in_context',
      compaction_id: null,
      is_verbatim: true,
      pin_id: null,
      results: [],
      tokens_cleared: 0,
      summary: null,
      restored: [],
      history: [
        {
          what: 'appended',
          session_id: 's',
          version: 2,
          at: expect.any(String),
          compaction_id: null,
          result: null,
          pin_id: null,
        },
      ],
    });
  });

  it('says what was cleared, by which compaction, and how many tokens that is', async () => {
    const found = await trace(7, `?at=${after.micro}`);
    const { cleared_tool_results } = (await get(`/sessions/s/compactions/${micro}`)).body;
    const edit = (cleared_tool_results as Record<string, unknown>[]).find(({ seq }) => seq === 7);
    expect(found).toMatchObject({
      state: 'cleared',
      compaction_id: micro,
      is_verbatim: false,
      results: [
        {
          tool_use_id: 't1',
          kind: edit?.kind,
          tokens_before: edit?.tokens_before,
          tokens_after: edit?.tokens_after,
          compaction_id: micro,
        },
      ],
      tokens_cleared: Number(edit?.tokens_before) - Number(edit?.tokens_after),
    });
  });

  it('says what was summarised, and which summary stands for it now', async () => {
    const found = await trace(7);
    expect(found).toMatchObject({
      state: 'summarised',
      compaction_id: full,
      summary: { session_id: 's', compaction_id: full },
      history: [
        { what: 'appended', compaction_id: null },
        { what: expect.stringMatching(/^(cleared|digested)$/), compaction_id: micro },
        { what: 'summarised', compaction_id: full },
      ],
    });
  });

  it('says what was put back, whole or in part', async () => {
    expect((await trace(3)).restored).toEqual([{ origin: 'plan', path: null, is_whole: true }]);
    expect((await trace(5)).restored).toEqual([
      { origin: 'file', path: '/src/a.ts', is_whole: false },
    ]);
    expect((await trace(7)).restored).toEqual([]);
  });

  it('tells a second compaction and its revert', async () => {
    await send(api, 'POST', '/sessions/again/items', { body: [user('Begin.')] });
    await send(api, 'PATCH', '/sessions/again', { body: { context_window: SMALL_WINDOW } });
    const talk = [1, 2, 3].flatMap((i) => [
      user(ofTokens(300)),
      assistant(`${i} ${ofTokens(300)}`),
    ]);
    await send(api, 'POST', '/sessions/again/items', { body: talk });
    const first = await compact('full', 'again');
    await send(api, 'POST', '/sessions/again/items', { body: talk });
    const second = await compact('full', 'again');
    const twice = await trace(2, '', 'again');
    expect(twice).toMatchObject({ compaction_id: first, summary: { compaction_id: second } });
    await send(api, 'POST', `/sessions/again/compactions/${second}/revert`);
    const reverted = await trace(2, '', 'again');
    expect(reverted).toMatchObject({ compaction_id: first, summary: { compaction_id: first } });
    expect((reverted.history as { what: string }[]).map(({ what }) => what)).toEqual([
      'appended',
      'summarised',
      'summarised_again',
      'reverted',
    ]);
    expect(await covered(second, '', 'again')).toMatchObject({
      data: expect.arrayContaining([expect.objectContaining({ state: 'in_context' })]),
    });
  });

  it('reaches in a fork what its parents held, up to the fork', async () => {
    await send(api, 'POST', '/sessions/s/fork', { body: { id: 'child' } });
    expect(await trace(7, '?session_id=s', 'child')).toMatchObject({
      session_id: 'child',
      item: { session_id: 's', seq: 7 },
      state: 'summarised',
      compaction_id: full,
      summary: { session_id: 's', compaction_id: full },
    });
    const copy = await trace(3, '', 'child');
    expect(copy.history).toMatchObject([
      { what: 'appended', session_id: 's' },
      { what: 'forked', session_id: 'child', version: 3 },
    ]);
    await send(api, 'POST', '/sessions/s/items', { body: [user('Only in the parent.')] });
    const late = await get(`/sessions/child/items/${(await version()) - 0}/trace?session_id=s`);
    expect(late.status).toBe(404);
    expect(late.body.detail).toContain('what was forked of that session ends with version');
    expect((await covered(full, '', 'child')).data).toEqual((await covered(full)).data);
  });

  it.each([
    ['/sessions/none/items/2/trace', 404, 'session with this id'],
    ['/sessions/s/items/1/trace', 404, '1 is no item but an event of type session.created'],
    ['/sessions/s/items/9999/trace', 404, 'there is no item 9999'],
    ['/sessions/s/items/2/trace?session_id=other', 404, 'was not forked from a session'],
    ['/sessions/s/items/2/trace?at=9999', 404, 'there is no version 9999 yet'],
    ['/sessions/s/items/0/trace', 400, 'must be a whole number from 1'],
    ['/sessions/s/items/x/trace', 400, 'must be a whole number from 1'],
    ['/sessions/s/compactions/none/covered', 404, 'no compaction with this id'],
    ['/sessions/none/compactions/none/covered', 404, 'session with this id'],
    ['/sessions/s/compactions/none/covered?limit=0', 400, 'must be a whole number from 1'],
  ])('%s: %i', async (path, status, message) => {
    const reply = await get(path);
    expect(reply.status).toBe(status);
    expect(JSON.stringify(reply.body)).toContain(message);
  });
});

describe('GET /sessions/:id/compactions/:cid/covered', () => {
  it('lists what a compaction has cleared, and where that is now', async () => {
    const { data } = await covered(micro);
    expect((data as { seq: number }[]).map(({ seq }) => seq)).toContain(7);
    expect(data).toEqual(
      (data as object[]).map(() =>
        expect.objectContaining({
          taken: expect.stringMatching(/^(cleared|digested)$/),
          state: 'summarised',
          compaction_id: full,
        }),
      ),
    );
  });

  it('comes in pages', async () => {
    const whole = await covered(full);
    expect(whole.next_cursor).toBeNull();
    const first = await covered(full, '?limit=2');
    expect(first).toMatchObject({ next_cursor: '3' });
    const rest = await covered(full, `?cursor=${first.next_cursor}`);
    expect([...(first.data as object[]), ...(rest.data as object[])]).toEqual(whole.data);
    expect(await covered(full, '?after=3')).toEqual(rest);
  });

  it('is empty for one that changed nothing, and refused for one that has not ended', async () => {
    const nothing = await compact('micro');
    expect(await covered(nothing)).toEqual({ data: [], next_cursor: null });
    const { body } = await send(api, 'POST', '/sessions/s/compact', { body: { mode: 'full' } });
    const reply = await get(`/sessions/s/compactions/${body.id}/covered`);
    expect(reply.status).toBe(409);
    expect(reply.body.detail).toContain('ask again when its status is "ended"');
  });
});
