import type { Target } from '../../src/cli/target.ts';
import { type Baselines, baselinesOf } from './baselines.ts';
import { type Candidate, candidateOf, textCandidate } from './candidate.ts';
import { type Conversation, conversationOf } from './conversation.ts';
import { AS_CONFIGURED, type Context, type Driven, drive, SUMMARY_ONLY } from './drive.ts';
import {
  type Figures,
  figuresOf,
  type Moment,
  momentAt,
  momentFigures,
  nextRank,
  truthAt,
} from './figures.ts';
import { digestsOf } from './measure-digests.ts';
import { needlesBySearch, statementsBySearch } from './measures/by-search.ts';
import type { Digests } from './measures/digests.ts';
import { cutsAt } from './parts.ts';
import { type Recorded, recordedCompactions } from './recorded.ts';
import type { Session } from './sessions.ts';
import { countTokens } from './tokens.ts';
import { untrueIn, writtenAnew } from './untrue/check.ts';
import type { Untrue } from './untrue/statement.ts';
import { readable, type Score } from './words.ts';

/** The texts that are measured: ours first, then what is put beside it. */
export const TEXTS = ['ours', 'tail', 'names', 'openings', 'recorded'] as const;
export type Text = (typeof TEXTS)[number];

/** The figures of one session after so many compactions. */
export type Run = {
  compactions: number;
  /** What the service answered, counted: `full_compacted`, `skipped` … */
  outcomes: Record<string, number>;
  covered_tokens: number;
  /** Tokens of each text. */
  tokens: Partial<Record<Text, number>>;
  figures: Partial<Record<Text, Figures>>;
  /** Of each compaction after which a known file was worked on: its rank in ours, null when it is not named. */
  next_ranks: (number | null)[];
  /** What ours and the recorded summary say that the log contradicts, of so many statements. */
  untrue: Partial<Record<Text, { untrue: Untrue[]; statements: number }>>;
};

export type SessionFigures = {
  name: string;
  kind: string;
  tokens: number;
  budget: number;
  /** After compactions at equal parts. */
  runs: Run[];
  /** After compactions where the agent's program compacted. */
  at_recorded: Run[];
  /** What is left of long tool results when all are cleared; null when there are none. */
  digests: Digests | null;
};

type Choices = { seed: number; compactions: readonly number[]; as_configured: boolean };

/** The share of a session that is covered; what comes later is needed to know what was missed. */
const COVERED = 0.75;
/** Tokens of a summary where nothing was recorded, and what ours may take beyond a recorded one. */
const BUDGET = 4_000;
const EXTRA = 1_000;

/**
 * Measures one session in the running service. Null when it is too short: less than twice the budget
 * would be covered.
 */
export async function measureSession(
  target: Target,
  session: Session,
  choices: Choices,
): Promise<SessionFigures | null> {
  const recorded = recordedCompactions(session);
  const tokens = sum(session.tokens);
  const budget = budgetOf(recorded);
  // The probes of a chat come after all of it.
  const share = session.probes.length > 0 ? 1 : COVERED;
  if (tokens * share < 2 * budget) return null;
  const runs: Run[] = [];
  for (const count of choices.compactions) {
    // Parts of less than half a summary leave nothing to compact.
    if ((tokens * share) / count < budget / 2) continue;
    const cuts = cutsAt(session.normalised, session.tokens, count, share);
    const driven = await start(target, session, `${count}`, choices, budget);
    runs.push(await measureRun(driven, session, cuts, choices));
  }
  return {
    name: session.name,
    kind: session.kind,
    tokens,
    budget,
    runs,
    at_recorded: await measureAtRecorded(target, session, recorded, choices),
    digests: await digestsOf(target, session),
  };
}

/** By the summaries that were recorded, on the average; a fixed one where none can be read. */
function budgetOf(recorded: readonly Recorded[]): number {
  const sizes = recorded.flatMap(({ text, is_summary }) => (is_summary ? [countTokens(text)] : []));
  return sizes.length === 0 ? BUDGET : Math.round(sum(sizes) / sizes.length) + EXTRA;
}

function start(
  target: Target,
  session: Session,
  run: string,
  choices: Choices,
  budget: number,
): Promise<Driven> {
  const id = `${session.name}-${run}`.replaceAll(/[^A-Za-z0-9._:-]+/g, '-').slice(-128);
  const kept = choices.as_configured ? AS_CONFIGURED : SUMMARY_ONLY;
  return drive(target, id, session.format, { ...kept, summary_max_tokens: budget });
}

async function measureRun(
  driven: Driven,
  session: Session,
  cuts: readonly number[],
  { seed }: Choices,
): Promise<Run> {
  const outcomes: Record<string, number> = {};
  const moments: Partial<Record<Text, Moments>>[] = [];
  const next_ranks: (number | null)[] = [];
  let from = 0;
  let context: Context | null = null;
  for (const [index, cut] of cuts.entries()) {
    await driven.append(session.items.slice(from, cut));
    context = await driven.compact('full');
    outcomes[context.outcome] = (outcomes[context.outcome] ?? 0) + 1;
    from = cut;
    if (index + 1 === cuts.length) break;
    const { covered, later } = split(session, cut);
    const moment = momentAt(covered, later);
    const texts = textsOf(context, covered);
    moments.push(momentsOf(moment, texts));
    next_ranks.push(...ranksOf(moment, texts));
  }
  const { covered, later } = split(session, from);
  const texts = textsOf(context ?? EMPTY, covered);
  const truth = truthAt(covered, later, session.probes, seed);
  const figures = mapTexts(texts, (text) => figuresOf(truth, text));
  if (figures.ours !== undefined) {
    const { search } = driven;
    figures.ours.needles_by_search = await needlesBySearch(truth.needles, covered, search);
    figures.ours.statements_by_search = await statementsBySearch(session.probes, search);
  }
  const { conversation } = context ?? EMPTY;
  return {
    compactions: cuts.length,
    outcomes,
    covered_tokens: sum(session.tokens.slice(0, from)),
    tokens: mapTexts(texts, (text) => text.tokens),
    figures: withMoments(figures, moments),
    next_ranks: [...next_ranks, ...ranksOf(truth, texts)],
    untrue: { ours: untrueInContext(conversation, covered) },
  };
}

const EMPTY: Context = {
  conversation: { passages: [], calls: [], items: 0 },
  tokens: 0,
  outcome: 'none',
};

type Texts = Partial<Record<Text, Candidate>>;
type Moments = Pick<Figures, 'next_action' | 'next_in_summary' | 'next_from_end' | 'open_request'>;

function textsOf(context: Context, covered: Conversation, recorded?: string): Texts {
  const anew = readable(writtenAnew(context.conversation, covered));
  const ours = { ...candidateOf(context.conversation.passages, context.tokens), anew };
  const baselines: Baselines = baselinesOf(covered, context.tokens);
  return {
    ours,
    ...baselines,
    ...(recorded === undefined ? {} : { recorded: textCandidate(recorded) }),
  };
}

function mapTexts<T>(texts: Texts, of: (text: Candidate) => T): Partial<Record<Text, T>> {
  const mapped: Partial<Record<Text, T>> = {};
  for (const name of TEXTS) {
    const text = texts[name];
    if (text !== undefined) mapped[name] = of(text);
  }
  return mapped;
}

function momentsOf(moment: Moment, texts: Texts): Partial<Record<Text, Moments>> {
  return mapTexts(texts, (text) => momentFigures(moment, text));
}

function ranksOf(moment: Moment, { ours }: Texts): (number | null)[] {
  return moment.next === null || ours === undefined ? [] : [nextRank(moment, ours)];
}

/** What is next and what is open is asked after every compaction of a run, not only after the last. */
function withMoments(
  figures: Partial<Record<Text, Figures>>,
  moments: readonly Partial<Record<Text, Moments>>[],
): Partial<Record<Text, Figures>> {
  for (const name of TEXTS) {
    const own = figures[name];
    if (own === undefined) continue;
    for (const moment of moments) {
      own.next_action = added(own.next_action, moment[name]?.next_action);
      own.next_in_summary = added(own.next_in_summary, moment[name]?.next_in_summary);
      own.next_from_end = added(own.next_from_end, moment[name]?.next_from_end);
      own.open_request = added(own.open_request, moment[name]?.open_request);
    }
  }
  return figures;
}

function added(one: Score, other: Score | undefined): Score {
  return { found: one.found + (other?.found ?? 0), of: one.of + (other?.of ?? 0) };
}

/** Ours after compactions at the recorded places, each at the size of the recorded summary and 1,000 more. */
async function measureAtRecorded(
  target: Target,
  session: Session,
  recorded: readonly Recorded[],
  choices: Choices,
): Promise<Run[]> {
  const runs: Run[] = [];
  const [first] = recorded;
  if (first === undefined) return runs;
  const driven = await start(target, session, 'recorded', choices, budgetOf([first]));
  let from = 0;
  for (const [index, one] of recorded.entries()) {
    const { covered: part, until, cut, text, is_summary } = one;
    await driven.append(part.items.slice(from));
    from = part.items.length;
    const context = await driven.compact('full', { summary_max_tokens: budgetOf([one]) });
    const covered = conversationOf(part.normalised);
    const later = conversationOf(until.normalised.slice(cut));
    const truth = truthAt(covered, later, [], choices.seed);
    const texts = textsOf(context, covered, text);
    runs.push({
      compactions: index + 1,
      outcomes: { [context.outcome]: 1 },
      covered_tokens: sum(part.tokens),
      tokens: mapTexts(texts, (text) => text.tokens),
      figures: mapTexts(texts, (text) => figuresOf(truth, text)),
      next_ranks: ranksOf(truth, texts),
      untrue: {
        ours: untrueInContext(context.conversation, covered),
        ...(is_summary ? { recorded: untrueIn(text, covered) } : {}),
      },
    });
  }
  return runs;
}

function untrueInContext(context: Conversation, covered: Conversation) {
  return untrueIn(writtenAnew(context, covered), covered, context.calls);
}

function split(session: Session, cut: number): { covered: Conversation; later: Conversation } {
  return {
    covered: conversationOf(session.normalised.slice(0, cut)),
    later: conversationOf(session.normalised.slice(cut)),
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
