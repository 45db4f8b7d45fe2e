import { OF_CONTAINER, OF_TASK } from '../error-lines.ts';
import { withoutTerminalCodes } from '../text.ts';

/** Characters from the end of an output that are read. */
const LOOKED_AT = 60_000;
const FAILURE = new RegExp(
  String.raw`^(?:${OF_CONTAINER} {0,2}|${OF_TASK} {0,2})?(?: ?FAIL(?:ED)?\b|--- FAIL|=+ .{0,100}\b[1-9]\d* (?:failed|errors?)\b| {0,8}Tests?:? .{0,60}\b[1-9]\d* (?:failed|failing)\b|[^\S\n]{0,20}[1-9]\d* failing\b|[1-9]\d* (?:failed|errors?)\b.{0,100} in \d[\d.]{0,12}s\b| {1,2}[1-9]\d* fail(?:ed)?$|[#ℹ] fail [1-9]|test result: FAILED|Failed! |(?:FAILURES|ERRORS)!|Tests: \d+, Assertions: .{0,80}(?:Errors|Failures): [1-9]|[1-9]\d* errors?$|│ Error: |(?:vet: )?[\w./-]{1,200}\.go:\d{1,6}:\d{1,6}: |.{1,300}:\d+: (?:fatal )?error: |\d+% tests passed, [1-9]\d* tests? failed|\d+ (?:examples?|runs|(?:doc)?tests?), .{0,40}\b[1-9]\d* (?:failures?|errors?)\b|✖ \d+ problems? \([1-9]\d* errors?\b|error(?:\[\w+\])?: |.{1,300}\(\d+,\d+\): error |.{1,300}:\d+:\d+:?(?: -)? (?:fatal )?error\b|make: \*\*\*|npm (?:ERR!|error) |[ \u2009]?ELIFECYCLE\b|ERROR: |B(?:UILD|uild) FAILED|\[(?:INFO|ERROR)\] {1,2}(?:BUILD FAILURE|Failed to execute goal |COMPILATION ERROR|There are test failures)|exit status [1-9]\d{0,2}$)`,
  'm',
);

/** Whether an output ends as runs of tests and compilers sum up a failure, which a pipe hides from the exit code. */
export function sumsUpFailure(text: string): boolean {
  return FAILURE.test(withoutTerminalCodes(text.slice(-LOOKED_AT)));
}
