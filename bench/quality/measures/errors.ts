import { baseName } from '../../../src/domain/names.ts';
import type { Candidate } from '../candidate.ts';
import type { Conversation } from '../conversation.ts';
import { editsIn } from '../edits.ts';
import { commandOf, errorLines, hasFailed, runKey } from '../runs.ts';
import {
  contentWords,
  normalised,
  placesOf,
  placeWithin,
  type Readable,
  type Score,
  scoreOf,
} from '../words.ts';

/** A run that failed: the lines that say why, and how it was cured if the same worked later. */
export type Failure = {
  lines: string[];
  /** The files that were changed in between; null when the same never worked later. */
  cure: string[] | null;
};

const MOST_LINES = 5;

/** The failed runs of a conversation; the same failure of the same run counts once, the last time. */
export function failuresOf(covered: Conversation): Failure[] {
  const edits = editsIn(covered);
  const failures = new Map<string, Failure>();
  for (const [index, call] of covered.calls.entries()) {
    if (call.result === null || !hasFailed(call)) continue;
    const key = runKey(call);
    const lines = errorLines(call.result.text, MOST_LINES, commandOf(call));
    const cured = covered.calls
      .slice(index + 1)
      .find((later) => later.result !== null && runKey(later) === key && !hasFailed(later));
    const between = edits.filter(({ item }) => item > call.item && item <= (cured?.item ?? 0));
    const cure =
      cured === undefined ? null : [...new Set(between.map(({ path }) => baseName(path)))];
    failures.set(`${key} ${lines[0] ?? ''}`, { lines, cure });
  }
  return [...failures.values()];
}

type Errors = { told: Score; with_cure: Score };

/** How many failures are told, and how many with their cure where there was one. */
export function measureErrors(failures: readonly Failure[], { read }: Candidate): Errors {
  return {
    told: scoreOf(failures, (failure) => placesOfFailure(failure, read).length > 0),
    with_cure: scoreOf(failures, (failure) =>
      placesOfFailure(failure, read).some(
        (at) => failure.cure === null || tellsCure(failure.cure, at, read),
      ),
    ),
  };
}

const OPENING = 40;
const SPAN = 400;
/** A line of fewer words is recognised by its letters only. */
const FEWEST_WORDS = 4;

/** Where a line of the failure can be recognised: its first 40 characters, or most of its words together. */
function placesOfFailure({ lines }: Failure, read: Readable): number[] {
  return lines.flatMap((line) => {
    const start = normalised(line).slice(0, OPENING).trim();
    const places = start.length < 8 ? [] : placesOf(start, read);
    const words = contentWords(line).length >= FEWEST_WORDS ? placeWithin(read, line, SPAN) : null;
    return words === null ? places : [...places, words];
  });
}

const CURED =
  /\b(?:fixed|fix(?:es)?|resolved|solved|cured|worked|works|passes|passed|succeeded|succeeds|repaired|corrected|ok now|now ok|after which)\b/;

/** Whether the text near the failure says that it was cured, or names a file that was changed for it. */
function tellsCure(files: readonly string[], at: number, { normal }: Readable): boolean {
  const near = normal.slice(Math.max(0, at - SPAN / 4), at + SPAN);
  return CURED.test(near) || files.some((file) => near.includes(file.toLowerCase()));
}
