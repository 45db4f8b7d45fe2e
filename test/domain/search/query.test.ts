import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Kind } from '../../../src/domain/search/documents.ts';
import { matchesIn } from '../../../src/domain/search/matches.ts';
import { lookupOf, parseQuery, signsIn } from '../../../src/domain/search/query.ts';
import { lineOf, scoreOf } from '../../../src/domain/search/rank.ts';
import { snippetOf } from '../../../src/domain/search/snippet.ts';

function parsed(text: string) {
  const query = parseQuery(text);
  if (!query.ok) throw new Error(query.rejection.detail);
  return query.value;
}

const found = (text: string, q: string) =>
  matchesIn(text, parsed(q), new Set(parsed(q).all.keys()));

describe('a query', () => {
  test.each([
    [
      'a.b',
      [{ tokens: ['ab'], prefixes: [], sequence: [] }],
      [{ tokens: ['a', 'b'], prefixes: [], sequence: [] }],
    ],
    [
      'get_user*',
      [{ tokens: [], prefixes: ['getuser'], sequence: [] }],
      [{ tokens: ['get'], prefixes: ['user'], sequence: [] }],
    ],
    [
      '库',
      [{ tokens: [], prefixes: ['库'], sequence: [] }],
      [{ tokens: [], prefixes: ['库'], sequence: [] }],
    ],
    [
      '"x.y z"',
      [{ tokens: ['x', 'y', 'z'], prefixes: [], sequence: ['x', 'y', 'z'] }],
      [{ tokens: ['x', 'y', 'z'], prefixes: [], sequence: ['x', 'y', 'z'] }],
    ],
  ])('%s is looked up whole and by its parts', (q, whole, parts) => {
    const [terms = []] = parsed(q).all;
    expect(terms.map((term) => lookupOf(term, 'whole'))).toEqual(whole);
    expect(terms.map((term) => lookupOf(term, 'parts'))).toEqual(parts);
  });

  test('a word that stands in it many times counts once', () => {
    const sentence = 'the port of the service and the port of the worker ';
    expect(parseQuery(sentence.repeat(20))).toEqual(parseQuery('the port of service and worker'));
  });

  test('AND, OR and NOT', () => {
    const { all, none } = parsed('one two OR "three four" -five --six -> seven');
    const words = (terms: readonly { parts: readonly { text: string }[] }[]) =>
      terms.map(({ parts }) => parts.map(({ text }) => text).join(' '));
    expect(all.map(words)).toEqual([['one'], ['two', 'three four'], ['six'], ['seven']]);
    expect(words(none)).toEqual(['five']);
  });

  test.each([
    ['load(path, 2)', [['load'], ['path'], ['2']]],
    ['重启网关', [['重启 启网 网关']]],
    ['不要重启网关', [['不要'], ['要重'], ['重启'], ['启网'], ['网关']]],
    ['"不要重启网关"', [['不要 要重 重启 启网 网关']]],
    ['get_user|setUser', [['get user'], ['set user']]],
    ['load(pat*', [['load'], ['pat*']]],
    // A single character is the beginning of a pair there as well.
    ['标题：值', [['标题'], ['值*']]],
    // A name that comes twice says less than what is written.
    ['fix=fix', [['fix fix']]],
    // What stands between alternatives, is excluded or quoted is looked for as it is written.
    ['a OR b|c', [['a', 'b c']]],
    ['a -b|c', [['a']]],
    ['"b|c"', [['b c']]],
    // Signs that join names, and scripts without spaces, tell nothing apart.
    ['src/load.ts:12', [['src load ts 12']]],
    ['上下文', [['上下 下文']]],
    ['v2上下文', [['v2 上下 下文']]],
  ])('%s asks for these names', (q, names) => {
    const written = parsed(q).all.map((terms) =>
      terms.map(({ parts, isPrefix }) => {
        const name = parts.map(({ text }) => text).join(' ');
        return isPrefix ? `${name}*` : name;
      }),
    );
    expect(written).toEqual(names);
  });

  test('a piece of more names than a query may have words is looked for as it is written', () => {
    const signature = Array.from({ length: 60 }, (_, i) => `w${i}`).join(',');
    expect(parsed(signature).all).toHaveLength(1);
    expect(parsed('我，你，他，她，它').all).toHaveLength(1);
  });

  test.each([
    ['', 'it has no letter, no digit and no sign to look for'],
    ['"" ', 'it has no letter, no digit and no sign to look for'],
    ['-only', 'it only excludes: it needs a word to look for as well'],
    ['an "open phrase', 'it has a quotation mark that is not closed'],
    ['OR one', 'OR stands between two words to look for'],
    ['one OR', 'OR stands between two words to look for'],
    ['one OR -two', 'OR stands between two words to look for'],
    ['ab*', '"ab*" begins too many words: a beginning needs 3 characters'],
    ['aaa* bbb* ccc* ddd* eee*', 'it may have 4 beginnings of words, and this one has 5'],
    [
      Array.from({ length: 49 }, (_, i) => `w${i}`).join(' '),
      'it may have 48 words and phrases, of 96 parts together, and this one has 49 of 49: leave out the common ones',
    ],
    [
      Array.from({ length: 33 }, (_, i) => `a${i}.b.c`).join(' '),
      'it may have 48 words and phrases, of 96 parts together, and this one has 33 of 99: leave out the common ones',
    ],
  ])('%s: %s', (q, why) => {
    expect(parseQuery(q)).toEqual({
      ok: false,
      rejection: {
        code: 'invalid_request',
        detail: `the query cannot be searched for: ${why}`,
        errors: [{ path: 'q', message: why }],
      },
    });
  });

  test('whatever is typed is read or refused, and what is read can be looked up', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 60 }),
        fc.string({ maxLength: 200 }),
        (q, text) => {
          const query = parseQuery(q);
          if (!query.ok) return;
          for (const term of query.value.all.flat()) {
            const { tokens, prefixes } = lookupOf(term, 'whole');
            expect(tokens.length + prefixes.length).toBeGreaterThan(0);
          }
          const matched = matchesIn(`${text}\n${q}`, query.value, new Set());
          if (matched !== null) expect(snippetOf(matched).matches.length).toBeGreaterThanOrEqual(0);
        },
      ),
    );
  });
});

test.each([
  [' |---|:--| ', '|---|:--|'],
  ['"=> {"', '=> {'],
  ['"" -', '"" -'],
  ['""', null],
  [' ', null],
  ['-> a', null],
  ['=> 1', null],
])('%j asks for the signs %j', (q, signs) => {
  expect(signsIn(q)).toBe(signs);
});

describe('what matches', () => {
  test.each([
    ['the user_name of it', 'username', 'user_name'],
    ['the username of it', 'user_name', 'username'],
    ['call getUserName()', 'getusername', 'getUserName'],
    ['call getUserName()', 'UserName', 'UserName'],
    ['connection\nrefused here', '"connection refused"', 'connection\nrefused'],
    ['a prefixed word', 'pref*', 'prefixed'],
    ['首先连接数据库吧', '数据库', '数据库'],
  ])('%j by %s', (text, q, expected) => {
    const matched = found(text, q);
    if (matched === null) throw new Error('it does not match');
    const { text: snippet, matches } = snippetOf(matched);
    expect(matches.map(({ start, end }) => snippet.slice(start, end))).toEqual([expected]);
  });

  test.each([
    ['StepCount=0', 'run StepCount = 0 here', true],
    ['StepCount=0', 'StepCount=1\n0', false],
    ['StepCount=0', '0 of a step_count', false],
    ['load(path', 'function load(path)', true],
    ['load(path x', 'the path to load\nx', false],
    ['load path', 'the path to load', true],
  ])('%s, in %j as it is written: %s', (q, text, isAsWritten) => {
    expect(found(text, q)).toMatchObject({ isAsWritten, loose: new Set() });
  });

  test('not what is excluded, nor a phrase whose words stand apart', () => {
    expect(found('one two', 'one -two')).toBeNull();
    expect(found('one two', '"two one"')).toBeNull();
    expect(found('one\nnothing of this\ntwo', '"one two"')).toBeNull();
    expect(found('one\n\n--\ntwo', '"one two"')).not.toBeNull();
    expect(found('one\n\n--\ntwo', 'one -"one two"')).toBeNull();
    expect(found('see\nx² of it', 'see -x2')).toBeNull();
  });

  test('is worth more when rare words stand in it, close together, and in a short text', () => {
    const score = (text: string, weights = [1, 1], kind: Kind = 'message') => {
      const matched = found(text, 'alpha beta');
      return matched === null ? 0 : scoreOf(matched, weights, kind);
    };
    const far = `alpha ${'word '.repeat(50)} beta`;
    expect(score('alpha beta')).toBeGreaterThan(score(far));
    expect(score(far)).toBeGreaterThan(score(`alpha ${'word '.repeat(50)}`));
    expect(score('alpha beta', [1, 1], 'summary')).toBeLessThan(score('alpha beta'));
    expect(score('alpha', [5, 1])).toBeGreaterThan(score('beta', [5, 1]));
    expect(score('alpha beta')).toBeGreaterThan(score(`alpha beta ${'word '.repeat(300)}`));
    expect(score('alpha. one beta')).toBeGreaterThan(score('alpha.\none beta'));
    // A line that holds nothing else over a longer one, also in a longer text.
    const diff = 'line of a diff\n'.repeat(60);
    expect(score(`alpha beta\n${diff}`)).toBeGreaterThan(
      score('run alpha beta and gamma and delta'),
    );
    // A word by itself, over the same one inside of names, however often.
    for (const inside of ['alphaBeta', 'alpha_betas', 'my_alpha beta1']) {
      expect(score('alpha: beta')).toBeGreaterThan(score(`${inside} alphaBetas`));
      expect(score('alpha, the beta')).toBeGreaterThan(score(`${inside} `.repeat(30)));
    }
  });

  test('stands together where whole words do', () => {
    const matched = found('alphaBeta is near\nand alpha is with beta', 'alpha beta');
    if (matched === null) throw new Error('it does not match');
    expect(lineOf(matched)).toBe('and alpha is with beta');
  });

  test('a snippet is a part of the text, and never half a character', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 600 }),
        fc.string({ unit: 'grapheme', maxLength: 600 }),
        (before, after) => {
          const text = `${before} needle ${after}`;
          const matched = found(text, 'needle');
          if (matched === null) throw new Error('it does not match');
          const snippet = snippetOf(matched);
          expect(text).toContain(snippet.text);
          expect(snippet.text.isWellFormed?.() ?? true).toBe(true);
          expect(snippet.matches.map(({ start, end }) => snippet.text.slice(start, end))).toContain(
            'needle',
          );
        },
      ),
    );
  });
});
