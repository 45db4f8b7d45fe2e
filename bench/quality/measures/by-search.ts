import type { Conversation } from '../conversation.ts';
import type { Probe } from '../probes.ts';
import { normalised, opening, type Score, scoreOf } from '../words.ts';
import type { Needle } from './needles.ts';

/** Asks one search; answers the texts of the items of its first five hits. */
export type Search = (q: string) => Promise<string[]>;

const WORDS = 3;
/** Letters and digits, with what joins them in names. */
const WORD = /[\p{L}\p{N}_]{2,}/gu;
const OPENING = 60;

/**
 * The share of needles that one search by three of their rarest words has among its first five hits. A
 * line without a word, as one that is drawn, cannot be asked for.
 */
export async function needlesBySearch(
  needles: readonly Needle[],
  covered: Conversation,
  search: Search,
): Promise<Score> {
  const lines = linesOfWords(covered);
  const found = new Set<Needle>();
  const asked = needles.filter(({ line }) => line.search(WORD) >= 0);
  for (const needle of asked) {
    const texts = await search(rarestWords(needle.line, lines).join(' '));
    if (texts.some((text) => normalised(text).includes(needle.line))) found.add(needle);
  }
  return scoreOf(asked, (needle) => found.has(needle));
}

/** The share of questions whose own words find one of the statements with their answer. */
export async function statementsBySearch(probes: readonly Probe[], search: Search): Promise<Score> {
  const asked = probes.filter(
    ({ question, rule, statements }) => question !== '' && rule === '' && statements.length > 0,
  );
  const found = new Set<Probe>();
  for (const probe of asked) {
    const texts = (await search(probe.question.replaceAll('"', ' '))).map(normalised);
    const isThere = (statement: string) =>
      texts.some((text) => text.includes(opening(statement, OPENING)));
    if (probe.statements.some(isThere)) found.add(probe);
  }
  return scoreOf(asked, (probe) => found.has(probe));
}

/** In how many lines each word stands. */
function linesOfWords({ passages }: Conversation): Map<string, number> {
  const lines = new Map<string, number>();
  for (const line of passages.flatMap(({ text }) => text.toLowerCase().split('\n'))) {
    for (const word of new Set(line.match(WORD))) lines.set(word, (lines.get(word) ?? 0) + 1);
  }
  return lines;
}

/** Of equally rare words the longer ones. */
function rarestWords(line: string, lines: ReadonlyMap<string, number>): string[] {
  const words = [...new Set(line.match(WORD))];
  const count = (word: string) => lines.get(word) ?? 0;
  return words.sort((a, b) => count(a) - count(b) || b.length - a.length).slice(0, WORDS);
}
