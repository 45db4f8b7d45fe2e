import { JOB_AND_STEP, TIME_OF_JOB } from './failures.ts';
import { type Source, textOf } from './source.ts';

/** What a text can be. */
export type Kind =
  | 'base64'
  | 'code'
  | 'diff'
  | 'html'
  | 'listing'
  | 'log'
  | 'prose'
  | 'search'
  | 'table'
  | 'tests';

/** The call that a result answers, as far as it tells what the result can be. */
export type Asked = {
  tool: string;
  /** The file that it was asked for alone. */
  path: string | null;
  /** The run did not work. */
  isFailed: boolean;
};

/** Lines that are looked at, from the beginning and from all over the text. */
const SAMPLE = 160;
/** How far a line is looked at. */
const LOOKED_AT = 300;

/** What tools and their programs put in front of an output. */
const WRAPPER =
  /^(?:Command: |Chunk ID: |Wall time: |Exit code: ?-?\d|Process (?:exited|running) |Original token count: |Total output lines: |Output:$|<returncode>|<\/?output>|<(?:path|content|file|type)>|Here's the result of running |The file \S{1,400} has been updated|\[File: |\(\d{1,9} more lines )/;
const MOST_WRAPPERS = 12;

/** The place of the first unit that is no word of the program around the output. */
export function startOfOutput(source: Source): number {
  let start = 0;
  for (let place = 0; place < Math.min(MOST_WRAPPERS, source.units.length); place++) {
    const unit = source.units[place];
    if (unit !== undefined && WRAPPER.test(textOf(source, unit).slice(0, LOOKED_AT))) {
      start = place + 1;
    }
  }
  return start;
}

const DIFF =
  /^(?:diff --git |@@ -\d{1,9}(?:,\d{1,9})? \+\d{1,9}(?:,\d{1,9})? @@|\*\*\* (?:Update|Add|Delete) File: )/;
const HTML =
  /<\/?(?:!doctype|html|head|body|div|span|p|a|ul|ol|li|h[1-6]|table|tr|td|script|style|meta|link|img|section|nav|br|form|input|button)\b[^<>]{0,200}>?/i;
const HTML_START = /^\s{0,40}<(?:!doctype html|html|head|body)\b/i;
/** `path:12:text`, `path-12-text`, and Windows' paths. */
const FOUND = /^(?:[A-Za-z]:)?[^\s:]{1,300}(?::\d{1,9}[:\s]|-\d{1,9}-)/;
/** Below the name of a file, `12:text`. */
export const FOUND_BELOW = /^\d{1,9}[:-]/;
const FILE_ALONE =
  /^(?:\.{0,2}\/|[A-Za-z]:\\)?[\w@.~+()[\]-]{1,120}(?:[\\/][\w@.~+()[\] -]{1,120}){0,40}[\\/]?$/;
const LONG_LISTING = /^(?:[-dlbcps][rwxsStT-]{9}[.+@]?\s|total \d{1,12}$)/;
const TREE = /^[\s│|]{0,80}(?:├|└|\|--|`--)/;
const STATUS = /^(?:[ MADRCU?!]{2} |[MADRCU]\t)\S/;
const TESTS =
  /^\s{0,12}(?:(?:PASS|FAIL|ok|not ok|SKIP)\b|--- (?:PASS|FAIL|SKIP)|=== (?:RUN|PAUSE|CONT|NAME)|[✓✔✗✘×↓❯]|Tests?:? |Test (?:Suites|Files)|test \S{1,200} \.\.\. |\d{1,7} (?:passed|failed|passing|failing)|\S{1,300}::\S{1,300} (?:PASSED|FAILED|SKIPPED|ERROR)|\S{1,300}\.py [.FEsx]{1,200})/;
const LOGGED = new RegExp(
  String.raw`^\s{0,8}(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|${JOB_AND_STEP}${TIME_OF_JOB}|\[?\d\d:\d\d:\d\d|\d{4}/\d\d/\d\d \d\d:|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|\[?(?:DEBUG|INFO|WARN|WARNING|ERROR|TRACE|NOTICE|FATAL)\b|\{"(?:level|time|ts|timestamp)")`,
);
const CODE_END = /[{};]\s*(?:\/\/.{0,120})?$|\)\s*(?:->.{0,60})?[:{]$|=>\s*[({]?$|[([,]$/;
const CODE_START =
  /^\s{0,60}(?:import|from|export|def|class|function|func|fn|pub|const|let|var|return|if|else|elif|for|while|switch|case|try|catch|except|finally|with|raise|throw|#include|#define|package|use|using|struct|enum|interface|impl|type|public|private|protected|static|async|await|@\w{1,60}|\/\/|\/\*|\*|#)(?:\b|$|\s)/;
/** The number that a tool writes before a line. */
export const NUMBERED = /^ {0,6}\d{1,7}(?:→|\t|: |\||\. )/;
/** Words one after the other, or signs of a script without spaces. */
const SENTENCE = /\p{L},? \p{L}{1,40},? \p{L}{1,40},? \p{L}|[\u3040-\u30ff\u4e00-\u9fff]{8}/u;
const BULLET = /^\s{0,20}(?:#{1,6} |[-*+] |\d{1,3}[.)] |> )/;

const CODE_ENDINGS =
  /\.(?:[cm]?[jt]sx?|py|go|rs|java|kt|kts|c|h|cc|cpp|hpp|cs|rb|php|swift|scala|sh|bash|zsh|lua|pl|r|sql|vue|svelte|ex|exs|erl|hs|ml|dart|proto|css|scss|less|graphql|tf|zig|nix|clj)$/i;
const PROSE_ENDINGS = /\.(?:md|mdx|txt|rst|adoc|tex)$/i;
const LISTS = /glob|^ls$|list_?(?:dir|files)|^find/i;
const READS = /^(?:read|view|open|cat)|read_?file|readfile/i;

/** Not the web, where that is named behind it. */
function searches(tool: string): boolean {
  const name = tool.toLowerCase();
  return /grep|^rg$/.test(name) || name.lastIndexOf('search') > name.lastIndexOf('web');
}

/** Whether a tool shows what is there; what stands in it is no outcome of a run. */
export function showsWhatIs(tool: string): boolean {
  return READS.test(tool) || searches(tool) || LISTS.test(tool);
}

/** What a text is, told from its lines; the tool decides where they leave it open. */
export function kindOf(source: Source, start: number, { tool, path, isFailed }: Asked): Kind {
  const text = sampled(source, start, true);
  const share = (test: (line: string) => boolean) =>
    text.length === 0 ? 0 : text.filter(test).length / text.length;
  const has = (pattern: RegExp) => share((line) => pattern.test(line));
  const isRead = READS.test(tool);
  if (isBase64(source, start)) return 'base64';
  if (isRead && path !== null && CODE_ENDINGS.test(path)) return 'code';
  if (isHtml(sampled(source, start, false))) return 'html';
  if (share((line) => DIFF.test(line)) > 0 && share((line) => /^[-+ @]/.test(line)) > 0.6)
    return 'diff';
  if (text.some((line) => /^diff --git /.test(line))) return 'diff';
  if (isRead && path !== null && PROSE_ENDINGS.test(path)) return 'prose';
  // What stands on a few long lines has no form that lines would show.
  if (text.length === 0) return 'prose';
  const numbered = has(NUMBERED);
  if (numbered < 0.7) {
    if (has(LOGGED) > 0.3) return 'log';
    if (
      has(FOUND) > 0.5 ||
      has(FOUND_BELOW) > 0.8 ||
      (searches(tool) && has(FOUND) + has(FOUND_BELOW) > 0.4)
    )
      return 'search';
    if (has(LONG_LISTING) > 0.5 || has(TREE) > 0.5 || has(STATUS) > 0.7) return 'listing';
    if (has(FILE_ALONE) > (LISTS.test(tool) || searches(tool) ? 0.5 : 0.85)) return 'listing';
    if (has(TESTS) > 0.15) return 'tests';
    if (columnsOf(text) !== null) return 'table';
  }
  const plain = numbered >= 0.7 ? text.map((line) => line.replace(NUMBERED, '')) : text;
  const code = plain.filter((line) => CODE_END.test(line) || CODE_START.test(line)).length;
  const prose = plain.filter((line) => SENTENCE.test(line) || BULLET.test(line)).length;
  if (isFailed && !isRead) return 'log';
  if (code > 0.35 * plain.length && code > prose * 0.8) return 'code';
  if (isRead || prose > 0.35 * plain.length) return 'prose';
  return numbered >= 0.7 ? 'code' : 'log';
}

function isHtml(lines: readonly string[]): boolean {
  const tags = lines.filter((line) => HTML.test(line)).length;
  return lines.slice(0, 3).some((line) => HTML_START.test(line)) || tags > 0.5 * lines.length;
}

/** Lines that are not empty, from the beginning and evenly from the rest; parts of lines if asked. */
function sampled(source: Source, start: number, isWhole: boolean): string[] {
  const { units } = source;
  const rest = Math.max(1, Math.floor((units.length - start - SAMPLE / 2) / (SAMPLE / 2)));
  const lines: string[] = [];
  for (let place = start; place < units.length; place += place - start < SAMPLE / 2 ? 1 : rest) {
    const unit = units[place];
    if (unit === undefined || (isWhole && unit.isPart)) continue;
    const line = textOf(source, unit).slice(0, LOOKED_AT);
    if (line.trim() !== '') lines.push(line);
  }
  return lines;
}

/** A text of nothing but base64, or of lines most of which are. */
function isBase64({ text, units }: Source, start: number): boolean {
  const from = units[start]?.from ?? 0;
  const sample = text.slice(from, from + 4_000).replace(/^data:[\w/+.;=-]{1,100},/, '');
  const longest = sample.split(/[\r\n]+/, 200).filter((line) => line !== '');
  if (sample.length < 400 || longest.length === 0) return false;
  const encoded = longest.filter(
    (line) => line.length >= 40 && /^[A-Za-z0-9+/_-]{1,4000}={0,2}$/.test(line),
  );
  const isMixed = /[A-Z]/.test(sample) && /[a-z]/.test(sample);
  return isMixed && encoded.length >= Math.max(1, longest.length - 1);
}

/** The line below the heading, as databases and Markdown draw it. */
const DIVIDER = /^(?=.{0,400}---)(?=.{0,400}[|+])[\s|+:=-]{3,400}$/;
/** A heading over columns that blanks keep apart, as `kubectl get` and `docker ps` write it. */
const HEADING = /^(?=.{0,300}\S {2,}\S.{0,300} {2}\S)[A-Z][A-Z0-9 _()%/.-]{4,300}$/;

/** The sign that divides the lines into columns, and how many there are; null for no table. */
export function columnsOf(
  lines: readonly string[],
): { sign: string | RegExp; columns: number } | null {
  const isDrawn = lines.some((line) => DIVIDER.test(line));
  const signs = HEADING.test(lines[0] ?? '') ? [/ {2,}/] : ['\t', '|', ',', ';'];
  for (const sign of signs) {
    const counts = new Map<number, number>();
    for (const line of lines) {
      const columns = line.split(sign, 200).filter((cell) => cell.trim() !== '').length;
      counts.set(columns, (counts.get(columns) ?? 0) + 1);
    }
    const [columns = 1, often = 0] = [...counts].reduce(
      (most, one) => (one[1] > most[1] ? one : most),
      [1, 0],
    );
    const least = sign === ',' ? 4 : sign === '|' && isDrawn ? 2 : 3;
    if (columns >= least && often >= 0.8 * lines.length && lines.length >= 4)
      return { sign, columns };
  }
  return null;
}
