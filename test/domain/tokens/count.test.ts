import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { codecFor } from '../../../src/domain/items/codecs.ts';
import type { Item } from '../../../src/domain/items/item.ts';
import { profileConfig } from '../../../src/domain/policy/profiles.ts';
import { estimator, utf8Length, withSafetyMargin } from '../../../src/domain/tokens/count.ts';
import { measureItem, usageTokens } from '../../../src/domain/tokens/measure.ts';
import { configWith } from '../../support/given.ts';
import {
  assistant,
  attachment,
  BOUNDARY,
  call,
  GHOST,
  IMAGE,
  PROGRESS,
  result,
  text,
  thinking,
  user,
} from '../../support/items.ts';

describe('estimate of a text', () => {
  it.each([
    ['', 0],
    ['a', 1],
    ['abcd', 1],
    ['abcde', 2],
    ['ä', 1],
    ['€€', 2],
    ['👍', 1],
    ['👍👍a', 3],
    ['\ud83d', 1],
  ])('%j is %i tokens: ceil(UTF-8 bytes / 4)', (value, tokens) => {
    expect(estimator(configWith())(value)).toBe(tokens);
  });

  it.each([
    ['', 0],
    ['a', 0],
    ['ab', 1],
    ['abcde', 1],
    ['abcdef', 2],
    ['👍', 1],
  ])('claude-code: %j is %i tokens: round(UTF-16 length / 4)', (value, tokens) => {
    expect(estimator(profileConfig('claude-code', 200_000))(value)).toBe(tokens);
  });

  it('divides by approx_bytes_per_token', () => {
    expect(estimator(configWith({ approx_bytes_per_token: 3 }))('1234567')).toBe(3);
  });

  it('counts the bytes that an encoder writes, lone surrogates included', () => {
    const anyText = fc.string({ unit: 'binary' });
    fc.assert(
      fc.property(anyText, (value) => {
        expect(utf8Length(value)).toBe(new TextEncoder().encode(value).length);
      }),
    );
  });
});

describe('tokens of an item', () => {
  const config = configWith({ tokens_per_image: 100 });
  const json = (value: unknown) => Math.ceil(JSON.stringify(value).length / 4);
  const toolUse = { type: 'tool_use', id: 'c', name: 'Read', input: { path: 'a' } };

  it.each<[string, Item, number]>([
    ['text of a string', user('12345678'), 2],
    ['text blocks, each rounded up', user([text('12345'), text('1')]), 3],
    ['an image', user([IMAGE]), 100],
    ['a tool result: text and images', result('c', [text('1234'), IMAGE]), 101],
    ['a tool result that is a string', result('c', '12345'), 2],
    ['an empty tool result', result('c', ''), 0],
    ['a tool call: its JSON', call('c', 'Read', { path: 'a' }), json(toolUse)],
    ['thinking: its JSON', assistant([thinking('hm')]), json(thinking('hm'))],
    ['any other block: its JSON', user([{ type: 'x', y: 1 }]), json({ type: 'x', y: 1 })],
    ['an attachment: its text', attachment('memory', '12345'), 2],
    ['progress', PROGRESS, 0],
    ['a boundary', BOUNDARY, 0],
    ['a ghost snapshot', GHOST, 0],
  ])('%s', (_name, item, tokens) => {
    const measured = measureItem(codecFor('anthropic'), item, estimator(config), config);
    expect(measured.tokens).toBe(tokens);
  });

  it('adds up all figures of a reported usage', () => {
    const usage = {
      input_tokens: 10,
      output_tokens: 20,
      cache_read_input_tokens: 300,
      cache_creation_input_tokens: 4000,
    };
    const item = codecFor('anthropic').normalise(assistant('x', { usage }));
    expect(usageTokens(item)).toBe(4330);
    expect(usageTokens(codecFor('anthropic').normalise(user('x')))).toBeUndefined();
  });
});

describe('safety margin', () => {
  it.each([
    ['default', 3, 4],
    ['default', 100, 133],
    ['claude-code', 3, 4],
    ['claude-code', 100, 134],
    ['codex-v2', 0, 0],
  ] as const)('%s: %i tokens become %i', (profile, tokens, withMargin) => {
    expect(withSafetyMargin(tokens, profileConfig(profile, 200_000))).toBe(withMargin);
  });
});
