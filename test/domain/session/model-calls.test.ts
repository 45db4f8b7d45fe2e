import { describe, expect, it } from 'vitest';
import { codecFor, type Format } from '../../../src/domain/items/codecs.ts';
import type { Item } from '../../../src/domain/items/item.ts';
import { cachedShareOf } from '../../../src/domain/items/usage.ts';
import { callsAfter, type ModelCalls, NO_CALLS } from '../../../src/domain/session/model-calls.ts';
import { assistant, PROGRESS, tool, user } from '../../support/items.ts';

function calls(format: Format, ...items: Item[]) {
  const codec = codecFor(format);
  return items.reduce<ModelCalls>(
    (so_far, item) => callsAfter(so_far, item, codec.normalise(item)),
    NO_CALLS,
  );
}

describe('callsAfter', () => {
  it.each<[string, Item[], number]>([
    ['nothing', [], 0],
    ['a message of the user', [user('a')], 0],
    ['an answer', [user('a'), assistant('b')], 1],
    ['an answer, a tool and an answer', [user('a'), ...tool('t', 'Read', 10), assistant('b')], 2],
    ['an answer in pieces', [user('a'), assistant('b'), PROGRESS, assistant('c')], 1],
    ['two answers', [user('a'), assistant('b'), user('c'), assistant('d')], 2],
  ])('counts the calls of %s', (_case, items, count) => {
    expect(calls('anthropic', ...items).count).toBe(count);
  });

  it('counts reasoning, words and calls of one response as one', () => {
    const items: Item[] = [
      { type: 'message', role: 'user', content: 'a' },
      { type: 'reasoning', id: 'r', summary: [] },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'b' }] },
      { type: 'function_call', call_id: 'c', name: 'shell', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c', output: 'ok' },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'd' }] },
    ];
    expect(calls('openai-responses', ...items).count).toBe(2);
  });

  it('keeps the newest share and model that a message names', () => {
    const usage = { input_tokens: 10, cache_read_input_tokens: 90, output_tokens: 1 };
    const first = assistant('a', { model: 'm-1', usage });
    expect(calls('anthropic', first, user('b'), assistant('c'))).toEqual({
      count: 2,
      is_answering: true,
      cached_share: 0.9,
      model: 'm-1',
    });
    const second = assistant('c', { model: 'm-2', usage: { input_tokens: 10, output_tokens: 1 } });
    expect(calls('anthropic', first, user('b'), second)).toMatchObject({
      cached_share: 0.9,
      model: 'm-2',
    });
    const long = assistant('d', { model: 'm'.repeat(201) });
    const made = assistant('e', { model: '<synthetic>', is_api_error_message: true });
    expect(calls('anthropic', first, long, made).model).toBe('m-1');
  });
});

describe('cachedShareOf', () => {
  it.each([
    [{ input_tokens: 100, cache_read_input_tokens: 800, cache_creation_input_tokens: 100 }, 0.9],
    [{ input_tokens: 100, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 }, 0],
    [{ prompt_tokens: 1_000, prompt_tokens_details: { cached_tokens: 600 } }, 0.6],
    [{ input_tokens: 1_000, input_tokens_details: { cached_tokens: 250 } }, 0.25],
    [{ input_tokens: 1_000, input_tokens_details: { cached_tokens: 1_001 } }, null],
    [{ input_tokens: 1_000, input_tokens_details: { cached_tokens: '9' } }, null],
    [{ input_tokens: 1_000 }, null],
    [{ input_tokens: -1, cache_read_input_tokens: 5 }, null],
    [{ input_tokens: 1, input_tokens_details: null }, null],
    ['much', null],
    [undefined, null],
  ])('%j is %s', (usage, share) => {
    expect(cachedShareOf(usage)).toBe(share);
  });
});
