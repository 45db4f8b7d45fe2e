import { announcesError, beginsAsError, isAside, mentionsError } from '../error-lines.ts';
import { type Source, textOf, type Unit } from './source.ts';

/** How far into a line it is read for what it says. */
const LOOKED_AT = 240;

/** Beginnings by which compilers, tests and programs say that something went wrong. */
const MARKED =
  /^\s{0,40}(?:[^\s:]{1,200}:\d{1,7}(?::\d{1,7})?:?\s{0,4})?(?:\[?(?:[Ee]rror|ERROR|[Ff]atal|FATAL|panic|PANIC|CRITICAL|SEVERE)\b|FAIL(?:ED|URE)?\b|-{3} FAIL|not ok\b|E {3}|✗|✘|×|Traceback \(|npm ERR!|[A-Z]\w{0,60}(?:Error|Exception):|[\w./+-]{1,60}: (?:fatal |internal )?error: )/;
/** A level behind the time of a line in a log. */
const LEVEL =
  /\b(?:ERROR|FATAL|CRITICAL|PANIC|SEVERE)\b|##\[error\]|(?:错误|錯誤|异常|エラー|오류|[Оо]шибка|خطأ|\bFehler|\b[Ee]rreur)(?=[\s:：])/;
const LEVEL_WITHIN = 70;
/** What a compiler says of a place in a file. */
const IN_PLACE = /^[^\s:]{1,200}:\d{1,7}:\d{1,7}: /;
const WARNING =
  /^\s{0,40}(?:[^\s:]{1,200}:\d{1,7}(?::\d{1,7})?:?\s{0,4})?\[?warn(?:ing)?\b|\bWARN(?:ING)?\b/i;
/** Around an output: no part of it. */
const WRAPPER =
  /^(?:exit code|chunk id|wall time|process exited|original token count|output:|command:|<\/?(?:returncode|output)|total output lines)/i;
/** How a command ended, where it did not end well. */
const ENDING =
  /^(?:Process exited with code|Exit code:?|<returncode>|.{0,20}exit(?:ed with)? code:?) ?-?[1-9]/i;

/** What stands in front of the lines of a job of GitHub Actions: job and step, where `gh` prints them, and the time. */
export const JOB_AND_STEP = String.raw`[^\t\n]{1,160}\t[^\t\n]{1,160}\t`;
export const TIME_OF_JOB = String.raw`\uFEFF?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3,9}Z `;
const OF_JOB = `(?:${JOB_AND_STEP})?${TIME_OF_JOB}`;
const BEFORE_JOBS_LINE = new RegExp(`^${OF_JOB}`);
const JOB_FAILED = new RegExp(String.raw`^${OF_JOB}##\[error\]`, 'm');
/** What a step of a job is told to do stands between these, and no other command of the log. */
const STEP = '##[group]Run ';
const STEP_ENDS = '##[endgroup]';
const OF_LOG = '##[';
/** Which test has failed, or which package or file of tests. */
const FAILED_TEST =
  /^(?:--- FAIL: |FAIL(?:ED)?[ \t]{1,4}[\w@.~/\\-]|(?:FAIL|ERROR): \w{1,200} \(|ERROR \S{1,200}::\w|not ok \d|[✗✘×✕●] {1,2}(?!Console\b)\S|\[ {2}FAILED {2}\] \w|test \S{1,200} \.\.\. FAILED$)/;

/** Of a failed run so many lines that mention a failure are told before all others. */
const MOST_TELLING = 6;
/** And so many that name what has failed. */
const MOST_FAILED_TESTS = 20;
const MOST_WARNINGS = 6;
const MOST_MARKED = 60;
const MOST_ENDINGS = 2;
const MOST_LAST = 2;

/** A line that tells a failure is quoted whole, unless it is longer than this. */
const LONGEST_TOLD = 1_000;

/** The places of units that say what went wrong, each list with the most important first. */
type Failures = {
  /** Of a failed run: how it ended, the lines that say so first, those that mention it, its last lines. */
  told: number[];
  /** The other lines that begin as a line about a failure begins. */
  marked: number[];
};

/**
 * Where a text says what went wrong: what a line begins with says so anywhere, a mere word only where
 * the run has failed. What is said twice is told once.
 */
export function failuresIn(source: Source, isFailed: boolean): Failures {
  const marked: number[] = [];
  const begun: number[] = [];
  const telling: number[] = [];
  const announced: number[] = [];
  const endings: number[] = [];
  const last: number[] = [];
  const tests: number[] = [];
  const said = new Set<string>();
  let behindStep = 0;
  for (const [place, unit] of source.units.entries()) {
    if (unit.to - unit.from < 4) continue;
    const line = beginningOf(source, unit);
    const text = saidIn(line);
    if (text === '') continue;
    if (text.startsWith(STEP)) behindStep = endOfStep(source, place) ?? behindStep;
    if (place < behindStep) continue;
    if (isFailed && WRAPPER.test(line)) {
      if (ENDING.test(text)) endings.push(place);
      continue;
    }
    const begins = MARKED.test(text) || (isFailed && beginsAsError(text));
    const isMark = marked.length < MOST_MARKED && (begins || isOfLevel(text));
    const of = isFailed && announcesError(text) ? announced : begins ? begun : telling;
    const tells =
      isFailed && of.length < MOST_TELLING && (begins || (!isAside(text) && tellsFailure(text)));
    if (isFailed) last.push(place);
    if (!isMark && !tells) continue;
    const at = placeBelow(source, place);
    const whole = at === null ? text : text + textOf(source, at);
    if (said.has(whole)) continue;
    said.add(whole);
    if (isFailed && tests.length < MOST_FAILED_TESTS && FAILED_TEST.test(text)) tests.push(place);
    else if (tells) of.push(place);
    else marked.push(place);
  }
  const ends = isFailed ? last.slice(-MOST_LAST) : [];
  // What passes is logged with words of errors, too, and mostly before what has failed.
  const first = [...begun, ...telling, ...announced];
  const whole = [...tests.slice(0, MOST_TELLING), ...first.slice(0, MOST_TELLING)]
    .sort((a, b) => a - b)
    .flatMap((place) => {
      const isPlaced = placeBelow(source, place) !== null;
      return isPlaced ? [place, place + 1] : wholeLine(source, place);
    });
  return {
    told: [...new Set([...endings.slice(0, MOST_ENDINGS), ...whole, ...tests, ...ends])],
    marked: [...first.slice(MOST_TELLING), ...marked],
  };
}

/** Whether a text is the log of a job of GitHub Actions that has failed, or of a step of one. */
export function isLogOfFailedJob(text: string): boolean {
  return JOB_FAILED.test(text);
}

function beginningOf(source: Source, unit: Unit): string {
  return textOf(source, unit)
    .slice(0, 2 * LOOKED_AT)
    .trim();
}

function saidIn(line: string): string {
  return line.replace(BEFORE_JOBS_LINE, '').slice(0, LOOKED_AT).trim();
}

/** Where what a step is told to do ends; null where its end has been left out, as a search leaves it out. */
function endOfStep(source: Source, place: number): number | null {
  for (let at = place + 1; ; at++) {
    const unit = source.units[at];
    if (unit === undefined) return null;
    const text = saidIn(beginningOf(source, unit));
    if (text.startsWith(STEP_ENDS)) return at;
    if (text.startsWith(OF_LOG)) return null;
  }
}

/** Where Rust says on the line below in which file an error is, and Go what a test has said. */
const PLACED = /^\s{0,20}(?:--> \S|\w{1,100}_test\.go:\d{1,6}: )/;

function placeBelow(source: Source, place: number): Unit | null {
  const below = source.units[place + 1];
  return below !== undefined && PLACED.test(textOf(source, below).slice(0, LOOKED_AT))
    ? below
    : null;
}

/** The places of all parts of a line, where it is not too long to be quoted. */
function wholeLine({ units }: Source, place: number): number[] {
  const unit = units[place];
  if (unit === undefined || !unit.isPart) return [place];
  const isSame = (other: Unit | undefined) => other?.isPart === true && other.line === unit.line;
  let first = place;
  while (isSame(units[first - 1]) && unit.to - (units[first - 1]?.from ?? 0) <= LONGEST_TOLD)
    first -= 1;
  const places: number[] = [];
  for (let at = first; isSame(units[at]); at++) {
    if ((units[at]?.to ?? 0) - (units[first]?.from ?? 0) > LONGEST_TOLD) return [place];
    places.push(at);
  }
  return isSame(units[first - 1]) ? [place] : places;
}

function tellsFailure(text: string): boolean {
  return IN_PLACE.test(text) || isOfLevel(text) || mentionsError(text);
}

function isOfLevel(text: string): boolean {
  return LEVEL.test(text.slice(0, LEVEL_WITHIN));
}

/** The places of the units that warn. */
export function warningsIn(source: Source): number[] {
  const found: number[] = [];
  for (const [place, unit] of source.units.entries()) {
    if (found.length === MOST_WARNINGS) break;
    if (WARNING.test(textOf(source, unit).slice(0, LOOKED_AT))) found.push(place);
  }
  return found;
}
