import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { partsOf, tokensOf } from '../../../src/domain/search/tokens.ts';
import { cpuMs } from '../../support/cpu-time.ts';

const tokens = (text: string) => {
  const { words, names } = tokensOf(text);
  return [...words, ...names];
};

describe('the tokens of a text', () => {
  test.each([
    ['getUserName', ['get', 'user', 'name', 'getuser', 'username', 'getusername']],
    ['user_name', ['user', 'name', 'username']],
    ['HTTPServer', ['http', 'server', 'httpserver']],
    ['src/prompts.go', ['src', 'prompts', 'go', 'srcprompts', 'promptsgo']],
    ['1,204 a,b', ['1', '204', 'a', 'b', '1204']],
    ['toolu_01A9xYzQabC', ['toolu', '01a9xyzqabc', 'toolu01a9xyzqabc']],
    ['Größe naïve Ångström', ['grosse', 'naive', 'angstrom']],
    ['数据库', ['数据', '据库', '库']],
    ['GPT模型', ['gpt', '模型', '型']],
    ['"a\\nword"', ['a', 'nword', 'word', 'anword']],
    ['one two one', ['one', 'two', 'one']],
    ['-> && …', []],
  ])('%s', (text, expected) => {
    expect(tokens(text)).toEqual(expected);
  });

  test('of base64 only the beginning counts, and what comes after it does', () => {
    const blob = `${'Ab3+/x'.repeat(100)}==`;
    const found = tokens(`data ${`A1${'bC3dE4fG5'.repeat(5)}`}${blob} end`);
    expect(found).toHaveLength(3);
    expect(found).toContain('end');
  });

  test('hostile text takes linear time', () => {
    for (const text of [
      'aB'.repeat(100_000),
      'a_'.repeat(100_000),
      '数'.repeat(100_000),
      'é'.repeat(200_000),
      '\\n'.repeat(100_000),
      'A'.repeat(200_000),
    ]) {
      const started = cpuMs();
      tokens(text);
      expect(cpuMs() - started).toBeLessThan(2_000);
    }
  });

  test('parts stand where they say, in their order', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        let last = 0;
        for (const { text: part, start, end } of partsOf(text)) {
          expect(start).toBeGreaterThanOrEqual(last);
          expect(end).toBeGreaterThan(start);
          expect(end).toBeLessThanOrEqual(text.length);
          expect(part).not.toBe('');
          last = start;
        }
      }),
    );
  });
});

test.each(['⑴', 'a℀b', '½x', '㏂'])('no token of %j holds a sign', (text) => {
  expect(tokens(text).join(' ')).not.toMatch(/[^\p{L}\p{N}\p{M} ⁄]/u);
});
