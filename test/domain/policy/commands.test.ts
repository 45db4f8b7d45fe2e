import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { codecFor, type Format } from '../../../src/domain/items/codecs.ts';
import type { Item } from '../../../src/domain/items/item.ts';
import { compactionCommand, MAX_INSTRUCTIONS } from '../../../src/domain/policy/commands.ts';
import { assistant, IMAGE, result, text, user } from '../../support/items.ts';

function commandIn(item: Item, format: Format = 'anthropic') {
  return compactionCommand(codecFor(format).normalise(item));
}

describe('compactionCommand', () => {
  it.each([
    ['/compact', {}],
    ['/codex-compact', {}],
    ['codex-compact', {}],
    ['/COMPACT', {}],
    ['Codex-Compact', {}],
    ['/Codex-compact', {}],
    ['  /compact \n', {}],
    ['/compact keep the API names', { instructions: 'keep the API names' }],
    ['/compact\nkeep\n\nthe API names \n', { instructions: 'keep\n\nthe API names' }],
    ['codex-compact Keep It', { instructions: 'Keep It' }],
  ])('finds a command in %j', (said, expected) => {
    expect(commandIn(user(said))).toEqual(expected);
    expect(commandIn(user([text(said)]))).toEqual(expected);
  });

  it.each([
    '',
    'compact',
    'please /compact',
    '/compacting',
    '/compact-all',
    '//compact',
    '/ compact',
    'codex-compact.md',
    'codex-compact, what does it do?',
    '/codex-metrics',
    '`/compact`',
    '> /compact',
  ])('finds none in %j', (said) => {
    expect(commandIn(user(said))).toBeNull();
  });

  it.each<[string, Item]>([
    ['the assistant', assistant('/compact')],
    ['a tool result', result('t', '/compact')],
    ['a meta message', user('/compact', { is_meta: true })],
    ['a summary', user('/compact', { is_compact_summary: true })],
    ['a message with an image', user([text('/compact'), IMAGE])],
    ['a message of several texts', user([text('/compact'), text('now')])],
    ['an attachment', { type: 'attachment', attachment: { kind: 'memory', content: '/compact' } }],
  ])('does not take it from %s', (_name, item) => {
    expect(commandIn(item)).toBeNull();
  });

  it.each<[Format, Item]>([
    ['openai-chat', { role: 'user', content: '/compact now' }],
    ['openai-chat', { role: 'user', content: [{ type: 'text', text: '/compact now' }] }],
    ['openai-responses', { role: 'user', content: '/compact now' }],
    [
      'openai-responses',
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: '/compact now' }] },
    ],
  ])('finds it in format %s', (format, item) => {
    expect(commandIn(item, format)).toEqual({ instructions: 'now' });
  });

  it('takes a long text that only begins like one for what it is', () => {
    const longest = 'x'.repeat(MAX_INSTRUCTIONS);
    expect(commandIn(user(`/compact ${longest}`))).toEqual({ instructions: longest });
    expect(commandIn(user(`/compact ${longest}x`))).toBeNull();
  });

  it('takes no other text for one', () => {
    const words = fc.constantFrom(
      '/compact',
      'codex-compact',
      '/codex',
      '-compact',
      ' ',
      'go',
      '/',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(words).map((w) => w.join('')),
        ),
        (said) => {
          const [first = ''] = said.trim().split(/\s/);
          const names = ['/compact', '/codex-compact', 'codex-compact'];
          expect(commandIn(user(said)) !== null).toBe(names.includes(first.toLowerCase()));
        },
      ),
    );
  });
});
