import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/domain/json.ts';
import { type ApiServer, SMALL_WINDOW, send, startApi } from '../support/api-server.ts';
import { expectTrue } from '../support/check-digest.ts';

/** Digests of tool results through the API, in every format (SPEC 2, section 26). */

const OUTPUT = Array.from(
  { length: 120 },
  (_, n) => `line ${n} of what was printed has nameNumber${n} in it`,
);
OUTPUT[70] = 'error: nameNumber70 is not what it was';
const LONG = OUTPUT.join('\n');

type Case = {
  format: string;
  items: Json[];
  answer: JsonObject;
  textOf: (item: JsonObject) => Json;
};

const CASES: Case[] = [
  {
    format: 'anthropic',
    items: [
      { role: 'user', content: 'Build it.' },
      {
        role: 'assistant',
        content: [{ type: 'tool_use', id: 'a', name: 'Bash', input: { command: 'make' } }],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: LONG }] },
    ],
    answer: { role: 'assistant', content: 'I change nameNumber99.' },
    textOf: ({ content }) => Object(Object(content)[0]).content,
  },
  {
    format: 'openai-chat',
    items: [
      { role: 'user', content: 'Build it.' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          {
            id: 'a',
            type: 'function',
            function: { name: 'bash', arguments: '{"command":"make"}' },
          },
        ],
      },
      { role: 'tool', tool_call_id: 'a', content: LONG },
    ],
    answer: { role: 'assistant', content: 'I change nameNumber99.' },
    textOf: ({ content }) => content ?? null,
  },
  {
    format: 'openai-responses',
    items: [
      { type: 'message', role: 'user', content: 'Build it.' },
      { type: 'function_call', call_id: 'a', name: 'shell', arguments: '{"command":"make"}' },
      { type: 'function_call_output', call_id: 'a', output: LONG },
    ],
    answer: {
      type: 'message',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'I change nameNumber99.' }],
    },
    textOf: ({ output }) => output ?? null,
  },
];

const CONFIG = {
  micro_compact_target_tokens: 1,
  micro_compact_min_tokens_to_save: 1,
  micro_compact_keep_last_n_tools: 0,
};

let api: ApiServer;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const get = async (path: string) => (await send(api, 'GET', path)).body;

/** The item of the context that holds the result, as text. */
async function resultIn(id: string, { textOf }: Case, query = ''): Promise<string> {
  const { items } = await get(`/sessions/${id}/context${query}`);
  return String(textOf(Object(Array.isArray(items) ? items[2] : null)));
}

async function compact(id: string, mode = 'micro'): Promise<string> {
  const { body } = await send(api, 'POST', `/sessions/${id}/compact`, { body: { mode } });
  await api.work(api.dispatched.at(-1));
  return String(body.id);
}

describe.each(CASES)('a digest in $format', (one) => {
  const { format, items, answer } = one;
  const id = `s-${format}`;
  let compaction = '';
  let digest = '';

  beforeAll(async () => {
    await send(api, 'POST', '/sessions', {
      body: { id, format, context_window: SMALL_WINDOW, config: CONFIG },
    });
    await send(api, 'POST', `/sessions/${id}/items`, { body: [...items, answer] });
    compaction = await compact(id);
    digest = await resultIn(id, one);
  });

  it('stands in place of the result and quotes its lines', () => {
    expectTrue(digest, LONG);
    expect(digest).toContain(`71:${OUTPUT[70]}`);
    expect(digest).toContain(`100:${OUTPUT[99]}`);
    expect(digest.length).toBeLessThanOrEqual(LONG.length / 4);
  });

  it('is told of in the compaction, the difference and the audit trail', async () => {
    const detail = await get(`/sessions/${id}/compactions/${compaction}`);
    const [edit] = Object(detail.cleared_tool_results);
    expect(edit).toEqual({
      seq: 4,
      tool_use_id: 'a',
      kind: 'digested',
      tokens_before: Math.ceil(LONG.length / 4),
      tokens_after: Math.ceil(digest.length / 4),
    });
    expect(Object(detail.micro).tokens_saved).toBe(edit.tokens_before - edit.tokens_after);
    const diff = await get(`/sessions/${id}/compactions/${compaction}/diff`);
    expect(diff.cleared).toEqual([edit]);
    const { text } = await send(api, 'GET', `/sessions/${id}/rollout`);
    expect(text).toContain(
      `"tools_compacted":1,"tokens_saved":${edit.tokens_before - edit.tokens_after}`,
    );
    expect((await get(`/sessions/${id}/context`)).compacted_tool_ids).toEqual(['a']);
  });

  it('leaves the original where it was, with the same numbers of lines', async () => {
    const { content } = await get(`/sessions/${id}/tool-results/a`);
    expect(content).toBe(LONG);
  });

  it.each(CASES.map((other) => other.format))('is rendered as %s', async (other) => {
    const { items: rendered } = await get(`/sessions/${id}/context?format=${other}`);
    expect(JSON.stringify(rendered)).toContain(JSON.stringify(digest).slice(1, -1));
  });

  it('keeps its bytes, whatever is configured and written later', async () => {
    await send(api, 'PATCH', `/sessions/${id}`, {
      body: { config: { micro_compact_replacement: 'placeholder' } },
    });
    await send(api, 'POST', `/sessions/${id}/items`, { body: [answer] });
    await compact(id);
    expect(await resultIn(id, one)).toBe(digest);
    await send(api, 'POST', `/sessions/${id}/fork`, { body: { id: `${id}-fork` } });
    expect(await resultIn(`${id}-fork`, one)).toBe(digest);
    await compact(`${id}-fork`);
    expect(await resultIn(`${id}-fork`, one)).toBe(digest);
  });

  it('goes when its compaction is reverted, and is there at the version before', async () => {
    const { version } = await get(`/sessions/${id}`);
    await send(api, 'POST', `/sessions/${id}/compactions/${compaction}/revert`);
    expect(await resultIn(id, one)).toBe(LONG);
    expect(await resultIn(id, one, `?at=${version}`)).toBe(digest);
  });

  it('verifies', async () => {
    expect((await api.deps.store.verify()).problems).toEqual([]);
  });
});

it('a configuration that asks for something else is refused, and says what there is', async () => {
  const config = { micro_compact_replacement: 'summary' };
  const reply = await send(api, 'POST', '/sessions', { body: { id: 'no', config } });
  expect(reply.status).toBe(400);
  expect(reply.body.detail).toMatch(/config\.micro_compact_replacement.*"digest", "placeholder"/);
});

it('the tool that asked for space is told what was left', async () => {
  const [first] = CASES;
  const id = 'told';
  await send(api, 'POST', '/sessions', {
    body: { id, context_window: SMALL_WINDOW, config: CONFIG },
  });
  await send(api, 'POST', `/sessions/${id}/items`, {
    body: [...(first?.items ?? []), first?.answer ?? null],
  });
  const { body } = await send(api, 'POST', `/sessions/${id}/compact`, {
    body: { mode: 'micro', trigger: 'tool' },
  });
  await api.work(api.dispatched.at(-1));
  const { message } = await get(`/sessions/${id}/compactions/${body.id}`);
  expect(message).toMatch(/^Left a digest of 1 old tool result: \d+ → \d+ tokens$/);
});
