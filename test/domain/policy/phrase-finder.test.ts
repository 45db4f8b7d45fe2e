import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { phraseFinder } from '../../../src/domain/policy/phrase-finder.ts';

const isWord = (character: string | undefined) =>
  character !== undefined && /[\p{L}\p{N}_]/u.test(character);

/** The rule, phrase by phrase and place by place. */
function stands(text: string, phrase: string): boolean {
  for (let at = text.indexOf(phrase); at >= 0; at = text.indexOf(phrase, at + 1)) {
    const end = at + phrase.length;
    const startsInWord = isWord(text[at - 1]) && isWord(phrase[0]);
    const endsInWord = isWord(text[end]) && isWord(phrase.at(-1));
    if (!startsInWord && !endsInWord) return true;
  }
  return false;
}

describe('phraseFinder', () => {
  it('finds what a search for each phrase finds', () => {
    const some = (maxLength: number) =>
      fc.string({ unit: fc.constantFrom('a', 'b', ' ', '-', 'ä', '😀'), minLength: 1, maxLength });
    const lists = fc.array(fc.array(some(6), { maxLength: 8 }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(lists, some(60), (phrases, text) => {
        expect(phraseFinder(phrases)(text)).toEqual(
          phrases.map((list) => list.some((phrase) => stands(text, phrase))),
        );
      }),
      { numRuns: 1_000 },
    );
  });

  it('takes no notice of case, and of the kind of an apostrophe', () => {
    const find = phraseFinder([['That’s IT'], ["let's move on"]]);
    expect(find("Well, that's it. LET’S MOVE ON!")).toEqual([true, true]);
    expect(find("Well, that's its end.")).toEqual([false, false]);
  });

  it('finds one phrase for several lists, and nothing without phrases', () => {
    expect(phraseFinder([['done'], ['done', 'not done'], []])('It is done.')).toEqual([
      true,
      true,
      false,
    ]);
  });
});
