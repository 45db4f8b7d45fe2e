import { beginsAsError, errorLinesOf, isAside } from '../error-lines.ts';
import type { ToolResult } from '../items/item.ts';
import { resultText } from '../items/message-text.ts';
import { type Json, stringsOf } from '../json.ts';
import { cleaned, clipEnd, oneLine, withoutTerminalCodes } from '../text.ts';
import {
  type Answer,
  answerTo,
  isPlaceholder,
  type Told,
  UNRECORDED,
  wasStopped,
} from '../workspace/result-text.ts';
import { runsStartFile, withoutShellStart } from '../workspace/shell/start.ts';
import { countsAllPassed, sumsUpFailure } from '../workspace/sums-up.ts';
import { runKindOf } from './command-line.ts';
import {
  type Evidence,
  endsInPipe,
  evidenceOf,
  isLeftRunning,
  linesOfItsOwn,
  saysNothing,
} from './exit-code.ts';
import { ANTIGRAVITY_LEFT, leftByClaude, runsInChat } from './processes.ts';
import { endsByClock, endsInQuestion, endsInSearch, messagesAmong } from './script-ends.ts';

/**
 * How a call ended, or that it has not yet, and the lines that say why it failed or what came of it.
 * `unknown`: it has ended, and nothing says how; `stopped`: the user has broken off all that was under way.
 */
export type Outcome = {
  kind: 'ok' | 'failed' | 'unknown' | 'refused' | 'interrupted' | 'stopped' | 'running';
  lines: string[];
};

const LONGEST_LINE = 200;
/** Characters from the end of an output that are read for how a run went. */
const LOOKED_AT = 60_000;
const MOST_LINES = 3;

/** Of several runs in one script, so many lines are of the last one. */
const LAST_LINES = 6;
/** How a program ends that an error has stopped. */
const NAMES_ERROR = /^(?:[A-Z]\w{0,40})?(?:Error|Exception)\b.{0,40}: /;
/** The name of an error alone. */
const ONLY_NAME = /^(?:[\w$]{1,60}(?:\.|::)){0,8}[A-Z]\w{0,60}(?:Error|Exception):$/;
/** Lines of programs around an output, which say nothing about it. */
const FRAME =
  /^(?:exit code|process exited|command exited|wall time|chunk id|output:?$|\(no output\)$|\[(?:rerun|result-id): \w{1,20}\]$|traceback \(|<\/?[\w-]+>$|\[(?:the command completed|command finished|current working directory|python interpreter)\b)/i;
/** What shells without exit codes print when a program failed; indented, it is shown from elsewhere. */
const FAILS_BY_WORDS =
  /^Traceback \(most recent call last\)|^(?!\s)[^\n]{0,200}: command not found\s*$|^\S{0,200}python[\d.]*: No module named \S+\s*$|^Your proposed edit has introduced new syntax error/m;
/** The same in zsh, whose message stands in front of the name: of a run, since scripts also ask for programs. */
const MISSING_IN_ZSH = /^(?:\(eval\)|zsh):(?:\d{1,5}:)? command not found: \S{1,100}\s*$/m;
/**
 * What programs write first or last where the user has broken off a command, or first where another call
 * beside it has failed: it says nothing of what was run.
 */
const BROKEN_OFF =
  /^(?:\[Request interrupted by user[^\]]{0,40}\]|(?:Command|Operation|Request|Tool execution|User) (?:was )?(?:aborted|cancell?ed|interrupted)(?: by (?:the )?user)?(?: the command)?(?: before [a-z ]{1,30})?\.?|aborted by user(?: after [\d.]{1,12} ?s)?|\[Tool call (?:did not complete|skipped|interrupted|not completed|result not in this copy): .{1,300}|Sibling tool call errored|Cancelled: parallel tool call .{1,300} errored)$/i;
/** How runs of tests and compilers sum up that it went well. */
const SUMS_UP =
  /\b\d+ (?:passed|passing|tests? passed)\b|^[1-9]\d* pass$|^[#ℹ] pass [1-9]|^ok\b|\bOK\b|\bpassed\b|\bsucce(?:ss|eded)|no (?:errors|issues|problems|offenses)|\b0 (?:errors|failures|problems)\b|\bFinished\b|\bBuilt\b/i;
/** The same for a whole run: it counts where no exit code speaks, also when lines have been left out. */
const ALL_PASSED = new RegExp(
  [
    String.raw`\b[1-9]\d* (?:pass|passed|passing|tests? passed)\b`,
    String.raw`(?<!\bnot )\ball (?:\d+ )?(?:tests|checks|files)\b.{0,40}\bpass`,
    String.raw`\bno (?:errors|issues|problems)\b|\b0 (?:errors|failures|problems|issues)\b`,
    String.raw`^OK(?: \(.{0,60}\))?$|^test result: ok\b|^(?:\[INFO\] )?BUILD SUCCESS|\bBuild succeeded\b`,
    // C++, Bazel, Swift, Xcode, .NET and Haskell.
    String.raw`^100% tests passed(?:, 0 tests failed(?: out of [1-9]\d*)?)?$`,
    String.raw`^(?:INFO: )?Build complete(?:d successfully(?:, \d+ total actions?)?|! \(.{1,20}\))$`,
    String.raw`^Executed \d+ out of ([1-9]\d*) tests?: \1 tests? pass(?:es)?\.$`,
    String.raw`^\S{1,2} Test run with [1-9]\d* tests? .{0,40} passed after .{1,40}$`,
    String.raw`^\*\* (?:TEST|BUILD) SUCCEEDED \*\*(?: \[.{1,20}\])?$|^Passed! +- Failed: +0,`,
    String.raw`^([1-9]\d*) of \2 test suites \(([1-9]\d*) of \3 test cases\) passed\.$`,
    // Terraform, Helm, Perl, Karma, R, Turborepo and Julia.
    String.raw`^Success! The configuration is valid(?:\.|, but .{1,100})$`,
    String.raw`^[1-9]\d* chart\(s\) linted, 0 chart\(s\) failed$|^Result: PASS$|^All tests successful\.$`,
    String.raw`^Executed ([1-9]\d*) of \4 SUCCESS\b|^Tasks: +([1-9]\d*) successful, \5 total$`,
    // RuboCop and PlatformIO.
    String.raw`^[1-9]\d* files? inspected, no offenses detected$|^=+ \[SUCCESS\] Took [\d.]+ seconds =+$`,
    String.raw`^\[ FAIL 0 \| WARN \d+ \| SKIP \d+ \| PASS [1-9]\d* \]$|^Status: OK$|^Testing \S+ tests passed$`,
  ].join('|'),
  'i',
);
/** The same where the end of the output is there: what has failed would be named behind it. */
const PASSED_SO_FAR =
  /^ok\s+\S+\s+(?:[\d.]+m?s|\(cached\))|^PASS$|^✓ built in [\d.]+m?s$|\bFinished\b(?! in\b)|^\[ {1,2}PASSED {1,2}\] [1-9]\d* tests?\.$/;
/** The sums of programs that name in the same line what has failed: they count even if that alone was let through. */
const COUNTS_BOTH =
  /^Tests:? +[1-9]\d* passed(?: \(|, \d+ total)|^=* ?[1-9]\d* passed\b.{0,80} in \d|^100% tests passed, 0 tests failed\b/;
/** A part that has passed: "3 of 10 tests pass". */
const PARTLY = /\b(?!(\d+)(?: (?:out )?of |\/)\1\b)\d+(?: (?:out )?of |\/)\d+ (?:\w+ ){0,2}?pass/i;
/** How bun and Node's own runner count what has failed, where nothing has, and what has passed. */
const NONE_FAILED = /^(?:[#ℹ] fail 0|0 fail)$/;
const PASSED = /^(?:[#ℹ] pass (\d{1,9})|(\d{1,9}) pass)$/;
/** A part of a run in which nothing was tested. */
const COUNTS_NONE = /\b0 (?:tests? )?pass(?:ed|ing)?\b|\[no tests? (?:files|to run)\]/;
/** A whole run in which nothing was tested, which ends as one that has passed. */
const RAN_NONE = /^(?:Ran 0 tests in \d|No tests? (?:files? )?found, exiting with code 0\b)/;
const FAILS = /\bnot ok\b|\b[1-9]\d* (?:failed|failing|errors?|failures?)\b|unsuccess/i;

/**
 * Reads a result; `script` is the command that was run, null for other tools. `hasCode`: a command that
 * fails is known by its exit code. `given`: the input of another tool, which may repeat it.
 */
export function outcomeOf(
  result: ToolResult,
  script: string | null,
  isRun: boolean,
  hasCode = !result.is_exit_hidden,
  given: Json = null,
): Outcome {
  const answer = answerTo(script, result);
  const output = saysNothing(answer.text) ? '' : withoutTerminalCodes(answer.text);
  if (output === UNRECORDED) return { kind: 'unknown', lines: [] };
  const text = script === null || runsStartFile(script) ? output : withoutShellStart(output);
  const isLeft =
    text.startsWith(ANTIGRAVITY_LEFT) ||
    (script !== null && (leftByClaude(text) !== null || runsInChat(resultText(result))));
  if (answer.isUnfinished || isLeft) return { kind: 'running', lines: [] };
  const start = text.slice(0, 4_000);
  const isByWords =
    script !== null && (FAILS_BY_WORDS.test(start) || (isRun && MISSING_IN_ZSH.test(start)));
  const isSum = isRun && sumsUpFailure(text) && !hasOnlyLogged(script, answer, text);
  // What a run of tests prints, its exit code knows better.
  const isWrong = (isByWords || isSum) && isRun && toldAsPassed(script, answer, hasCode);
  const hasFailed = answer.isFailed || (isByWords && !isWrong);
  const isFailedRun = isSum && !isWrong;
  // Most results say neither, and are not read line by line.
  if (!hasFailed && !isRun) return { kind: isInDoubt(script, text) ? 'unknown' : 'ok', lines: [] };
  // What a program has put in place of an output says nothing of how it went.
  const isGone = isPlaceholder(text) && !BROKEN_OFF.test(text.trim());
  const shown = isGone ? [] : withWhatFollows(linesOf(text));
  const lines = shown.filter((line, at) => !isBrokenOff(line, at, shown.length));
  if (answer.isRefused) return { kind: 'refused', lines: lines.slice(0, 1).flatMap(whyRefused) };
  if (hasFailed && wasStopped(text)) return { kind: 'stopped', lines: [] };
  // An answer that is no text says something, and nobody can read it.
  if (isRun && text === '' && result.content.some(({ kind }) => kind === 'opaque')) {
    return { kind: 'unknown', lines: [] };
  }
  if (hasFailed) {
    const own =
      script === null ? new Set(stringsOf(given).flatMap(linesOf)) : linesOfItsOwn(script);
    const others = lines.filter((line) => !own.has(line) && !own.has(behindLabel(line)));
    const said =
      script === null
        ? others.length === 0
          ? lines
          : others
        : messagesAmong(withoutUsage(others), script);
    const telling = errorLinesOf(said, MOST_LINES);
    if (lines.length < shown.length && telling.length === 0 && !isFailedRun) {
      return { kind: 'interrupted', lines: [] };
    }
    // A search that found nothing, or what ends without a word, leaves nothing to tell.
    const isSearch = script !== null && telling.length === 0 && endsInSearch(script, lines);
    if (isSearch && isRun) return unfailed(script, answer, lines, hasCode);
    if (isSearch) return { kind: 'ok', lines: [] };
    const hasSaidNo =
      script !== null && !isRun && endsInQuestion(script, telling.length > 0, lines);
    if (hasSaidNo || isTimeUp(script, isRun, result, said)) return { kind: 'unknown', lines: [] };
    // What stands above its last heading is of what went before.
    const heading = lines.findLastIndex((line) => own.has(line));
    const last = new Set(script === null ? said : lines.slice(heading + 1));
    const below = said.filter((line) => last.has(line));
    if (telling.length === 0 && below.length === 0)
      return { kind: isRun ? 'failed' : 'unknown', lines: [] };
    const worded = below.filter((line) => /\p{L}/u.test(line) && !isAside(line));
    const reasons = worded.length > 0 ? worded : below;
    // A program says last why it gives up, a tool says it first.
    const reason = script === null ? reasons.slice(0, 2) : reasons.slice(-2);
    return { kind: 'failed', lines: telling.length > 0 ? telling : reason };
  }
  if (isFailedRun) {
    return { kind: 'failed', lines: errorLinesOf(lines, MOST_LINES) };
  }
  return unfailed(script, answer, lines, hasCode);
}

/** What was given wrongly nobody has refused, and what Claude Code adds asks for something at that moment. */
function whyRefused(line: string): string[] {
  return line.startsWith('InputValidationError')
    ? []
    : [line.replace(/ \(eg\. if it was .*$/, '.')];
}

/** How programs write the exit code of `timeout`. */
const TIME_IS_UP = /\b(?:code|status)\W{1,3}124\b/;

/** Whether what goes on until it is stopped, such as a server, was stopped, and has told of no error. */
function isTimeUp(
  script: string | null,
  isRun: boolean,
  result: ToolResult,
  said: readonly string[],
): boolean {
  if (script === null || isRun || !endsByClock(script) || said.some(beginsAsError)) return false;
  const text = resultText(result);
  return TIME_IS_UP.test(text.slice(0, 300)) || TIME_IS_UP.test(text.slice(-300));
}

/** How programs, such as those of yargs, say below how they are to be used that they were not. */
const WRONGLY_USED =
  /^(?:missing (?:required )?|unknown |invalid |unexpected |unrecognized |not enough |too many )[\w-]{0,20} ?(?:arguments?|options?|values?|commands?|flags?)\b/i;

/** What stands in front of how a program is to be used, where that is the reason; else all lines. */
function withoutUsage(lines: readonly string[]): readonly string[] {
  const at = lines.findIndex((line) => /^usage:\s/i.test(line));
  const isBehind = lines.slice(at).some((line) => beginsAsError(line) || WRONGLY_USED.test(line));
  return at <= 0 || isBehind ? lines : lines.slice(0, at);
}

/** Whether a script runs one thing, of which the last lines are let through, and these say that all has passed. */
function hasOnlyLogged(script: string | null, answer: Told, text: string): boolean {
  if (script === null || !countsAllPassed(text)) return false;
  const { speaking, isFiltered } = evidenceOf(script, answer);
  return speaking === 'all' && !isFiltered;
}

/** Whether a program, or the script itself, has told an exit code of 0, and that of the run itself. */
function toldAsPassed(script: string | null, answer: Told, hasCode: boolean): boolean {
  if (script === null || answer.isFailed) return false;
  const { by, speaking } = evidenceOf(script, answer);
  return (hasCode && answer.isTold && by === 'told') || (by === 'passed' && speaking === 'all');
}

/** A run whose exit says nothing against it: whether it passed is known by its code, or by its words. */
function unfailed(
  script: string | null,
  answer: Answer,
  lines: readonly string[],
  hasCode: boolean,
): Outcome {
  const evidence = script === null ? null : evidenceOf(script, answer);
  const isSearch = script !== null && answer.isFailed;
  const isTold = hasCode && !isSearch && evidence?.by === 'told';
  if (evidence?.by === 'failed') {
    return { kind: 'failed', lines: errorLinesOf(lines, MOST_LINES) };
  }
  const sums = lines.filter((line) => SUMS_UP.test(line) && !FAILS.test(line));
  // One part of a run may have had nothing to do.
  const sum = sums.findLast((line) => !COUNTS_NONE.test(line)) ?? sums.at(-1);
  // A build or a check that fails says why.
  const isPassed =
    evidence === null ||
    isTold ||
    evidence.by === 'passed' ||
    saysPassed(answer, evidence) ||
    (evidence.isEndShown && !isSearch && lines.length === 0 && runKindOf(script ?? '') !== 'test');
  if (isPassed && lines.some((line) => RAN_NONE.test(line)) && !lines.some(hasCounted)) {
    return { kind: 'unknown', lines: lines.filter((line) => RAN_NONE.test(line)).slice(0, 1) };
  }
  if (isPassed) return { kind: 'ok', lines: sum === undefined ? [] : [sum] };
  return { kind: 'unknown', lines: sum === undefined ? lines.slice(-1) : [sum] };
}

/** Another run of tests beside one that has found none. */
function hasCounted(line: string): boolean {
  return /^Ran [1-9]\d* tests? in \d/.test(line) || (SUMS_UP.test(line) && !COUNTS_NONE.test(line));
}

function saysPassed({ text, isShortened }: Answer, evidence: Evidence): boolean {
  const { own, isFiltered, hidesFailures, speaking } = evidence;
  if (speaking === 'none') return false;
  const lines = withoutTerminalCodes(text.slice(-LOOKED_AT))
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !own.has(line));
  const said = lines.slice(speaking === 'last' ? -LAST_LINES : 0);
  const counts = said.flatMap((line) => PASSED.exec(line)?.slice(1).join('') ?? []);
  const hasTested = counts.length === 0 || counts.some((count) => Number(count) > 0);
  return said.some((line) => {
    if (FAILS.test(line) || PARTLY.test(line)) return false;
    if (hidesFailures) return COUNTS_BOTH.test(line);
    if (ALL_PASSED.test(line) || (hasTested && NONE_FAILED.test(line))) return true;
    return !isFiltered && !isShortened && PASSED_SO_FAR.test(line);
  });
}

/** What goes on after its script has ended, or ends in words of an error whose code a pipe hides. */
function isInDoubt(script: string | null, text: string): boolean {
  if (script === null || !/[|&]/.test(script)) return false;
  if (isLeftRunning(script)) return true;
  const end = text.trimEnd().split('\n').slice(-2);
  return end.some((line) => NAMES_ERROR.test(line)) && endsInPipe(script);
}

/** What stands behind the name of what is quoted. */
function behindLabel(line: string): string {
  return line.replace(/^\w[\w ]{0,30}: /, '');
}

function isBrokenOff(line: string, at: number, of: number): boolean {
  return (at === 0 || at === of - 1) && BROKEN_OFF.test(line);
}

/** RSpec says what an error is on the line after its name, Rust where it is, Go what the test has said. */
function withWhatFollows(lines: readonly string[]): string[] {
  return lines.map((line, at) => {
    const next = lines[at + 1] ?? '';
    const isOpen =
      ONLY_NAME.test(line) ||
      /^--> \S/.test(next) ||
      (line.startsWith('--- FAIL: ') && /^\w{1,100}_test\.go:\d{1,6}: /.test(next));
    return isOpen ? clipEnd(`${line} ${next}`.trim(), LONGEST_LINE) : line;
  });
}

function linesOf(text: string): string[] {
  return cleaned(text)
    .split('\n')
    .map((line) =>
      clipEnd(oneLine(line.slice(0, 2_000).replace(/<\/?[a-z_]{1,40}>/g, ' ')), LONGEST_LINE),
    )
    .filter((line) => line.length > 3 && !FRAME.test(line));
}
