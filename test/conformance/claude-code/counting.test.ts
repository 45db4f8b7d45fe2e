import { describe, expect, it } from 'vitest';
import type { Item } from '../../../src/domain/items/item.ts';
import type { Json } from '../../../src/domain/json.ts';
import {
  assistant,
  attachment,
  call,
  GHOST,
  IMAGE,
  ofTokens,
  PROGRESS,
  result,
  text,
  thinking,
  user,
} from '../../support/items.ts';
import { append, compactByItself, last, reporting } from '../lab.ts';
import { appendTo, openLab } from './lab.ts';

/** What a single item counts, without margin. */
function counts(item: Item): number {
  return last(appendTo([item]).events, 'item.appended').data.tokens;
}

/** What the context counts, with margin. */
function context(...items: Item[]): number {
  return appendTo(items).answer.context.tokens;
}

/** The approximate count of any JSON. */
const jsonTokens = (value: Json) => Math.round(JSON.stringify(value).length / 4);

describe('countTotalTokens: ZK', () => {
  it('CC-40: the newest message with a usage counts, searched backwards', () => {
    expect(context(reporting(150_000), reporting(1_000))).toBe(1_000);
    expect(context(reporting(1_000), user('x'), reporting(150_000))).toBe(150_000);
    const without = assistant('no usage', {});
    expect(context(reporting(1_000), without)).toBe(1_000 + Math.ceil((2 * 4) / 3));
  });

  it('CC-41: input, output, cache read and cache creation tokens', () => {
    const usage = {
      input_tokens: 4,
      output_tokens: 30,
      cache_read_input_tokens: 200,
      cache_creation_input_tokens: 1_000,
    };
    expect(context(assistant('ok', { usage }))).toBe(1_234);
  });

  it('CC-42: without any usage the estimate counts, so such a session is protected too', () => {
    expect(context(user(ofTokens(300)))).toBe(400);
    // 140,250 tokens with the margin are the threshold.
    expect(appendTo([user(ofTokens(140_249))]).answer.compaction).toBeNull();
    expect(appendTo([user(ofTokens(140_250))]).answer.compaction).not.toBeNull();
  });

  it('CC-43: what came after that message is added as an estimate', () => {
    expect(context(reporting(1_000), result('t', ofTokens(300)))).toBe(1_400);
  });

  it('CC-44: a usage from before a compaction never counts after it', async () => {
    const lab = await openLab();
    const talk = user(ofTokens(2_000));
    const events = await compactByItself(lab, talk, reporting(190_000));
    const after = last(events, 'compaction.completed').data.report.tokens_after;
    expect(after).toBeLessThan(3_000);
    // The call that was under way when the context was compacted.
    const stale = await append(lab, reporting(189_000));
    expect(stale.context.tokens).toBeLessThan(after + 5);
    expect(stale.compaction).toBeNull();
    expect((await append(lab, reporting(2_500))).context.tokens).toBe(2_500);
  });
});

describe('approximateTokenCount: gG', () => {
  it.each([
    ['', 0],
    ['a', 0],
    ['ab', 1],
    ['abcde', 1],
    ['abcdef', 2],
    ['ж'.repeat(40), 10],
    ['😀😀', 1],
  ])('CC-45: %j counts round(length / 4), in UTF-16 units', (value, tokens) => {
    expect(counts(user([text(value)]))).toBe(tokens);
  });
});

describe('countToolResultTokens: iI2', () => {
  const FILE = { type: 'document', source: { type: 'url', url: 'https://example.org/a.pdf' } };

  it.each<[string, Json | undefined, number]>([
    ['CC-46: nothing', undefined, 0],
    ['CC-46: an empty text', '', 0],
    ['CC-46: an empty list', [], 0],
    ['CC-47: a text', ofTokens(300), 300],
    ['CC-48: texts, each on its own', [text('ab'), text('ab'), text('ab')], 3],
    ['CC-06, CC-48: an image', [IMAGE], 2_000],
    ['CC-06, CC-48: text and images', [text(ofTokens(10)), IMAGE, IMAGE], 4_010],
    ['CC-48: any other block as its JSON', [text(ofTokens(10)), FILE], 10 + jsonTokens(FILE)],
  ])('%s', (_row, content, tokens) => {
    const block = { type: 'tool_result', tool_use_id: 't' };
    expect(counts(user([content === undefined ? block : { ...block, content }]))).toBe(tokens);
  });
});

describe('countMessageTokensWithSafetyMargin: EQ0', () => {
  it('CC-49: user and assistant messages count, markers of all kinds do not', () => {
    expect(counts(user(ofTokens(5)))).toBe(5);
    expect(counts(assistant(ofTokens(5)))).toBe(5);
    const info: Item = { type: 'system', subtype: 'info', content: ofTokens(500) };
    for (const item of [PROGRESS, GHOST, info]) expect(counts(item)).toBe(0);
    expect(counts(attachment('todo', ofTokens(50)))).toBe(50);
  });

  it('CC-50: a content that is a plain text counts like a text block', () => {
    expect(counts(user(ofTokens(40)))).toBe(counts(user([text(ofTokens(40))])));
  });

  it.each<[string, Item, number]>([
    ['a text', user([text(ofTokens(7))]), 7],
    ['a tool result', result('t', [text(ofTokens(7)), IMAGE]), 2_007],
    ['an image (CC-06)', user([IMAGE]), 2_000],
    ['thinking', assistant([thinking('hm, '.repeat(9))]), jsonTokens(thinking('hm, '.repeat(9)))],
    [
      'a tool call',
      call('t', 'Read', { path: 'a.ts' }),
      jsonTokens({ type: 'tool_use', id: 't', name: 'Read', input: { path: 'a.ts' } }),
    ],
    ['all together', user([text('abcd'), text('abcd'), IMAGE]), 2_002],
  ])('CC-51: %s', (_block, item, tokens) => {
    expect(counts(item)).toBe(tokens);
  });

  it.each([
    ['CC-11', [3], 4],
    ['CC-11', [300], 400],
    ['CC-11, CC-52', [1], 2],
    ['CC-52', [1, 1, 1], 4],
    ['CC-52', [100, 100, 101], 402],
  ])(
    '%s: estimates of %j become %i, four thirds of the sum, rounded up once',
    (_ids, sizes, sum) => {
      expect(context(...sizes.map((size) => user(ofTokens(size))))).toBe(sum);
    },
  );
});

describe('the cache of token counts: pI2', () => {
  it('CC-53: an item is counted when it comes, and not again with those that follow', () => {
    const counted: string[] = [];
    const o200k_base = (value: string) => {
      counted.push(value);
      return value.length;
    };
    const world = { server: {}, tokenizers: { o200k_base } };
    const config = { token_counter: 'o200k_base', token_safety_multiplier: 1 } as const;
    const items = [call('t', 'Read'), result('t', 'the result')];
    const { answer, events: earlier } = appendTo(items, config, { world });
    const { context } = appendTo([user('more')], config, { world, earlier }).answer;
    expect(counted.filter((value) => value === 'the result')).toHaveLength(1);
    expect(last(earlier, 'item.appended').data.tokens).toBe('the result'.length);
    expect(context.tokens).toBe(answer.context.tokens + 'more'.length);
  });
});
