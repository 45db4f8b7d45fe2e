import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiServer, SMALL_WINDOW, send, startApi } from '../support/api-server.ts';
import { call, IMAGE, ofTokens, result, text, tool, user } from '../support/items.ts';

let api: ApiServer;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const append = (id: string, body: unknown) => send(api, 'POST', `/sessions/${id}/items`, { body });
const toolResult = (id: string, use: string) =>
  send(api, 'GET', `/sessions/${id}/tool-results/${encodeURIComponent(use)}`);

describe('GET /sessions/:id/tool-results/:tool_use_id', () => {
  it('answers the original of a result that was cleared and then summarised', async () => {
    await send(api, 'POST', '/sessions', {
      body: {
        id: 'cleared',
        context_window: SMALL_WINDOW,
        config: { micro_compact_target_tokens: 1 },
      },
    });
    const reads = Array.from({ length: 5 }, (_, i) => tool(`c${i}`, 'Read', 1_000)).flat();
    await append('cleared', [user('Read.'), ...reads, user('And?')]);
    for (const mode of ['micro', 'full']) {
      await send(api, 'POST', '/sessions/cleared/compact', { body: { mode } });
      await api.work(api.dispatched.at(-1));
      const reply = await toolResult('cleared', 'c0');
      expect(reply.body).toEqual({
        session_id: 'cleared',
        tool_use_id: 'c0',
        seq: 4,
        at: '2026-01-02T03:04:05.000Z',
        is_error: false,
        content: ofTokens(1_000),
        item: result('c0', ofTokens(1_000)),
      });
    }
    const state = await send(api, 'GET', '/sessions/cleared');
    expect(state.body).toMatchObject({ counts: { compactions: { micro: 1, full: 1 } } });
  });

  it('knows a long id by the short form that its placeholder names', async () => {
    const micro_compact_placeholder = 'Recall {tool_use_id}';
    const config = {
      micro_compact_replacement: 'placeholder',
      micro_compact_placeholder,
      micro_compact_keep_last_n_tools: 0,
      micro_compact_target_tokens: 1,
    };
    await send(api, 'POST', '/sessions', {
      body: { id: 'long', context_window: SMALL_WINDOW, config },
    });
    const id = `call_1__thought__${'sig'.repeat(2_000)}`;
    await append('long', [
      user('Read.'),
      ...tool(id, 'Read', 3_000),
      ...tool(`${id}2`, 'Read', 2_000),
      { role: 'assistant', content: 'Read.' },
      user('And?'),
    ]);
    await send(api, 'POST', '/sessions/long/compact', { body: { mode: 'micro' } });
    await api.work(api.dispatched.at(-1));
    const context = JSON.stringify((await send(api, 'GET', '/sessions/long/context')).body);
    const named = [...context.matchAll(/Recall (call_[^"]+)"/g)].map(([, name]) => name ?? '');
    expect(named.map((name) => name.length <= 200)).toEqual([true, true]);
    for (const [at, tokens] of [3_000, 2_000].entries()) {
      const reply = await toolResult('long', named[at] ?? '');
      expect(reply.body).toMatchObject({ content: ofTokens(tokens) });
    }
  });

  it('answers the newest of an id that was used again, over many pages', async () => {
    await append('again', [
      ...tool('same', 'Read', 1),
      call('same', 'Read'),
      result('same', 'new'),
    ]);
    expect((await toolResult('again', 'same')).body).toMatchObject({ seq: 5, content: 'new' });
    await append('far', [call('old', 'Read'), result('old', 'far away', { is_error: true })]);
    for (let page = 0; page < 5; page++) {
      await append(
        'far',
        Array.from({ length: 90 }, () => user('talk')),
      );
    }
    expect((await toolResult('far', 'old')).body).toMatchObject({
      seq: 3,
      content: 'far away',
      is_error: true,
    });
  });

  it('shows parts that are no text as a note, and has them whole in the item', async () => {
    const parts = [text('before'), IMAGE];
    await append('image', [call('i', 'Shot'), result('i', parts)]);
    const { body } = await toolResult('image', 'i');
    expect(body).toMatchObject({ content: 'before\n[image]', item: result('i', parts) });
  });

  it('takes any id that a provider may give', async () => {
    const id = 'call/1 ü%?#';
    await append('odd', [call(id, 'Read'), result(id, 'odd')]);
    expect((await toolResult('odd', id)).body).toMatchObject({ tool_use_id: id, content: 'odd' });
  });

  it('says what to check when there is none', async () => {
    await append('none', [call('open', 'Read')]);
    const reply = await toolResult('none', 'open');
    expect(reply.status).toBe(404);
    expect(reply.body.detail).toContain(
      'no item of this session holds a result with this tool_use_id',
    );
    expect((await toolResult('none', 'x'.repeat(513))).status).toBe(400);
  });
});
