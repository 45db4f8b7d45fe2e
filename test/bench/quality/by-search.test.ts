import { expect, test } from 'vitest';
import { needlesBySearch, statementsBySearch } from '../../../bench/quality/measures/by-search.ts';
import type { Needle } from '../../../bench/quality/measures/needles.ts';

const needle = (line: string): Needle => ({ line, source: 'other', half: 'first' });
const covered = {
  passages: [
    'the rare zebra ran over the long bridge',
    'the bridge and the long road',
    'the road',
  ].map((text, item) => ({ voice: 'user' as const, text, item })),
  calls: [],
  items: 3,
};

test('a needle is asked for by its three rarest words, and has to stand in a hit', async () => {
  const asked: string[] = [];
  const search = async (q: string) => {
    asked.push(q);
    return q.includes('zebra') ? ['The rare   zebra ran over the long bridge'] : ['something else'];
  };
  const needles = [
    needle('the rare zebra ran over the long bridge'),
    needle('the bridge and the long road'),
    needle('├──────────┼──────────┼──────────┤'),
  ];
  expect(await needlesBySearch(needles, covered, search)).toEqual({ found: 1, of: 2 });
  expect(asked).toEqual(['zebra rare over', 'and bridge long']);
});

test('a question is asked with its own words; those about a rule, or without a source, are not', async () => {
  const probe = (question: string, rule: string, ...statements: string[]) => ({
    type: 't',
    question,
    rule,
    statements,
  });
  const probes = [
    probe('Where did "I" go?', '', 'I went to Lisbon'),
    probe('Who came?', '', 'Nobody of importance'),
    probe('A rule?', 'always', 'I went to Lisbon'),
    probe('Unknown?', ''),
  ];
  const asked: string[] = [];
  const search = async (q: string) => {
    asked.push(q);
    return ['Once i went to  lisbon, by train'];
  };
  expect(await statementsBySearch(probes, search)).toEqual({ found: 1, of: 2 });
  expect(asked).toEqual(['Where did  I  go?', 'Who came?']);
});
