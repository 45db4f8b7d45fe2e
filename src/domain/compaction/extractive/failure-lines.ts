import { CURED_OTHERWISE, filesOfCure } from '../../ledger/facts.ts';
import { isLater } from '../../ledger/inherit.ts';
import type { Failure } from '../../ledger/ledger.ts';
import { passedSince } from '../../ledger/passed-since.ts';
import { failureKey } from '../../ledger/runs.ts';
import { clipEnd, oneLine } from '../../text.ts';
import { LABELS } from './labels.ts';
import type { Ledgers } from './ledgers.ts';
import type { Tellings } from './line.ts';

/** What failed, and what cured it; the words of a tool stand in quotes. */
export function errorTellings({ covered, standing }: Ledgers): Tellings {
  const cured = new Map(standing.failures.map((one) => [failureKey(one.key, one.lines), one.cure]));
  const runs = new Map(standing.runs.map((run) => [run.command, run]));
  const told = covered.failures.map((one): Told => {
    const run = runs.get(one.key);
    const isUnknown = run?.outcome === 'unknown' && isLater(run, one);
    return {
      ...one,
      cure: one.cure ?? cured.get(failureKey(one.key, one.lines)) ?? null,
      passed: run === undefined ? undefined : passedSince(run, standing.runs)?.command,
      ...(isUnknown && { is_run_again: true }),
    };
  });
  return [
    { line: 90, lines: 1, said: 0 },
    { line: 160, lines: 1, said: 90 },
    { line: 200, lines: 2, said: 160 },
    { line: 200, lines: 3, said: 200 },
  ].map(
    (level) => () =>
      alike(told, level).map((failure) => ({
        text: errorText(failure, level),
        worth: failure.failed_at + rankOf(failure) * covered.items,
      })),
  );
}

/** `is_run_again`: the same ran later, and nothing says how that ended; `passed`: what passed since. */
type Told = Failure & { is_run_again?: true; passed?: string | undefined };

const LOOKS =
  /^(?:(?:sed -n|cat|head|tail|ls|nl|wc|rg|grep|find|stat|file|tree|less)\b|(?:Read|read|View|view|read_file|LS|list_dir|Glob|Grep) )/;
/** A search or a page that could not be had is nothing to be mended. */
const SEARCHES = /^(?:web_?search|web_?fetch|code_?search|google_web_search|fetch) /i;
const NOT_THERE = /No such file or directory|does not exist|cannot access|ENOENT|not found/i;

/** What is still to be mended comes first, and last a look at what is not there, which has found out just that. */
function rankOf({ key, lines, cure, is_refused, is_run_again, passed }: Told): number {
  if (SEARCHES.test(key)) return 0;
  if (LOOKS.test(key) && lines.every((line) => NOT_THERE.test(line))) return 0;
  const isOver = cure !== null || is_refused === true || is_run_again === true;
  return isOver || passed !== undefined ? 1 : 2;
}

type ErrorLevel = { line: number; lines: number; said: number };

/** Failures that would read the same are told once, at the place of the last. */
function alike(failures: readonly Told[], level: ErrorLevel): Told[] {
  const byText = new Map<string, Told>();
  for (const failure of failures) {
    const text = errorText({ ...failure, times: 1 }, level);
    const before = byText.get(text);
    byText.delete(text);
    byText.set(text, { ...failure, times: failure.times + (before?.times ?? 0) });
  }
  return [...byText.values()];
}

/** What failed or was refused, and whether it was cured, in one line of these lengths. */
export function errorText(failure: Told, most: ErrorLevel): string {
  const { what, lines, times, said, is_refused } = failure;
  const quoted = lines
    .slice(0, most.lines)
    .map((line) => `"${clipEnd(line.replaceAll('"', "'"), most.line)}"`)
    .join(' ');
  const often = times > 1 ? ` (${times} times)` : '';
  const then =
    said !== undefined && said !== '' && most.said > 0
      ? ` Assistant then: ${clipEnd(oneLine(said), most.said)}`
      : '';
  const call = `${clipEnd(oneLine(what), 70)}${often}`;
  if (is_refused !== true) {
    return `${LABELS.error}${call}: tool output ${quoted}; ${cureText(failure)}.${then}`;
  }
  const later = failure.cure === null ? '' : `; ${cureText(failure)}.`;
  return `${LABELS.refused}${call}: ${quoted}${later}${then}`;
}

function cureText({ cure, is_run_again, passed }: Told): string {
  if (cure === null) {
    const since = passed === undefined ? '' : `, but ${clipEnd(passed, 60)} passed since`;
    return is_run_again === true
      ? `run again later, how that ended is not known${since}`
      : `not seen to work later${since}`;
  }
  if (cure.otherwise !== undefined) return CURED_OTHERWISE[cure.otherwise];
  const files = filesOfCure(cure.files).slice(0, 3);
  return files.length === 0
    ? 'the same worked later'
    : `the same worked later, after changes of ${files.join(', ')}`;
}
