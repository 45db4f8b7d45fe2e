import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { filterForSummary } from '../../../src/domain/compaction/filter.ts';
import { turnsOf, turnsToDrop } from '../../../src/domain/compaction/turns.ts';
import { codecFor } from '../../../src/domain/items/codecs.ts';
import type { Item, Normalised } from '../../../src/domain/items/item.ts';
import {
  assistant,
  attachment,
  BOUNDARY,
  call,
  PROGRESS,
  result,
  text,
  tool,
  user,
} from '../../support/items.ts';

const SUMMARY = user('what came before', { is_compact_summary: true });

/** Each turn as one short word per item; a carried one in brackets. */
function turns(...items: Item[]): string[] {
  const conversation = filterForSummary(items.map((item) => codecFor('anthropic').normalise(item)));
  return turnsOf(conversation).map(({ items: held, is_carried }) => {
    const words = held.map(wordsOf).join(' ');
    return is_carried ? `[${words}]` : words;
  });
}

function wordsOf(item: Normalised): string {
  if (item.kind !== 'message') return item.kind;
  return item.parts
    .map((part) => {
      if (part.kind === 'text') return part.text;
      if (part.kind === 'tool_call') return `call-${part.id}`;
      return part.kind === 'tool_result' ? `result-${part.call_id}` : part.kind;
    })
    .join(' ');
}

describe('turnsOf', () => {
  it.each<[string, Item[], string[]]>([
    ['nothing', [], []],
    [
      'a user message with everything up to the next one',
      [user('a'), assistant('b'), user('c'), assistant('d')],
      ['a b', 'c d'],
    ],
    [
      'tool rounds with the turn that made them',
      [user('a'), ...tool('1', 'Read', 1), ...tool('2', 'Read', 1), assistant('b'), user('c')],
      ['a call-1 result-1 call-2 result-2 b', 'c'],
    ],
    [
      'a user message after a result, which the filter has merged with it',
      [user('a'), call('1', 'Read'), result('1', 'x'), user('c'), assistant('d')],
      ['a call-1 result-1', 'c d'],
    ],
    [
      'text in one message with a result',
      [
        user('a'),
        call('1', 'Read'),
        user([{ type: 'tool_result', tool_use_id: '1', content: 'x' }, text('c')]),
      ],
      ['a call-1 result-1', 'c'],
    ],
    ['several user messages in a row as one', [user('a'), user('b'), assistant('c')], ['a b c']],
    [
      'what comes before the first user message by itself',
      [{ role: 'system', content: 'be brief' }, assistant('hello'), user('a')],
      ['be brief hello', 'a'],
    ],
    [
      'attachments with the message that they stand before',
      [user('a'), attachment('file', 'x', 'f'), assistant('b'), user('c'), attachment('todo', 'y')],
      ['a b', 'attachment c attachment'],
    ],
    [
      'an earlier summary, which stays, and what goes on after it',
      [BOUNDARY, user('kept'), SUMMARY, assistant('b'), user('c')],
      ['kept', '[what came before]', 'b', 'c'],
    ],
    ['only attachments', [attachment('file', 'x', 'f')], ['attachment']],
    ['nothing for markers', [BOUNDARY, PROGRESS], []],
  ])('makes turns of: %s', (_name, items, expected) => {
    expect(turns(...items)).toEqual(expected);
  });

  it('loses no part of any conversation, and never parts a call from its result', () => {
    const item = fc.oneof(
      fc.constantFrom<Item[]>([user('u')], [assistant('a')], [attachment('file', 'x', 'f')]),
      fc.constantFrom<Item[]>([SUMMARY], [BOUNDARY]),
      fc.nat(99).map((id) => tool(String(id), 'Read', 1)),
    );
    fc.assert(
      fc.property(fc.array(item, { maxLength: 20 }), (items) => {
        const conversation = filterForSummary(
          items.flat().map((one) => codecFor('anthropic').normalise(one)),
        );
        const split = turnsOf(conversation);
        const words = (held: Normalised[]) =>
          held.filter(({ kind }) => kind !== 'system').map(wordsOf);
        expect(split.flatMap((turn) => words(turn.items)).join(' ')).toBe(
          words(conversation).join(' '),
        );
        for (const turn of split) {
          const said = words(turn.items).join(' ');
          const calls = said.match(/call-\d+/g) ?? [];
          const results = said.match(/result-\d+/g) ?? [];
          expect(results.map((r) => r.slice(7))).toEqual(calls.map((c) => c.slice(5)));
        }
      }),
    );
  });
});

describe('turnsToDrop', () => {
  it.each([
    [[10, 10, 10], 30, 0],
    [[10, 10, 10], 29, 1],
    [[10, 10, 10], 20, 1],
    [[10, 10, 10], 5, 2],
    [[100, 1, 1], 50, 1],
    [[1, 1, 100], 50, 2],
    [[100], 50, 0],
    [[], 50, 0],
  ])('of %j with room for %d drops the oldest %d', (sizes, maxTokens, expected) => {
    expect(turnsToDrop(sizes, maxTokens)).toBe(expected);
  });
});
