import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codecFor } from '../../src/domain/items/codecs.ts';
import { isJsonObject, type JsonObject } from '../../src/domain/json.ts';
import { type ApiServer, send, startApi } from '../support/api-server.ts';
import { ofTokens } from '../support/items.ts';

let api: ApiServer;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const use = (id: string) => ({ type: 'tool_use', id, name: 'Bash', input: { command: 'ls' } });
const result = (id: string, text: string) => ({
  role: 'user',
  content: [{ type: 'tool_result', tool_use_id: id, content: text }],
});
const hook = {
  role: 'user',
  is_meta: true,
  content: 'PreToolUse:Bash hook additional context: be careful',
};
const memory = {
  type: 'attachment',
  attachment: { kind: 'memory', path: 'CLAUDE.md', content: 'Use tabs.' },
};
const system = { type: 'system', subtype: 'stop_hook_summary', content: 'Stop hook ran' };
const progress = { type: 'progress', tool_use_id: 'toolu_1', percent: 10 };

/** What stands between the pieces of a message in transcripts that are written line by line. */
const BETWEEN: [string, object[]][] = [
  ['nothing', []],
  ['progress', [progress]],
  ['a note of a hook', [hook]],
  ['an attachment', [memory]],
  ['a system note', [system]],
  ['all of them', [progress, hook, memory, system]],
];

/** One message of the API in pieces of one id: thinking, text and parallel calls, results between. */
function pieces(n: number, between: object[]): object[] {
  const [a, b, c] = [`toolu_${n}a`, `toolu_${n}b`, `toolu_${n}c`];
  const piece = (block: object) => ({ role: 'assistant', id: `msg_${n}`, content: [block] });
  return [
    { role: 'user', content: `Question ${n}: ${ofTokens(300)}` },
    piece({ type: 'thinking', thinking: `Hm ${n}.`, signature: `sig${n}` }),
    ...between,
    piece({ type: 'text', text: `Let me look ${n}.` }),
    piece(use(a)),
    ...between,
    result(a, ofTokens(300)),
    piece(use(b)),
    result(b, ofTokens(300)),
    ...between,
    piece(use(c)),
    result(c, ofTokens(300)),
  ];
}

const COMPLETE = ['thinking', 'text', 'tool_use', 'tool_use', 'tool_use'];

async function messagesWithCalls(path: string): Promise<string[][]> {
  const { body } = await send(api, 'GET', `${path}/context`);
  const items = Array.isArray(body.items) ? body.items.filter(isJsonObject) : [];
  expect(codecFor('anthropic').violations(items)).toEqual([]);
  return items
    .filter(({ role }) => role === 'assistant')
    .map(({ content }) => (Array.isArray(content) ? content.filter(isJsonObject) : []))
    .map((blocks: JsonObject[]) => blocks.map(({ type }) => String(type)))
    .filter((types) => types.includes('tool_use'));
}

describe('B10: a message that was logged in pieces stays whole or goes as a whole', () => {
  it.each(BETWEEN)('with %s between them, wherever a compaction cuts', async (name, between) => {
    for (let tokens = 200; tokens <= 2_000; tokens += 150) {
      const id = `${name}-${tokens}`.replaceAll(' ', '-');
      const path = `/sessions/${id}`;
      await send(api, 'POST', '/sessions', {
        body: { id, format: 'anthropic', config: { protected_tokens: tokens } },
      });
      const items = [0, 1, 2].flatMap((n) => pieces(n, between));
      await send(api, 'POST', `${path}/items`, { body: { items } });
      expect(await messagesWithCalls(path)).toEqual([COMPLETE, COMPLETE, COMPLETE]);
      await send(api, 'POST', `${path}/compact`, { body: { mode: 'full' } });
      for (const job of api.dispatched.splice(0)) await api.work(job);
      const kept = await messagesWithCalls(path);
      expect(kept.length).toBeLessThan(3);
      for (const types of kept) expect(types).toEqual(COMPLETE);
    }
  });

  it('stays while pieces of it may still come', async () => {
    const path = '/sessions/more';
    const [user, thinking, text, ...rest] = pieces(0, []);
    const items = [user, thinking, text];
    await send(api, 'POST', `${path}/items`, { body: { items } });
    await send(api, 'POST', `${path}/compact`, { body: { mode: 'full' } });
    for (const job of api.dispatched.splice(0)) await api.work(job);
    await send(api, 'POST', `${path}/items`, { body: { items: rest } });
    expect(await messagesWithCalls(path)).toEqual([COMPLETE]);
  });
});
