import { pino } from 'pino';
import { expect, it } from 'vitest';
import type { Measurement } from '../../src/metrics/catalogue.ts';
import { searchObserver } from '../../src/metrics/of-searches.ts';

it('measures each search, and logs which sessions one had to leave out', () => {
  const lines: string[] = [];
  const recorded: Measurement[] = [];
  const observe = searchObserver(
    (one) => recorded.push(one),
    pino({ level: 'warn' }, { write: (line: string) => lines.push(line) }),
  );
  observe({ scope: 'all', way: 'words', seconds: 0.2, lost: [] });
  expect(lines).toEqual([]);
  observe({ scope: 'session', way: 'expression', seconds: 0.5, lost: ['chat'] });
  expect(recorded.map(({ value }) => value)).toEqual([0.2, 0.5]);
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({
      session_ids: ['chat'],
      msg: 'a search has left out sessions whose files the archive has lost',
    }),
  ]);
});
