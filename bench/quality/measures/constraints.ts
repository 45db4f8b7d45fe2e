import type { Candidate } from '../candidate.ts';
import type { Probe } from '../probes.ts';
import type { UserMessage } from '../user-messages.ts';
import { opening, readable, type Score, scoreOf, standsWithin } from '../words.ts';

/** The stretch of the text in which a rule has to stand, characters. */
const SPAN = 400;

/** The standing rules of the user that the user's own messages say themselves. */
export function rulesSaid(probes: readonly Probe[], said: readonly UserMessage[]): string[] {
  const own = said.map(({ text }) => readable(text));
  return probes
    .map(({ rule }) => rule)
    .filter((rule) => rule !== '' && own.some((text) => standsWithin(text, rule, SPAN)));
}

/** The share of rules of whose content words four fifths stand within 400 characters. */
export function measureConstraints(rules: readonly string[], { read }: Candidate): Score {
  return scoreOf(rules, (rule) => standsWithin(read, rule, SPAN));
}

/** What the user said where the answers of the other probes stand, each statement once. */
export function statementsOf(probes: readonly Probe[]): string[] {
  return [
    ...new Set(probes.filter(({ rule }) => rule === '').flatMap(({ statements }) => statements)),
  ];
}

const OPENING = 60;

/** The share of statements whose first 60 normalised characters stand in the text. */
export function measureStatements(statements: readonly string[], { read }: Candidate): Score {
  return scoreOf(statements, (statement) => read.normal.includes(opening(statement, OPENING)));
}
