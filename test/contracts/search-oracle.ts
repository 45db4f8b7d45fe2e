import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SearchableStore } from '../../src/app/ports/search-index.ts';
import { send, startApi } from '../support/api-server.ts';
import { user } from '../support/items.ts';
import { hitsOf } from './search.ts';

/** So few that they stand nearly everywhere, side by side in every way. */
const VOCABULARY = ['alpha', 'beta', 'gamma', 'delta', 'omega', 'sigma'];
const SEPARATORS = [' ', '  ', ', ', '\n', '\n\n', ' - ', '. '];
const DOCUMENTS = 150;
const MOST_HITS = 50;

const word = fc.constantFrom(...VOCABULARY);
const document = fc
  .array(fc.tuple(word, fc.constantFrom(...SEPARATORS)), { minLength: 1, maxLength: 30 })
  .map((pieces) => pieces.flat().join(''));
const phrase = fc.array(word, { minLength: 2, maxLength: 4 });
const term = fc.oneof(
  word.map((one) => [one]),
  phrase,
);
/** One of each of `all`, and none of `none`. */
type Asked = { all: string[][][]; none: string[][] };
const asked: fc.Arbitrary<Asked> = fc.record({
  all: fc.array(fc.array(term, { minLength: 1, maxLength: 2 }), { minLength: 1, maxLength: 3 }),
  none: fc.array(term, { maxLength: 1 }),
});

const ascending = (one: number, other: number) => one - other;
const written = (words: readonly string[]) =>
  words.length > 1 ? `"${words.join(' ')}"` : words.join();
const queryOf = ({ all, none }: Asked) =>
  [
    ...all.map((terms) => terms.map(written).join(' OR ')),
    ...none.map((one) => `-${written(one)}`),
  ].join(' ');

/** Reads the whole text, word by word. */
function stands(words: readonly string[], text: string): boolean {
  const all = text.split(/[^a-z]+/);
  return all.some((_, at) => words.every((one, index) => all[at + index] === one));
}
const fits = (text: string, { all, none }: Asked) =>
  all.every((terms) => terms.some((one) => stands(one, text))) &&
  !none.some((one) => stands(one, text));

/** What a store finds of a query is what somebody finds who reads everything. */
export function searchOracle(name: string, makeStore: () => Promise<SearchableStore>): void {
  describe(`${name}: search`, () => {
    test('finds what reading everything finds', async () => {
      const [texts = []] = fc.sample(
        fc.array(document, { minLength: DOCUMENTS, maxLength: DOCUMENTS }),
        { numRuns: 1, seed: 12 },
      );
      const api = await startApi({ store: await makeStore() });
      try {
        // In portions of every size, one by one as well: each is indexed before the next one comes.
        for (let from = 0, size = 1; from < texts.length; from += size, size = (size % 9) + 1) {
          const some = texts.slice(from, from + size).map((text) => user(text));
          const reply = await send(api, 'POST', '/sessions/read/items', { body: some });
          expect(reply.status, reply.text).toBe(201);
          await hitsOf(api, 'read', { q: 'alpha', limit: '1' });
        }
        await fc.assert(
          fc.asyncProperty(asked, async (query) => {
            const expected = texts.flatMap((text, index) => (fits(text, query) ? [index + 2] : []));
            const answer = async () => {
              const limit = String(MOST_HITS);
              const path = `/sessions/read/search?${new URLSearchParams({ q: queryOf(query), limit })}`;
              const { status, body, text } = await send(api, 'GET', path);
              expect(status, text).toBe(200);
              // The API has checked its answer against its schema.
              const found = (body.data as { seq: number }[]).slice(0, expected.length);
              const isRight =
                expected.length > MOST_HITS
                  ? found.every(({ seq }) => expected.includes(seq))
                  : isDeepStrictEqual(found.map(({ seq }) => seq).sort(ascending), expected);
              return { found, isRight, isComplete: body.is_complete === true };
            };
            let last = await answer();
            // On a machine that has much else to do a search may run out of time.
            for (let again = 0; again < 5 && !last.isRight && !last.isComplete; again++) {
              last = await answer();
            }
            expect(
              last.isRight,
              `expected ${expected}, found ${last.found.map(({ seq }) => seq)}`,
            ).toBe(true);
            expect(new Set(last.found.map(({ seq }) => seq)).size).toBe(
              Math.min(expected.length, MOST_HITS),
            );
          }),
          { numRuns: 60, seed: 12 },
        );
      } finally {
        await api.close();
      }
    });
  });
}
