import { OF_CONTAINER, OF_TASK } from '../error-lines.ts';
import { withoutTerminalCodes } from '../text.ts';

/** Characters from the end of an output that are read. */
const LOOKED_AT = 60_000;
/** How they do in C++, Bazel, Swift, Elixir, PHP, R, Scala, Dart, Haskell, Clojure, Perl and Solidity, and of hooks, images, hosts, firmware and Vite. */
const OF_OTHERS = [
  String.raw`\[ {1,2}FAILED {1,2}\] [1-9]\d* tests?\b|CMake Error\b|-- Configuring incomplete, errors occurred!`,
  String.raw`Executed \d+ out of \d+ tests?: .{0,80}\b[1-9]\d* fails?\b|.{1,4} Test run with .{1,60} failed\b`,
  String.raw`\*\* (?:\(\w{1,60}Error\)|(?:TEST|BUILD) FAILED \*\*)| {0,2}\[ERROR\] Found [1-9]\d* errors?\b|Found [1-9]\d* errors?(?:\.(?: Watching .{1,60})?| in .{1,300}| \(\d+ fixed, [1-9]\d* remaining\)\.?)?$|.{0,80}Test suite failure for package `,
  String.raw`\[ FAIL [1-9]\d* \||Status: [1-9]\d* ERROR|\[error\] (?:Failed tests:|\(.{1,80}\) .{0,80}Exception)`,
  String.raw`\d\d:\d\d .{1,40}: Some tests failed\.| {1,4}(?:error|warning) [-•] .{1,300} [-•] \w{1,80}$|\d+ of \d+ test suites \(.{1,60}\) failed\.`,
  String.raw`[1-9]\d* failures, \d+ errors\.|0 failures, [1-9]\d* errors\.|Result: FAIL$`,
  String.raw`Suite result: FAILED\b|Encountered a total of [1-9]\d* failing|Executed \d+ of \d+ .{0,40}\b[1-9]\d* FAILED`,
  String.raw`Error: [1-9]\d* chart\(s\) linted, [1-9]|(?:target \S{1,100}: )?failed to solve: |(?<hook>[^.\n](?:.{0,89}[^.\n])?)\.{20,100}Failed$(?![\s\S]{0,4000}^\k<hook>\.{20,100}Passed$)|\S{1,100} +: ok=\d.{0,80}\b(?:unreachable|failed)=[1-9]`,
  String.raw` {0,4}✖ {1,4}\d+(?:/| of )\d+ failed\b| {2}\S{1,60}: FAIL code \d|nox > Session \S{1,80} failed|Failed: {2,8}\S{1,80}#\S|Fail: +[1-9]|\d+ success(?:es)? / [1-9]\d* failures?\b|=+ \[FAILED\] Took [\d.]+ seconds =+|error during build:$|[x✗] Build failed in [\d.]+m?s$|[ \u2009]{0,2}ERR_PNPM_[A-Z_]{2,60}\b`,
].join('|');
const FAILURE = new RegExp(
  String.raw`^(?:${OF_CONTAINER} {0,2}|${OF_TASK} {0,2})?(?: ?FAIL(?:ED)?\b|--- FAIL|=+ .{0,100}\b[1-9]\d* (?:failed|errors?)\b| {0,8}Tests?:? .{0,60}\b[1-9]\d* (?:failed|failing)\b|[^\S\n]{0,20}[1-9]\d* failing\b|[1-9]\d* (?:failed|errors?)\b.{0,100} in \d[\d.]{0,12}s\b| {1,2}[1-9]\d* (?:fail(?:ed)?|errors?)$|[#ℹ] (?:(?:fail|cancelled) [1-9]|Error: [\d.]{1,9}% \w{1,20} coverage does not meet )|Jest: .{1,300} coverage threshold .{1,100} not met\b|test result: FAILED|Failed! |(?:FAILURES|ERRORS)!|Tests: \d+, Assertions: .{0,80}(?:Errors|Failures): [1-9]|[1-9]\d* errors?$|│ Error: |(?:vet: )?[\w./-]{1,200}\.go:\d{1,6}:\d{1,6}: |.{1,300}:\d+: (?:fatal )?error: |\d+% tests passed, [1-9]\d* tests? failed|\d+ (?:examples?|runs|(?:doc)?tests?), .{0,40}\b[1-9]\d* (?:failures?|errors?)\b|✖ \d+ problems? \([1-9]\d* errors?\b|error(?:\[\w+\])?: |.{1,300}\(\d+,\d+\): error |.{1,300}:\d+:\d+:?(?: -)? (?:fatal )?error\b|make: \*\*\*|npm (?:ERR!|error) |[ \u2009]?ELIFECYCLE\b|ERROR: |B(?:UILD|uild) FAILED|\[(?:INFO|ERROR)\] {1,2}(?:BUILD FAILURE|Failed to execute goal |COMPILATION ERROR|There are test failures|\[Help 1\] http|Re-run Maven using the -X switch)|exit status [1-9]\d{0,2}$|${OF_OTHERS})`,
  'm',
);

/** What loggers print of a failure that a test asks for, and programs of one that ends them; others say so. */
const LOGGED = /^(?:error|ERROR): (?!script "|"|could not compile|Recipe |Coverage )/gm;
/** How bun and Jest end where no test and no file has failed: both count what has. */
const ALL_PASSED = new RegExp(
  [
    String.raw`^ {0,2}[1-9]\d* pass\n(?: {0,2}\d+ (?:skip|todo|filtered out)\n)* {0,2}0 fail\n(?: {0,2}(?:\d+ snapshots, )?\d+ expect\(\) calls\n)?Ran \d+ tests? across \d+ files?\..{0,40}\s*(?![\s\S])`,
    String.raw`^Test Suites: +(?:\d+ skipped, )?[1-9]\d* passed, .{1,40} total\nTests: +(?:\d+ (?:skipped|todo), )*[1-9]\d* passed, \d+ total\n(?:(?:Snapshots|Time): .{1,80}\n)*(?:Ran all test suites.{0,400})?\s*(?![\s\S])`,
  ].join('|'),
  'm',
);

/** Whether an output ends as runs of tests and compilers sum up a failure, which a pipe hides from the exit code. */
export function sumsUpFailure(text: string): boolean {
  return FAILURE.test(withoutTerminalCodes(text.slice(-LOOKED_AT)));
}

/** Whether the output of one run, which looks as `sumsUpFailure` says, has only logged what its tests ask for. */
export function countsAllPassed(text: string): boolean {
  const end = withoutTerminalCodes(text.slice(-LOOKED_AT));
  return ALL_PASSED.test(end) && !FAILURE.test(end.replaceAll(LOGGED, ' '));
}
