import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codecFor, FORMATS, type Format } from '../../src/domain/items/codecs.ts';
import type { Item } from '../../src/domain/items/item.ts';
import { MISSING_RESULT_NOTE } from '../../src/domain/items/pairing.ts';
import { isJsonObject, type Json, type JsonObject } from '../../src/domain/json.ts';
import { type ApiServer, send, startApi } from '../support/api-server.ts';
import { cpuMs } from '../support/cpu-time.ts';
import { ofTokens } from '../support/items.ts';

let api: ApiServer;
let sessions = 0;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const REAL = 'THE REAL RESULT';

/** The items of one format: what the user says, calls of one answer, a result. */
type Words = {
  user: (text: string) => Item;
  says: (text: string) => Item;
  calls: (...ids: string[]) => Item[];
  result: (id: string, text: string) => Item;
};

const input = { command: 'cat src/lexer.ts' };
const FORMAT_WORDS: Record<Format, Words> = {
  anthropic: {
    user: (text) => ({ role: 'user', content: text }),
    says: (text) => ({ role: 'assistant', content: [{ type: 'text', text }] }),
    calls: (...ids) => [
      {
        role: 'assistant',
        content: ids.map((id) => ({ type: 'tool_use', id, name: 'Bash', input })),
      },
    ],
    result: (id, text) => ({
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: id, content: text }],
    }),
  },
  'openai-chat': {
    user: (text) => ({ role: 'user', content: text }),
    says: (text) => ({ role: 'assistant', content: text }),
    calls: (...ids) => [
      {
        role: 'assistant',
        content: null,
        tool_calls: ids.map((id) => ({
          id,
          type: 'function',
          function: { name: 'Bash', arguments: JSON.stringify(input) },
        })),
      },
    ],
    result: (id, text) => ({ role: 'tool', tool_call_id: id, content: text }),
  },
  'ai-sdk': {
    user: (text) => ({ role: 'user', content: text }),
    says: (text) => ({ role: 'assistant', content: text }),
    calls: (...ids) => [
      {
        role: 'assistant',
        content: ids.map((toolCallId) => ({
          type: 'tool-call',
          toolCallId,
          toolName: 'Bash',
          input,
        })),
      },
    ],
    result: (toolCallId, value) => ({
      role: 'tool',
      content: [
        { type: 'tool-result', toolCallId, toolName: 'Bash', output: { type: 'text', value } },
      ],
    }),
  },
  'openai-responses': {
    user: (text) => ({ role: 'user', content: [{ type: 'input_text', text }] }),
    says: (text) => ({
      type: 'message',
      role: 'assistant',
      content: [{ type: 'output_text', text, annotations: [] }],
    }),
    calls: (...ids) =>
      ids.map((id) => ({
        type: 'function_call',
        call_id: id,
        name: 'Bash',
        arguments: JSON.stringify(input),
      })),
    result: (id, text) => ({ type: 'function_call_output', call_id: id, output: text }),
  },
};

async function session(format: Format, config: JsonObject = {}): Promise<string> {
  const id = `a1-${++sessions}`;
  const body = { id, format, config, context_window: 32_000 };
  expect((await send(api, 'POST', '/sessions', { body })).status).toBe(201);
  return `/sessions/${id}`;
}

async function append(path: string, ...items: Item[]): Promise<Json | undefined> {
  const reply = await send(api, 'POST', `${path}/items`, { body: { items } });
  expect(reply.status).toBe(201);
  for (const job of api.dispatched.splice(0)) await api.work(job);
  return reply.body.note;
}

async function context(path: string, format: Format): Promise<Item[]> {
  const { body } = await send(api, 'GET', `${path}/context`);
  const items = Array.isArray(body.items) ? body.items.filter(isJsonObject) : [];
  expect(codecFor(format).violations(items)).toEqual([]);
  return items;
}

/** What the context says that each call got, by its id; the calls without result are not in it. */
function resultsOf(format: Format, items: readonly Item[]): Record<string, string> {
  const codec = codecFor(format);
  const found: Record<string, string> = {};
  for (const item of items.map((item) => codec.normalise(item))) {
    if (item.kind !== 'message') continue;
    for (const part of item.parts) {
      if (part.kind !== 'tool_result') continue;
      found[part.call_id] = part.content.map((p) => (p.kind === 'text' ? p.text : '')).join('');
    }
  }
  return found;
}

describe.each(FORMATS)('A1: a result that stands before its call, in %s', (format) => {
  const { user, says, calls, result } = FORMAT_WORDS[format];

  it('is the result of its call', async () => {
    const path = await session(format);
    await append(
      path,
      user('Read it.'),
      result('tuX', REAL),
      ...calls('tuX'),
      user('And what next?'),
    );
    expect(resultsOf(format, await context(path, format))).toEqual({ tuX: REAL });
  });

  it('comes before what the model said to it, in every prefix and however it was sent', async () => {
    const path = await session(format);
    const items = [
      user('Read both.'),
      result('tuB', 'second'),
      result('tuA', REAL),
      ...calls('tuA', 'tuB'),
      says('I have read both.'),
      user('Good.'),
    ];
    for (const item of items) {
      await append(path, item);
      await context(path, format);
    }
    const texts = JSON.stringify(await context(path, format));
    expect(texts.indexOf(REAL)).toBeLessThan(texts.indexOf('I have read both.'));
    expect(texts).not.toContain(MISSING_RESULT_NOTE);
  });

  it('is cleared with its call, and known to the summary', async () => {
    const path = await session(format, {
      micro_compact_keep_last_n_tools: 0,
      micro_compact_replacement: 'placeholder',
      micro_compact_min_tokens_to_save: 100,
      micro_compact_target_tokens: 100,
    });
    const round = [0, 1, 2].flatMap((n) => [
      user(`Question ${n}`),
      result(`tu${n}`, ofTokens(3_000)),
      ...calls(`tu${n}`),
      says('Read.'),
    ]);
    await append(path, ...round, user('And now?'));
    const cleared = await send(api, 'POST', `${path}/compact`, { body: { mode: 'micro' } });
    expect(cleared.status).toBe(202);
    for (const job of api.dispatched.splice(0)) await api.work(job);
    const results = Object.values(resultsOf(format, await context(path, format)));
    expect(results).toHaveLength(3);
    for (const text of results) expect(text.length).toBeLessThan(300);
    await send(api, 'POST', `${path}/compact`, { body: { mode: 'full' } });
    for (const job of api.dispatched.splice(0)) await api.work(job);
    const summary = JSON.stringify(await context(path, format));
    expect(summary).not.toContain('No result yet');
    expect(summary).not.toContain(MISSING_RESULT_NOTE);
  });

  it('a second result does not take the place of the first, nor of the next call', async () => {
    const path = await session(format);
    await append(path, user('Go.'), ...calls('c'), result('c', REAL), result('c', 'again'));
    await append(path, says('Read.'), user('Once more.'), ...calls('c'), result('c', 'third'));
    const shown = JSON.stringify(await context(path, format));
    expect(shown).toContain(REAL);
    expect(shown).toContain('third');
    expect(shown).not.toContain('again');
    expect(shown).not.toContain(MISSING_RESULT_NOTE);
  });
});

/** A conversation of rounds whose calls and results stand in any order, with ids used again. */
const roundArbitrary = fc.record({
  ids: fc.uniqueArray(fc.constantFrom('c0', 'c1', 'c2', 'c3'), { minLength: 1, maxLength: 3 }),
  order: fc.constantFrom('calls first', 'results first', 'mixed'),
  isInterrupted: fc.boolean(),
  doubles: fc.boolean(),
});

describe.each(FORMATS)('A1: any order of calls and results, in %s', (format) => {
  const codec = codecFor(format);
  const { user, says, calls, result } = FORMAT_WORDS[format];

  it('leaves no call without a result that was recorded, in every prefix', () => {
    fc.assert(
      fc.property(fc.array(roundArbitrary, { maxLength: 6 }), fc.boolean(), (rounds, reuse) => {
        const items: Item[] = [];
        for (const [n, round] of rounds.entries()) {
          const ids = round.ids.map((id) => (reuse ? id : `${id}_${n}`));
          const made = calls(...ids);
          const results = ids
            .slice(round.isInterrupted ? 1 : 0)
            .flatMap((id) => [
              result(id, `out ${id} ${n}`),
              ...(round.doubles ? [result(id, `out ${id} ${n}`)] : []),
            ]);
          items.push(user(`Question ${n}`));
          if (round.order === 'calls first') items.push(...made, ...results);
          else if (round.order === 'results first') items.push(...results, ...made);
          else items.push(...results.slice(0, 1), ...made, ...results.slice(1));
          items.push(says(`Answer ${n}`));
        }
        items.push(user('And now?'));
        for (let end = 1; end <= items.length; end++) {
          const rendered = codec.render(items.slice(0, end));
          expect(codec.violations(rendered)).toEqual([]);
        }
        if (reuse) return;
        const shown = resultsOf(format, codec.render(items));
        for (const [n, { ids, isInterrupted }] of rounds.entries()) {
          for (const [index, id] of ids.entries()) {
            const wanted =
              isInterrupted && index === 0 ? MISSING_RESULT_NOTE : `out ${id}_${n} ${n}`;
            expect(shown[`${id}_${n}`]).toBe(wanted);
          }
        }
      }),
      { numRuns: 200 },
    );
  });

  it('takes linear time', () => {
    const ids = Array.from({ length: 20_000 }, (_, index) => `call_${index}`);
    const items = [
      user('Go.'),
      ...ids.map((id) => result(id, `out ${id}`)),
      ...ids.toReversed().flatMap((id) => calls(id)),
      user('And now?'),
    ];
    const started = cpuMs();
    const rendered = codec.render(items);
    expect(cpuMs() - started).toBeLessThan(10_000);
    expect(Object.keys(resultsOf(format, rendered))).toHaveLength(20_000);
  });
});
