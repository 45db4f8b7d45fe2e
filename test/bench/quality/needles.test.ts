import { describe, expect, it } from 'vitest';
import { textCandidate } from '../../../bench/quality/candidate.ts';
import { drawNeedles, measureNeedles } from '../../../bench/quality/measures/needles.ts';
import { call, conversation, said } from './session.ts';

const line = (word: string, index: number) =>
  `${word} number ${index} tells what was measured at this place`;
const session = conversation(
  ...Array.from({ length: 60 }, (_, index) => [
    ...said(line('report', index)),
    ...call(
      'Bash',
      { command: `measure ${index}` },
      `${line('output', index)}\nthe same line stands in every result of all`,
    ),
  ]),
);

describe('needles', () => {
  const needles = drawNeedles(session, 7);

  it('are forty unique lines, half of them from tool results, half from each half', () => {
    expect(new Set(needles.map((needle) => needle.line)).size).toBe(40);
    expect(needles.filter(({ source }) => source === 'result')).toHaveLength(20);
    expect(needles.filter(({ half }) => half === 'first')).toHaveLength(20);
    expect(needles.map((needle) => needle.line)).not.toContain(
      'the same line stands in every result of all',
    );
    for (const needle of needles) expect(needle.line.length).toBeGreaterThanOrEqual(40);
  });

  it('are decided by the seed', () => {
    expect(drawNeedles(session, 7)).toEqual(needles);
    expect(drawNeedles(session, 8)).not.toEqual(needles);
  });

  it('count where they stand whole, each half by itself', () => {
    const first = needles.filter(({ half }) => half === 'first').map((needle) => needle.line);
    const { all, first_half, second_half } = measureNeedles(
      needles,
      textCandidate(first.join('\n').toUpperCase()),
    );
    expect([all.found, first_half.found, second_half.found]).toEqual([20, 20, 0]);
  });
});
