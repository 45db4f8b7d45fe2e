import type { Candidate } from './candidate.ts';
import type { Conversation } from './conversation.ts';
import { editsIn } from './edits.ts';
import { type Change, changesOf, measureChanges } from './measures/changes.ts';
import {
  measureConstraints,
  measureStatements,
  rulesSaid,
  statementsOf,
} from './measures/constraints.ts';
import { type Failure, failuresOf, measureErrors } from './measures/errors.ts';
import { measureNeeded, measureWithoutIndex, neededLater } from './measures/needed-later.ts';
import { drawNeedles, measureNeedles, type Needle } from './measures/needles.ts';
import { nextFile, rankFromEnd, rankOf } from './measures/next-action.ts';
import { isNamedAsOpen, type OpenRequest, openRequest } from './measures/open-request.ts';
import { measureRequests } from './measures/requests.ts';
import type { Probe } from './probes.ts';
import { type UserMessage, userMessages } from './user-messages.ts';
import type { Score } from './words.ts';

/** The measures, in the order of the table. */
export const MEASURES = [
  'requests',
  'requests_by_words',
  'in_order',
  'changes',
  'constraints',
  'statements',
  'statements_by_search',
  'needed_later',
  'without_index',
  'next_action',
  'next_in_summary',
  'next_from_end',
  'open_request',
  'errors_told',
  'errors_with_cure',
  'needles',
  'needles_first_half',
  'needles_second_half',
  'needles_by_search',
] as const;
export type Measure = (typeof MEASURES)[number];
/** Asked of the service, and not of a text. */
const SEARCH_MEASURES = ['statements_by_search', 'needles_by_search'] as const;
type SearchMeasure = (typeof SEARCH_MEASURES)[number];
type TextMeasure = Exclude<Measure, SearchMeasure>;
export const TEXT_MEASURES = MEASURES.filter(
  (measure): measure is TextMeasure => !SEARCH_MEASURES.some((other) => other === measure),
);
export type Figures = Record<TextMeasure, Score> & Partial<Record<SearchMeasure, Score>>;

/** What is true of a conversation at a cut: everything that a text is asked for. */
type Truth = Moment & {
  said: UserMessage[];
  changes: Change[];
  rules: string[];
  statements: string[];
  needed: string[];
  failures: Failure[];
  needles: Needle[];
};
/** The part of it that says something anew at every cut. */
export type Moment = { next: string | null; open: OpenRequest | null };

/** What comes next and what is open where a conversation is cut. */
export function momentAt(covered: Conversation, later: Conversation): Moment {
  return { next: nextFile(covered, later), open: openRequest(covered, later) };
}

/** Reads off a conversation what a text that stands for it should hold. */
export function truthAt(
  covered: Conversation,
  later: Conversation,
  probes: readonly Probe[],
  seed: number,
): Truth {
  const said = userMessages(covered);
  return {
    ...momentAt(covered, later),
    said,
    changes: changesOf(editsIn(covered)),
    rules: rulesSaid(probes, said),
    statements: statementsOf(probes),
    needed: neededLater(covered, later),
    failures: failuresOf(covered),
    needles: drawNeedles(covered, seed),
  };
}

/** The rank up to which the next file counts as found. */
const FIRST = 5;

/** The rank of the next file among the files of a text; null when it is not named or not known. */
export function nextRank({ next }: Moment, candidate: Candidate): number | null {
  return next === null ? null : rankOf(next, candidate);
}

/** What a text says of a moment. */
export function momentFigures(moment: Moment, candidate: Candidate) {
  const { next, open } = moment;
  const isNear = (rank: number | null) => ({
    found: rank !== null && rank <= FIRST ? 1 : 0,
    of: next === null ? 0 : 1,
  });
  const isNamed = open !== null && isNamedAsOpen(open, candidate);
  return {
    next_action: isNear(nextRank(moment, candidate)),
    next_in_summary: isNear(
      nextRank(moment, { ...candidate, read: candidate.anew ?? candidate.read }),
    ),
    next_from_end: isNear(next === null ? null : rankFromEnd(next, candidate)),
    open_request: { found: isNamed ? 1 : 0, of: open === null ? 0 : 1 },
  } satisfies Partial<Figures>;
}

/** All figures of a text. */
export function figuresOf(truth: Truth, candidate: Candidate): Figures {
  const requests = measureRequests(truth.said, candidate);
  const errors = measureErrors(truth.failures, candidate);
  const needles = measureNeedles(truth.needles, candidate);
  return {
    requests: requests.by_opening,
    requests_by_words: requests.by_words,
    in_order: requests.in_order,
    changes: measureChanges(truth.changes, candidate),
    constraints: measureConstraints(truth.rules, candidate),
    statements: measureStatements(truth.statements, candidate),
    needed_later: measureNeeded(truth.needed, candidate),
    without_index: measureWithoutIndex(truth.needed, candidate),
    ...momentFigures(truth, candidate),
    errors_told: errors.told,
    errors_with_cure: errors.with_cure,
    needles: needles.all,
    needles_first_half: needles.first_half,
    needles_second_half: needles.second_half,
  };
}
