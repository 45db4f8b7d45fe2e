import { namesStandingIn } from '../../../src/domain/names.ts';
import { type Conversation, stringsIn } from '../conversation.ts';
import { greedyLines, headAndTail, namesOfText } from '../cuts-of-results.ts';
import { keysIn } from '../names.ts';
import { commandOf, errorLines, hasFailed } from '../runs.ts';
import { countTokens } from '../tokens.ts';
import type { Score } from '../words.ts';

/** A long tool result, what the context holds of it, and what of it mattered later. */
type Result = {
  original: string;
  /** What stands in its place; the original where nothing was cleared. */
  digest: string;
  /** The keys of its names that the assistant writes afterwards. */
  needed: string[];
  error_lines: string[];
};

const LONG = 1_200;
/** Longer lines, such as a whole result on one line, are not asked for as a whole. */
const LONGEST_LINE = 500;

/** The long results of a session, each with what a context that was cleared holds in its place. */
export function longResults(session: Conversation, context: Conversation): Result[] {
  const cleared = new Map(context.calls.map(({ id, result }) => [id, result?.text ?? '']));
  const written = session.passages.filter(({ voice }) => voice === 'assistant');
  const lastUse = new Map<string, number>();
  for (const { text, item } of written) for (const key of keysIn(text)) lastUse.set(key, item);
  return session.calls.flatMap((call): Result[] => {
    const { id, result, input } = call;
    const digest = cleared.get(id);
    // What a shell says in a message is no tool result, and cleared by nobody.
    if (result === null || digest === undefined || result.text.length <= LONG) return [];
    // What the call itself says need not be told again.
    const asked = keysIn(stringsIn(input).join('\n'));
    const needed = [...keysIn(result.text)].filter(
      (key) => (lastUse.get(key) ?? -1) > result.item && !asked.has(key),
    );
    return [
      {
        original: result.text,
        digest,
        needed,
        error_lines: (hasFailed(call)
          ? errorLines(result.text, 5, commandOf(call))
          : markedErrors(result.text)
        ).filter((line) => line.length <= LONGEST_LINE),
      },
    ];
  });
}

/** Lines that begin as compilers, tests and programs begin a line about an error; what a search has found stands as it is indented. */
const MARKED =
  /^\s*(?:\S+:\d+(?::\d+)?: ?)?(?:error\b|fatal\b|panic:|FAIL\b|--- FAIL|ERROR\b|E {3}|Traceback \(|[A-Z]\w*(?:Error|Exception):)/;

function markedErrors(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => MARKED.test(line))
    .map((line) => line.trim());
}

/** One way to shorten results: tokens of all of them, names needed later, error lines kept. */
export type DigestFigures = { tokens: number; needed: Score; error_lines: Score };
export type Digests = {
  results: number;
  /** Results that were left as they were. */
  kept: number;
  original_tokens: number;
  ours: DigestFigures;
  /** Lines of ours that are not in brackets and stand in the original. */
  quoted: Score;
  /** Baselines of the same size as ours, result by result. */
  equal: Record<Baseline, DigestFigures>;
  /** The same with a quarter of the tokens of each result. */
  quarter: Record<Baseline, DigestFigures>;
};
export const BASELINES = ['head_tail', 'names', 'greedy'] as const;
export type Baseline = (typeof BASELINES)[number];

const CUTS: Record<Baseline, (text: string, tokens: number) => string> = {
  head_tail: headAndTail,
  names: namesOfText,
  greedy: greedyLines,
};

/** Measures what is left of the results that were cleared. */
export function measureDigests(all: readonly Result[]): Digests {
  const results = all.filter(({ original, digest }) => digest !== original);
  const against = (size: (result: Result) => number) =>
    mapBaselines((cut) =>
      figuresOf(results.map((result) => ({ result, text: cut(result.original, size(result)) }))),
    );
  return {
    results: results.length,
    kept: all.length - results.length,
    original_tokens: sum(results.map(({ original }) => countTokens(original))),
    ours: figuresOf(results.map((result) => ({ result, text: result.digest }))),
    quoted: quotedLines(results),
    equal: against(({ digest }) => countTokens(digest)),
    quarter: against(({ original }) => Math.floor(countTokens(original) / 4)),
  };
}

/** The figures of several sessions together. */
export function addedDigests(all: readonly Digests[]): Digests {
  const both = (pick: (one: Digests) => DigestFigures): DigestFigures => ({
    tokens: sum(all.map((one) => pick(one).tokens)),
    needed: addedScores(all.map((one) => pick(one).needed)),
    error_lines: addedScores(all.map((one) => pick(one).error_lines)),
  });
  return {
    results: sum(all.map(({ results }) => results)),
    kept: sum(all.map(({ kept }) => kept)),
    original_tokens: sum(all.map(({ original_tokens }) => original_tokens)),
    ours: both(({ ours }) => ours),
    quoted: addedScores(all.map(({ quoted }) => quoted)),
    equal: mapBaselines((_, name) => both(({ equal }) => equal[name])),
    quarter: mapBaselines((_, name) => both(({ quarter }) => quarter[name])),
  };
}

function mapBaselines(
  of: (cut: (text: string, tokens: number) => string, name: Baseline) => DigestFigures,
): Record<Baseline, DigestFigures> {
  return {
    head_tail: of(CUTS.head_tail, 'head_tail'),
    names: of(CUTS.names, 'names'),
    greedy: of(CUTS.greedy, 'greedy'),
  };
}

function figuresOf(cut: readonly { result: Result; text: string }[]): DigestFigures {
  const needed = cut.map(({ result, text }): Score => {
    const stands = namesStandingIn(text);
    return { found: result.needed.filter(stands).length, of: result.needed.length };
  });
  const errors = cut.map(({ result, text }): Score => {
    const found = result.error_lines.filter((line) => text.includes(line)).length;
    return { found, of: result.error_lines.length };
  });
  return {
    tokens: sum(cut.map(({ text }) => countTokens(text))),
    needed: addedScores(needed),
    error_lines: addedScores(errors),
  };
}

/** Lines of our own stand in brackets; every other one is a quotation. */
function quotedLines(results: readonly Result[]): Score {
  return addedScores(
    results.map(({ original, digest }): Score => {
      const lines = digest
        .split('\n')
        .map((line) => line.replace(/^\s*(?:L?\d+(?:[:|→\t]|\s{2,}))\s?/, '').trim())
        .filter((line) => line !== '' && !/^\[.*\]$/.test(line));
      return { found: lines.filter((line) => original.includes(line)).length, of: lines.length };
    }),
  );
}

function addedScores(scores: readonly Score[]): Score {
  return { found: sum(scores.map(({ found }) => found)), of: sum(scores.map(({ of }) => of)) };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
