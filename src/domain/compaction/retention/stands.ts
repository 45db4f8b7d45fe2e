import { addTo } from '../../group-by.ts';
import { namesStandingIn } from '../../names.ts';
import type { MustKeep } from './must-keep.ts';

/** Of the words of a fact, how many have to stand together (SPEC 2, section 28). */
const LEAST_WORDS = 0.8;
/** A long text is known by its beginning (UTF-16 units). */
const OPENING = 200;
/** Words stand together in one line, or in so much of a long one (UTF-16 units). */
const BLOCK = 1_000;

/** Scripts that are written without spaces count sign by sign. */
const SIGN = '[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}]';
const WORD = new RegExp(`${SIGN}|(?:(?!${SIGN})[\\p{L}\\p{M}\\p{N}_])+`, 'gu');
/** The same in most texts, several times as fast. */
const ASCII_WORD = /[a-z0-9_]+/g;
const BEYOND_ASCII = /[\u0080-\uffff]/;
const SHORT_WORD = new RegExp(`^(?!${SIGN}).{1,3}$`, 'u');

/** Which of the facts stand in a text. Linear in the text for a given number of facts. */
export function standingIn(text: string, facts: readonly MustKeep[]): Set<MustKeep> {
  const isNamed = namesStandingIn(text);
  const stands = (name: string) => isNamed(name) || text.includes(name);
  const inWords = factsInWords(text, facts);
  return new Set(
    facts.filter((fact) => {
      const { sought } = fact;
      switch (sought.by) {
        case 'words':
          return inWords.has(fact);
        case 'names':
          return sought.all.every(stands) && (sought.any.length === 0 || sought.any.some(stands));
        case 'letters':
          return text.includes(sought.letters);
        default:
          return sought satisfies never;
      }
    }),
  );
}

function factsInWords(text: string, facts: readonly MustKeep[]): Set<MustKeep> {
  const found = new Set<MustKeep>();
  const seekers = new Map<string, MustKeep[]>();
  const least = new Map<MustKeep, number>();
  for (const fact of facts) {
    if (fact.sought.by !== 'words') continue;
    const words = contentWords(fact.sought.words);
    least.set(fact, Math.ceil(words.length * LEAST_WORDS));
    // There is nothing to look for.
    if (words.length === 0) found.add(fact);
    for (const word of words) addTo(seekers, word, fact);
  }
  for (const block of blocksOf(text)) {
    const hits = new Map<MustKeep, number>();
    const met = new Set<string>();
    for (const word of wordsOf(block)) {
      const facts = seekers.get(word);
      if (facts === undefined || met.has(word)) continue;
      met.add(word);
      for (const fact of facts) {
        const times = (hits.get(fact) ?? 0) + 1;
        hits.set(fact, times);
        if (times >= (least.get(fact) ?? 0)) found.add(fact);
      }
    }
  }
  return found;
}

/** The words of four letters and more, or all where these are fewer than two. */
function contentWords(text: string): string[] {
  const opening = text.length > OPENING ? text.slice(0, OPENING).replace(/\S*$/u, '') : text;
  const words = [...new Set(wordsOf(opening))];
  const long = words.filter((word) => !SHORT_WORD.test(word));
  return long.length < 2 ? words : long;
}

function wordsOf(text: string): string[] {
  const lower = text.toLowerCase();
  return lower.match(BEYOND_ASCII.test(lower) ? WORD : ASCII_WORD) ?? [];
}

function* blocksOf(text: string): Generator<string> {
  for (const line of text.split('\n')) {
    for (let from = 0; from < line.length; from += BLOCK) yield line.slice(from, from + BLOCK);
  }
}
