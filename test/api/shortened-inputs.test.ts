import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../../src/domain/json.ts';
import { type ApiServer, SMALL_WINDOW, send, startApi } from '../support/api-server.ts';

/** Inputs of old calls that wrote files, cut by a micro-compaction (SPEC section 20). */

const FILE = Array.from({ length: 150 }, (_, n) => `export const value${n} = ${n};`).join('\n');
const ITEMS: Json[] = [
  { role: 'user', content: 'Write it.' },
  {
    role: 'assistant',
    content: [
      {
        type: 'tool_use',
        id: 'w',
        name: 'Write',
        input: { file_path: '/work/a.ts', content: FILE },
      },
    ],
  },
  {
    role: 'user',
    content: [
      {
        type: 'tool_result',
        tool_use_id: 'w',
        content: 'File created successfully at: /work/a.ts',
      },
    ],
  },
  { role: 'assistant', content: 'Written.' },
];
const CONFIG = {
  micro_compact_target_tokens: 1,
  micro_compact_min_tokens_to_save: 1,
  micro_compact_keep_last_n_tools: 0,
  micro_compact_truncate_inputs_over_tokens: 60,
};

let api: ApiServer;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const get = async (path: string) => (await send(api, 'GET', path)).body;

/** What the call is shown to have written. */
async function inputIn(id: string, query = ''): Promise<{ file_path: string; content: string }> {
  const { items } = await get(`/sessions/${id}/context${query}`);
  return Object(Object(Array.isArray(items) ? items[1] : null).content[0]).input;
}

describe('an input that was cut', () => {
  const id = 'cut';
  let compaction = '';

  beforeAll(async () => {
    await send(api, 'POST', '/sessions', {
      body: { id, format: 'anthropic', context_window: SMALL_WINDOW, config: CONFIG },
    });
    await send(api, 'POST', `/sessions/${id}/items`, { body: ITEMS });
    const { body } = await send(api, 'POST', `/sessions/${id}/compact`, {
      body: { mode: 'micro' },
    });
    compaction = String(body.id);
    await api.work(api.dispatched.at(-1));
  });

  it('keeps its path, its beginning and its end', async () => {
    const { file_path, content } = await inputIn(id);
    expect(file_path).toBe('/work/a.ts');
    expect(content).toMatch(
      /^export const value0 = 0;[\s\S]*tokens left out[\s\S]*value149 = 149;$/,
    );
    expect(content.length).toBeLessThan(FILE.length / 4);
  });

  it('is told of by the compaction, its difference, the trace and the audit trail', async () => {
    const detail = await get(`/sessions/${id}/compactions/${compaction}`);
    const [edit] = Object(detail.cleared_tool_results);
    expect(edit).toMatchObject({ seq: 3, tool_use_id: 'w', kind: 'input_truncated' });
    expect(edit.tokens_after).toBeLessThan(edit.tokens_before);
    expect((await get(`/sessions/${id}/compactions/${compaction}/diff`)).cleared).toEqual([edit]);
    const trace = await get(`/sessions/${id}/items/3/trace`);
    expect(trace).toMatchObject({ state: 'in_context', is_verbatim: false });
    expect(trace.history).toContainEqual(
      expect.objectContaining({ what: 'input_truncated', compaction_id: compaction }),
    );
    // No result is gone.
    expect((await get(`/sessions/${id}/context`)).compacted_tool_ids).toEqual([]);
  });

  it.each(['openai-chat', 'openai-responses', 'ai-sdk'])('is rendered as %s', async (format) => {
    const { items } = await get(`/sessions/${id}/context?format=${format}`);
    expect(JSON.stringify(items)).toContain('tokens left out');
    expect(JSON.stringify(items)).not.toContain('value75');
  });

  it('stays cut in a fork', async () => {
    await send(api, 'POST', `/sessions/${id}/fork`, { body: { id: 'cut-fork' } });
    expect(await inputIn('cut-fork')).toEqual(await inputIn(id));
  });

  it('comes back with a revert, and is cut at the version before', async () => {
    const { version } = await get(`/sessions/${id}`);
    const cut = await inputIn(id);
    await send(api, 'POST', `/sessions/${id}/compactions/${compaction}/revert`);
    expect((await inputIn(id)).content).toBe(FILE);
    expect(await inputIn(id, `?at=${version}`)).toEqual(cut);
  });

  it('verifies', async () => {
    expect((await api.deps.store.verify()).problems).toEqual([]);
  });
});

it('a limit that leaves no room for anything is refused, and says what there is', async () => {
  const config = { micro_compact_truncate_inputs_over_tokens: 5 };
  const reply = await send(api, 'POST', '/sessions', { body: { id: 'no', config } });
  expect(reply.status).toBe(400);
  expect(reply.body.detail).toMatch(/config\.micro_compact_truncate_inputs_over_tokens.*16/);
});
