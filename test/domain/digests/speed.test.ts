import { expect, test } from 'vitest';
import { digestOf } from '../../../src/domain/digests/digest.ts';
import { profileConfig } from '../../../src/domain/policy/profiles.ts';
import { estimator } from '../../../src/domain/tokens/count.ts';

const count = estimator(profileConfig('default', 200_000));
const SIZE = 1_000_000;
const filled = (unit: string) => unit.repeat(Math.ceil(SIZE / unit.length));
const numbered = (lines: number, line: (n: number) => string) =>
  Array.from({ length: lines }, (_, n) => line(n)).join('\n');

/** The time of the process in the best of some tries, in milliseconds: others run beside it. */
function best(work: () => void): number {
  const times = [1, 2, 3].map(() => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  });
  return Math.min(...times);
}

function digestTime(text: string): number {
  return best(() => {
    const names = { known: '', isUsed: () => false };
    const result = { text, tool: 'Bash', path: null, isFailed: true };
    digestOf(result, { tokens: count(text), count, names });
  });
}

/** What it takes to look at every word of 1 MB five times, at the same moment: a machine is slow at times. */
function baselineTime(): number {
  return best(() => {
    for (let times = 0; times < 5; times++) filled('fooBar baz_qux ').match(/[a-z]+/gi);
  });
}

// The goal for 1 MB is 30 ms, here about 0.4; what takes more than 1.3 grows faster than its text, or looks at it too often.
test.each([
  ['one line', filled('a')],
  ['one line of names', filled('fooBar baz_qux ')],
  ['empty lines', filled('\n')],
  ['spaces', filled(' ')],
  ['nested arrays', '['.repeat(100_000) + ']'.repeat(100_000)],
  ['nested objects', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
  ['a string of escapes', `{"a":"${filled('\\')}"}`],
  ['quotes that nest', filled('{"a":"')],
  [
    'rows',
    JSON.stringify(
      Array.from({ length: 9_000 }, (_, id) => ({ id, name: `user_${id}`, state: 'ok' })),
    ),
  ],
  [
    'many templates',
    numbered(60_000, (n) => `${n.toString(26).replaceAll(/\d/g, 'q')} came along here`),
  ],
  ['many names', numbered(60_000, (n) => `nameNumber${n} x${n}y`)],
  ['many errors', numbered(30_000, (n) => `error: thing ${n} happened`)],
  [
    'a log',
    numbered(
      12_000,
      (n) => `2026-01-02T03:04:05Z INFO request ${n} of /items/${n % 9} took ${n} ms`,
    ),
  ],
  ['tags', filled('<a ')],
  ['angles', filled('<')],
  ['a page', filled('<div><a href="x">text here</a>')],
  ['columns', filled('a,')],
  ['colons', filled('a:1:')],
  ['slashes', filled('a/')],
  ['hunks', filled('@@ -1,2 +1,2 @@\n-foo\n+bar\n')],
  ['returns', filled('progress 10%\r')],
  ['a log of 10 MB', filled('INFO something_happened to id 12345 in the service\n').repeat(10)],
  // What else runs in the process can only slow it down: a digest that is too slow stays so.
])('a digest of %s is over in time', { retry: 3 }, (_, text) => {
  expect(digestTime(text) / baselineTime()).toBeLessThan(1.3);
});
