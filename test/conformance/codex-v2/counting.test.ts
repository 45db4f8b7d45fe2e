import { describe, expect, it } from 'vitest';
import type { Item } from '../../../src/domain/items/item.ts';
import type { JsonObject } from '../../../src/domain/json.ts';
import type { ConfigOverrides } from '../../../src/domain/policy/config.ts';
import { loadTokenizer } from '../../../src/tokenizer-loader.ts';
import { attachment, GHOST, ofTokens, PROGRESS } from '../../support/items.ts';
import { append, compactByItself, last, StubModel } from '../lab.ts';
import {
  appendTo,
  assistant,
  call,
  GOOD,
  IMAGE,
  inputText,
  openLab,
  output,
  reporting,
  user,
} from './lab.ts';

/** What a single item counts, without margin. */
function counts(item: Item, config: ConfigOverrides = {}): number {
  const { events } = appendTo([item], config);
  return last(events, 'item.appended').data.tokens;
}

/** What the context counts, with margin. */
function context(items: Item[], config: ConfigOverrides = {}): number {
  return appendTo(items, config).answer.context.tokens;
}

/** The approximate count of a JSON that has only ASCII letters. */
const jsonTokens = (value: JsonObject) => Math.ceil(JSON.stringify(value).length / 4);

describe('approximate', () => {
  it.each<[string, string, number]>([
    ['nothing', '', 0],
    ['one byte', 'a', 1],
    ['four bytes', 'abcd', 1],
    ['five bytes', 'abcde', 2],
    ['20,000 Cyrillic letters of two bytes', 'ж'.repeat(20_000), 10_000],
    ['one emoji of four bytes', '😀', 1],
  ])('CV-91, CV-97: %s', (_name, text, tokens) => {
    expect(counts(user(text))).toBe(tokens);
  });

  it('CV-90: the bytes of a token can be configured', () => {
    expect(counts(user('abcdefgh'), { approx_bytes_per_token: 3 })).toBe(3);
  });
});

describe('with_safety_margin', () => {
  it.each([
    [0, 0],
    [1, 2],
    [3, 4],
    [100, 133],
    [101, 135],
  ])('CV-90, CV-92, CV-97: %i become %i, times 1.33, rounded up', (tokens, withMargin) => {
    expect(context([user(ofTokens(tokens))])).toBe(withMargin);
  });

  it('CV-90: the multiplier can be configured', () => {
    expect(context([user(ofTokens(100))], { token_safety_multiplier: 2 })).toBe(200);
  });
});

describe('count_tool_result', () => {
  const FILE = { type: 'input_file', file_id: 'file-1' };

  it.each<[string, string | JsonObject[], number]>([
    ['a text', ofTokens(300), 300],
    ['nothing', '', 0],
    ['texts, each on its own', [inputText('ab'), inputText('ab'), inputText('ab')], 3],
    ['an image', [IMAGE], 2_000],
    ['text and images', [inputText(ofTokens(10)), IMAGE, IMAGE], 4_010],
    ['any other block as its JSON', [inputText(ofTokens(10)), FILE], 10 + jsonTokens(FILE)],
  ])('CV-90, CV-93, CV-97: %s', (_name, content, tokens) => {
    expect(counts(output('t', content))).toBe(tokens);
  });

  it('CV-90, CV-97: what an image counts can be configured', () => {
    expect(counts(output('t', [IMAGE]), { tokens_per_image: 500 })).toBe(500);
  });
});

describe('count_messages_with_margin', () => {
  const UNKNOWN = { type: 'input_file', file_id: 'file-1' };
  const CALL = call('t', 'shell', { command: 'ls' });

  it.each<[string, Item, number]>([
    ['input_text', user(ofTokens(7)), 7],
    ['output_text', assistant(ofTokens(7)), 7],
    ['a tool result', output('t', [inputText(ofTokens(7)), IMAGE]), 2_007],
    ['an image', { type: 'message', role: 'user', content: [IMAGE] }, 2_000],
    [
      'anything else by its JSON',
      { type: 'message', role: 'user', content: [UNKNOWN] },
      jsonTokens(UNKNOWN),
    ],
    ['a call, which codex has as an item of its own', CALL, jsonTokens(CALL)],
  ])('CV-94: %s', (_name, item, tokens) => {
    expect(counts(item)).toBe(tokens);
  });

  it('CV-94: only what reaches the model counts: attachments do, markers do not', () => {
    const info: Item = { type: 'system', subtype: 'info', content: ofTokens(500) };
    for (const item of [PROGRESS, GHOST, info]) expect(counts(item)).toBe(0);
    expect(counts(attachment('todo', ofTokens(50)))).toBe(50);
  });

  it('CV-94: the margin is taken on the sum, and rounded up once', () => {
    expect(context([user('abc'), assistant('abc'), output('t', 'abc')])).toBe(4);
    expect(context([user(ofTokens(100)), assistant(ofTokens(101))])).toBe(268);
  });
});

describe('precise and approximate', () => {
  it('CV-98: the threshold is reached with the margin on top', () => {
    const asks = (tokens: number) => appendTo([user(ofTokens(tokens))]).answer.compaction !== null;
    expect(asks(140_600)).toBe(false);
    expect(asks(140_601)).toBe(true);
  });

  it('CV-95, CV-97: a real tokenizer can take the place of the estimate', async () => {
    const o200k_base = await loadTokenizer('o200k_base');
    const config = { token_counter: 'o200k_base', token_safety_multiplier: 1 } as const;
    const text = 'Compact the conversation, please.';
    const { answer } = appendTo([user(text)], config, {
      world: { server: {}, tokenizers: { o200k_base } },
    });
    expect(answer.context.tokens).toBe(6);
    expect(counts(user(text))).toBe(9);
  });

  it('CV-96: the usage that the model reports decides, and the estimate of what came since', () => {
    expect(context([user(ofTokens(500_000)), reporting(1_000)])).toBe(1_000);
    expect(context([reporting(1_000), output('t', ofTokens(100))])).toBe(1_133);
  });

  it('CV-96: a usage from before a compaction never counts after it', async () => {
    const lab = await openLab();
    StubModel.of(lab, GOOD);
    const events = await compactByItself(lab, user(ofTokens(25_000)), reporting(190_000));
    const after = last(events, 'compaction.completed').data.report.tokens_after;
    // The call that was under way when the context was compacted.
    const stale = await append(lab, reporting(189_000));
    expect(stale.context.tokens).toBeLessThan(after + 5);
    expect(stale.compaction).toBeNull();
    expect((await append(lab, reporting(30_000))).context.tokens).toBe(30_000);
  });
});
