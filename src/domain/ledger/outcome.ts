import type { ToolResult } from '../items/item.ts';
import { cleaned, clipEnd, oneLine, withoutTerminalCodes } from '../text.ts';
import { answerOf } from '../workspace/result-text.ts';
import { sumsUpFailure } from '../workspace/sums-up.ts';
import { endsInSearch } from './command-line.ts';

/** How a call ended, or that it has not yet, and the lines that say why it failed or what came of it. */
export type Outcome = {
  kind: 'ok' | 'failed' | 'refused' | 'interrupted' | 'running';
  lines: string[];
};

const LONGEST_LINE = 200;
const MOST_LINES = 3;

const TELLS_ERROR =
  /error|exception|panic|fatal|fail|denied|not found|cannot|can['’]t|could ?n['o]t|could not|no such|does not exist|invalid|undefined|unexpected|refused|timed? ?out|abort|unknown|illegal|missing|not defined|Fehler|erreur|错误|錯誤|失败|失敗|异常|エラー|오류|실패|ошибка|خطأ|فشل/i;
/** Lines of programs around an output, which say nothing about it. */
const FRAME =
  /^(?:exit code|process exited|command exited|wall time|chunk id|output:?$|traceback \(|<\/?\w+>$)/i;
/** What shells without exit codes print when a program failed. */
const FAILS_BY_WORDS =
  /^Traceback \(most recent call last\)|^[^\n]{0,200}: command not found\s*$|^Your proposed edit has introduced new syntax error/m;
/** What Claude Code says of a command that it does not wait for. */
const IN_BACKGROUND = /^Command running in background with ID: /;
/** What programs write first or last where the user has broken off a command: it says nothing of what was run. */
const BROKEN_OFF =
  /^(?:\[Request interrupted by user[^\]]{0,40}\]|(?:Command|Operation|Request|Tool execution|User) (?:was )?(?:aborted|cancell?ed|interrupted)(?: by (?:the )?user)?(?: the command)?(?: before [a-z ]{1,30})?\.?|aborted by user(?: after [\d.]{1,12} ?s)?)$/i;
/** How runs of tests and compilers sum up that it went well. */
const SUMS_UP =
  /\b\d+ (?:passed|passing|tests? passed)\b|^ok\b|\bOK\b|\bpassed\b|succe(?:ss|eded)|no (?:errors|issues|problems)|\b0 (?:errors|failures|problems)\b|\bFinished\b|\bBuilt\b/i;

/** Reads a result; `script` is the command that was run, null for other tools. */
export function outcomeOf(result: ToolResult, script: string | null, isRun: boolean): Outcome {
  const answer = answerOf(result);
  const text = withoutTerminalCodes(answer.text);
  if (answer.isUnfinished || IN_BACKGROUND.test(text)) return { kind: 'running', lines: [] };
  const hasFailed =
    answer.isFailed || (script !== null && FAILS_BY_WORDS.test(text.slice(0, 4_000)));
  const isFailedRun = isRun && sumsUpFailure(text);
  // Most results say neither, and are not read line by line.
  if (!hasFailed && !isRun) return { kind: 'ok', lines: [] };
  const shown = linesOf(text);
  const lines = shown.filter((line, at) => !isBrokenOff(line, at, shown.length));
  if (answer.isRefused) return { kind: 'refused', lines: lines.slice(0, 1) };
  const telling = lines.filter((line) => TELLS_ERROR.test(line));
  if (hasFailed) {
    if (lines.length < shown.length && telling.length === 0 && !isFailedRun) {
      return { kind: 'interrupted', lines: [] };
    }
    // A search that found nothing, or what ends without a word, leaves nothing to tell.
    const isSearch = script !== null && telling.length === 0 && endsInSearch(script);
    if (lines.length === 0 || isSearch) return { kind: 'ok', lines: [] };
    const said = telling.length > 0 ? telling.slice(0, MOST_LINES) : lines.slice(-2);
    return { kind: 'failed', lines: said };
  }
  if (isFailedRun) return { kind: 'failed', lines: telling.slice(0, MOST_LINES) };
  const sum = lines.findLast((line) => SUMS_UP.test(line));
  return { kind: 'ok', lines: sum === undefined ? [] : [sum] };
}

function isBrokenOff(line: string, at: number, of: number): boolean {
  return (at === 0 || at === of - 1) && BROKEN_OFF.test(line);
}

function linesOf(text: string): string[] {
  return cleaned(text)
    .split('\n')
    .map((line) =>
      clipEnd(oneLine(line.slice(0, 2_000).replace(/<\/?[a-z_]{1,40}>/g, ' ')), LONGEST_LINE),
    )
    .filter((line) => line.length > 3 && !FRAME.test(line));
}
