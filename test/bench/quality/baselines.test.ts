import { describe, expect, it } from 'vitest';
import { baselinesOf } from '../../../bench/quality/baselines.ts';
import { cutsAt } from '../../../bench/quality/parts.ts';
import { codecFor } from '../../../src/domain/items/codecs.ts';
import { call, conversation, said, user } from './session.ts';

const turns = Array.from({ length: 80 }, (_, index) => [
  ...user(`message ${index}: look at number_${index} and tell me what is wrong with it there`),
  ...call('Bash', { command: `cat file_${index}.ts` }, `often_met = number_${index}`),
]);

describe('baselines', () => {
  it('take as many tokens as they may, and hardly fewer', () => {
    const { tail, names, openings } = baselinesOf(conversation(...turns), 300);
    for (const { tokens } of [tail, names, openings]) {
      expect(tokens).toBeLessThanOrEqual(300);
      expect(tokens).toBeGreaterThan(280);
    }
  });

  it('are the end, the most frequent names with the files first, and beginnings', () => {
    const { tail, names, openings } = baselinesOf(conversation(...turns), 300);
    expect(tail.read.text.endsWith('often_met = number_79')).toBe(true);
    const listed = names.read.text.split('\n');
    expect(listed).toContain('often_met');
    expect(listed[1]).toMatch(/^file_\d+\.ts$/);
    expect(openings.read.text.split('\n').at(-1)).toBe(
      'message 79: look at number_79 and tell me what is wrong with',
    );
  });
});

describe('cuts', () => {
  const codec = codecFor('anthropic');
  const items = turns.flat().map((item) => codec.normalise(item));
  const tokens = items.map(() => 10);

  it('come after equal parts, the last one at the same place for every count', () => {
    const [one, five] = [1, 5].map((count) => cutsAt(items, tokens, count, 0.75));
    expect(five).toHaveLength(5);
    expect(five?.at(-1)).toBe(one?.[0]);
    for (const [index, cut] of (five ?? []).entries()) {
      expect(Math.abs(cut - ((index + 1) / 5) * 0.75 * items.length)).toBeLessThan(
        0.05 * items.length,
      );
    }
  });

  it('leave nothing over where all is to be covered', () => {
    expect(cutsAt(items, tokens, 3, 1).at(-1)).toBe(items.length);
  });

  it('never stand between a call and its result', () => {
    for (const cut of cutsAt(items, tokens, 10, 1)) {
      expect(items[cut - 1]).not.toHaveProperty('parts.0.kind', 'tool_call');
    }
  });

  it('leave whole what was recorded in pieces', () => {
    const pieces = ['a', 'b', 'c', 'd'].map((text) => ({
      ...codec.normalise(said(text)[0] ?? {}),
      id: 'msg_1',
    }));
    expect(cutsAt(pieces, [1, 1, 1, 1], 1, 0.5)).toEqual([4]);
  });
});
