import { describe, expect, it } from 'vitest';
import { allot } from '../../../src/domain/compaction/extractive/allot.ts';
import type { Topic } from '../../../src/domain/compaction/extractive/headings.ts';
import type { Line } from '../../../src/domain/compaction/extractive/line.ts';

/** A line of ten tokens, bullet and end of line included. */
const TOKENS_OF_LINE = 10;
const line = (name: string, worth = 1): Line => ({ text: `${name} `.padEnd(7, '.'), worth });
const lines = (of: string, many: number) =>
  Array.from({ length: many }, (_, n) => line(`${of}${n}`, many - n));

/** What is told of each topic in so much room, of which a character is a token. */
function told(tellings: Partial<Record<Topic, Line[][]>>, room: number) {
  const ways = Object.entries(tellings).map(
    ([topic, ways]) => [topic as Topic, ways.map((way) => () => way)] as const,
  );
  return allot(new Map(ways), room, (text) => text.length);
}

describe('the room of a summary', () => {
  it('that all topics leave over goes to one of which not even the fewest words fit', () => {
    const room = 30 * TOKENS_OF_LINE;
    const chosen = told({ errors: [lines('e', 40)], next: [lines('n', 1)] }, room);
    expect(chosen.get('next')).toHaveLength(1);
    // Far more than the three tenths that its fewest words may take.
    expect(chosen.get('errors')?.length).toBeGreaterThan(24);
    expect(chosen.get('errors')?.length).toBeLessThan(30);
  });

  it('holds the worthiest lines where not all fit, in their own order', () => {
    const some = [line('low', 1), line('high', 9), line('less', 2), line('more', 8)];
    const chosen = told({ runs: [some] }, 8 + 2 * TOKENS_OF_LINE);
    expect(chosen.get('runs')).toEqual(['high ..', 'more ..']);
  });

  it('is filled with what was said where no file was worked on, whether or not there are more words', () => {
    for (const more of [[], [lines('longer', 80)]]) {
      const chosen = told({ messages: [lines('m', 80), ...more] }, 20 * TOKENS_OF_LINE);
      expect(chosen.get('messages')?.length).toBeGreaterThan(15);
    }
  });

  it('gives each topic its fewest words before any has more', () => {
    const ways = (of: string, most: number) => [lines(of, 2), lines(of, most)];
    const room = 60 * TOKENS_OF_LINE;
    const chosen = told(
      {
        constraints: ways('c', 16),
        messages: ways('m', 31),
        files: ways('f', 10),
        next: [lines('n', 3)],
      },
      room,
    );
    expect([...chosen.keys()]).toEqual(['constraints', 'messages', 'files', 'next']);
    expect(chosen.get('next')).toHaveLength(3);
  });

  it('goes to more words where the fewest leave some', () => {
    const ways = [lines('a', 2), lines('b', 12)];
    expect(told({ decisions: ways }, 8 + 13 * TOKENS_OF_LINE).get('decisions')).toHaveLength(12);
    expect(told({ decisions: ways }, 8 + 11 * TOKENS_OF_LINE).get('decisions')).toHaveLength(2);
  });
});
