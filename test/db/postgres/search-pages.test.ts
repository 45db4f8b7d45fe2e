import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Entry,
  entriesIn,
  entryOf,
  joined,
  keyOf,
  numbersOf,
  PageWriter,
  postingsOf,
  written,
} from '../../../src/db/postgres/search-pages.ts';

/** What each token of some documents stands in, in their order. */
type Lists = Record<string, number[]>;

const token = fc.oneof(
  fc.string({ minLength: 1, maxLength: 6 }).map(written),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 4 }).map(written),
  fc.constantFrom(
    'name',
    'names',
    'user',
    'username',
    'naïv',
    'naïve',
    'naïver',
    '𠮷',
    '𠮸',
    '\ue000',
  ),
);
const documents = fc.array(fc.uniqueArray(token, { maxLength: 12 }), { maxLength: 40 });

function listsOf(texts: readonly (readonly string[])[]): Lists {
  const lists: Lists = Object.create(null);
  for (const [index, tokens] of texts.entries()) {
    for (const one of tokens) {
      lists[one] ??= [];
      lists[one].push(index);
    }
  }
  return lists;
}

function pagesOf(entries: Iterable<Entry>) {
  const writer = new PageWriter();
  for (const entry of entries) writer.add(entry);
  writer.end();
  return writer.pages;
}

function segmentOf(texts: readonly (readonly string[])[]) {
  const sorted = Object.entries(listsOf(texts)).sort(([one], [other]) => (one < other ? -1 : 1));
  return pagesOf(sorted.map(([token, list]) => ({ token, postings: postingsOf(list) })));
}

const read = (pages: ReturnType<typeof pagesOf>) =>
  [...entriesIn(pages.map(({ data }) => data))].map(
    ({ token, postings }) => [token, numbersOf(postings)] as const,
  );

describe('pages of the search index', () => {
  test('hold what was written, in the order of the tokens', () => {
    fc.assert(
      fc.property(documents, (texts) => {
        const pages = segmentOf(texts);
        expect(Object.fromEntries(read(pages))).toEqual({ ...listsOf(texts) });
        const keys = pages.map(({ token }) => keyOf(token));
        expect([...keys].sort(Buffer.compare)).toEqual(keys);
      }),
    );
  });

  test('tell the documents of a token, and of none that they do not hold', () => {
    fc.assert(
      fc.property(documents, fc.array(token), (texts, others) => {
        const lists = listsOf(texts);
        const pages = segmentOf(texts);
        for (const asked of [...Object.keys(lists), ...others]) {
          const found = pages.flatMap(({ data }) => entryOf(data, asked) ?? []);
          expect(found.map(numbersOf), asked).toEqual(asked in lists ? [lists[asked]] : []);
        }
      }),
    );
  });

  test('of segments that are joined are those of all their documents', () => {
    fc.assert(
      fc.property(fc.array(documents, { minLength: 1, maxLength: 5 }), (segments) => {
        const parts = segments.map((texts) => ({
          documents: texts.length,
          entries: entriesIn(segmentOf(texts).map(({ data }) => data)),
        }));
        expect(read(pagesOf(joined(parts)))).toEqual(read(segmentOf(segments.flat())));
      }),
    );
  });

  test('are small, whatever many tokens there are, and count what stands in many documents', () => {
    const texts = Array.from({ length: 900 }, (_, at) => [
      'common',
      `rare${at}`,
      `seldom${at % 9}`,
    ]);
    const pages = segmentOf(texts);
    expect(pages.length).toBeGreaterThan(2);
    for (const { data } of pages) expect(data.length).toBeLessThan(2_000);
    const common = [...entriesIn(pages.map(({ data }) => data))].find(
      ({ token }) => token === 'common',
    );
    expect(common?.postings).toMatchObject({ count: 900, first: 0, last: 899 });
  });
});
