import { describe, expect, test } from 'vitest';
import { withoutThoughts } from '../../../src/domain/items/thoughts.ts';
import { asks, ledgerOf, tells } from '../../support/log-items.ts';

describe('thoughts in front of an answer', () => {
  test.each([
    ['in their tags', '<think>\nIs it 4?\n</think>\n\nIt is 4.', 'It is 4.'],
    ['in longer tags', '<thinking>Is it 4?</thinking> It is 4.', 'It is 4.'],
    ['of a template that opens them itself', 'Is it 4?\n</think>\n\nIt is 4.', 'It is 4.'],
    ['and nothing more', '<think>Is it 4?</think>', ''],
  ])('are taken away: %s', (_, text, answer) => expect(withoutThoughts(text)).toBe(answer));

  test.each([
    ['an answer without any', 'It is 4.'],
    ['thoughts that do not end', '<think>Is it 4?'],
    ['words about the tags', 'The parser drops all before `</think>`, which is right.'],
    ['code with the tags', 'Write:\n```\nIs it 4?\n</think>\n```\nand so on.'],
  ])('%s stays', (_, text) => expect(withoutThoughts(text)).toBe(text));

  test('are not what the assistant has said', () => {
    const thought =
      '<think>\nI decided to use Redis instead of files because it is faster.\n</think>\n\n';
    const ledger = ledgerOf([asks('What do we use?'), tells(`${thought}We go on with files.`)]);
    expect(JSON.stringify(ledger.conclusions)).not.toContain('Redis');
    expect(ledger.said.map(({ text }) => text)).toEqual(['We go on with files.']);
  });
});
