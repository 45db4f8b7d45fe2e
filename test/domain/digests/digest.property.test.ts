import fc from 'fast-check';
import { expect, test } from 'vitest';
import { digestOf } from '../../../src/domain/digests/digest.ts';
import { profileConfig } from '../../../src/domain/policy/profiles.ts';
import { estimator, type TextCounter } from '../../../src/domain/tokens/count.ts';
import { expectTrue } from '../../support/check-digest.ts';

const estimate = estimator(profileConfig('default', 200_000));
/** Counts names dearer than the rest, as tokenizers do. */
const uneven: TextCounter = (text) => Math.ceil(text.length / 5) + (text.match(/\d/g)?.length ?? 0);

const word = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom(
    'src/a/store.ts',
    'fooBar',
    'error:',
    'FAIL',
    '@@',
    '+',
    '[',
    ']',
    '12:',
    '{"a":',
    '"}',
    '<p>',
    '│',
  ),
  fc.integer({ min: 0, max: 99_999 }).map((n) => `name_${n}`),
);
const line = fc.oneof(
  { weight: 6, arbitrary: fc.array(word, { maxLength: 12 }).map((words) => words.join(' ')) },
  {
    weight: 1,
    arbitrary: fc.array(word, { minLength: 40, maxLength: 90 }).map((words) => words.join(',')),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom('', ' ✓ test/a.test.ts (3 tests)', 'def run(self):', '[x left out]'),
  },
);
const text = fc.oneof(
  fc
    .tuple(fc.array(line, { minLength: 20, maxLength: 120 }), fc.constantFrom('\n', '\r\n'))
    .map(([lines, end]) => lines.join(end)),
  fc
    .jsonValue({ maxDepth: 5 })
    .map((json) => JSON.stringify([json, json, json, json, json], null, 2)),
  line.map((one) => `${one} `.repeat(60)),
);
const about = fc.record({
  tool: fc.constantFrom('Bash', 'Read', 'Grep', 'Glob', 'WebFetch', 'x'),
  path: fc.constantFrom(null, 'src/a.ts', 'a.md'),
  isFailed: fc.boolean(),
});

test('a digest is true, short enough, the same each time, and digested no more', () => {
  let made = 0;
  fc.assert(
    fc.property(text, about, fc.constantFrom(estimate, uneven), (original, asked, count) => {
      const tokens = count(original);
      const digest = () =>
        digestOf(
          { text: original, ...asked },
          {
            tokens,
            count,
            names: { known: 'fooBar', isUsed: (key) => key.endsWith('7') },
          },
        );
      const found = digest();
      if (found === null) return;
      made += 1;
      expectTrue(found, original);
      const mayFail = asked.isFailed || /FAIL|error:/.test(original);
      expect(count(found)).toBeLessThanOrEqual(tokens * (mayFail ? 0.75 : 0.25));
      expect(digest()).toBe(found);
      const again = {
        tokens: 9_000,
        count: () => 9_000,
        names: { known: '', isUsed: () => false },
      };
      expect(digestOf({ text: found, ...asked }, again)).toBeNull();
    }),
    { numRuns: 150 },
  );
  expect(made).toBeGreaterThan(50);
});
