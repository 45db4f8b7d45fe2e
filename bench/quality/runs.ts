import { isJsonObject, stringField } from '../../src/domain/json.ts';
import type { Call } from './conversation.ts';
import { normalised } from './words.ts';

/** The shell command of a call; null when it runs none. */
export function commandOf({ input, name }: Call): string | null {
  if (typeof input === 'string') return name === 'shell' ? input : null;
  if (!isJsonObject(input)) return null;
  for (const key of ['command', 'cmd', 'script']) {
    const command = input[key];
    if (typeof command === 'string') return command;
    if (Array.isArray(command)) return command.filter((word) => typeof word === 'string').join(' ');
  }
  return stringField(input, 'chars') === undefined ? null : '';
}

/** How far from either end of an output an exit code is looked for. */
const END = 500;
const EXIT_CODE =
  /(?:\bexit(?:ed)?(?: with)?[ _](?:code|status)\W{1,4}|\bexited with\W{1,4}|<returncode>\s*|"exit_code"\s*:\s*)(-?\d{1,5})\b/gi;
const NOT_RUN =
  /^(?:The user doesn't want|Permission for this tool use was denied|\[Request interrupted|Command aborted|<tool_use_error>Cancelled|User rejected|aborted by user|The user rejected)/i;
/** What agents whose shell tells no exit code are told. */
const FAILED_WITHOUT_CODE =
  /^Traceback \(most recent call last\)|^Your proposed edit has introduced new syntax error|^exec_command failed|^execution error: |^apply_patch verification failed|: command not found\s*$/m;
/** These say with exit code 1 that they found nothing, or a difference. */
const SEARCHES =
  /^(?:\S*\s*&&\s*)?(?:[\w.=/-]+=\S+\s+)*(?:rg|grep|egrep|fgrep|git grep|diff|git diff|test|\[|find|ls|which|command -v|cmp)\b/;

/** Whether a call failed: the recording's flag, else the exit code, else the words of a shell without one. */
export function hasFailed(call: Call): boolean {
  const { result } = call;
  if (result === null || NOT_RUN.test(result.text.trimStart())) return false;
  const code = exitCode(call);
  if (isEmptySearch(call, code)) return false;
  // What ends without a word, as a search in a pipe does that finds nothing, leaves nothing to tell.
  if (errorLines(result.text, 1, commandOf(call)).length === 0) return false;
  if (result.is_error) return true;
  if (code !== null) return code !== 0;
  return FAILED_WITHOUT_CODE.test(result.text.slice(0, 4_000));
}

/** Whether anything in the recording says that a call did not end well, a search without a find included. */
export function endedBadly(call: Call): boolean {
  return call.result !== null && (call.result.is_error || (exitCode(call) ?? 0) !== 0);
}

function isEmptySearch(call: Call, code: number | null): boolean {
  const command = commandOf(call);
  return code === 1 && command !== null && SEARCHES.test(lastCommand(command));
}

/** In `cd x && rg y` and in a pipe the code is that of the last part. */
function lastCommand(command: string): string {
  return (command.split(/&&|\||;|\n/).at(-1) ?? '').trim();
}

/** Only a shell tells one: what a file or a page says of codes is its content. */
function exitCode(call: Call): number | null {
  const text = call.result?.text ?? '';
  if (commandOf(call) === null) return null;
  const ends = text.length > 2 * END ? `${text.slice(0, END)}\n${text.slice(-END)}` : text;
  const [first] = ends.matchAll(EXIT_CODE);
  return first?.[1] === undefined ? null : Number(first[1]);
}

const TELLS_ERROR =
  /error|exception|panic|fatal|fail|denied|not found|cannot|can't|could not|no such|does not exist|invalid|undefined|unexpected|refused|timed? ?out|abort|unknown|illegal|missing|not defined/i;
/** What a file is called says nothing of how it went: `runtime/panic.go:783` stands below every panic of Go. */
const FILE = /[^\s"'(]*\/[^\s"'(]*\.\w{1,5}\b/g;
const FRAME =
  /^(?:exit code|chunk id|wall time|process exited|original token count|output:|command:|<\/?(?:returncode|output)|total output lines|\(no output\)$|\[rerun: \w+\]$|command exited with)/i;

/** How compilers and tests begin a line about an error; passing tests are logged with the same words. */
const MARKED =
  /^(?:\S{0,200}(?::\d+:\d+:?|\(\d+,\d+\):) )?(?:\[?(?:error|ERROR|Error)\b(?!\])|FAIL|--- FAIL|not ok\b|[×✕✗✘]|E {2,}|[A-Z]\w*(?:Error|Exception):)/;
/** What colours a terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the character is what is looked for
const COLOUR = /\u001b(?:\[[\d;]{0,20}m|\(B)/g;
/** A test that passed, and a place in a stack. */
const SAYS_NOTHING =
  /^(?:[✓✔√] |ok {1,2}\d|PASS\b|=== RUN )|^test \S{1,200} \.\.\. ok$| (?:PASSED(?: {1,3}\[ {0,2}\d{1,3}%\])?|SKIPPED)$|^at .{0,300}:\d+:\d+\)?$/;

/**
 * The lines of a result that say what went wrong, at most `most`, those that begin so first; its last
 * lines when none does. What a command was told to echo, such as a heading, says nothing. `command` is
 * null for a tool that runs none: such a tool says first why it failed, and may quote what it was given.
 */
export function errorLines(text: string, most: number, command: string | null): string[] {
  const lines = text
    .replaceAll(COLOUR, '')
    .split('\n')
    .map((line) => line.replace(/<\/?[a-z_]+>/g, ' ').trim())
    .filter((line) => line.length > 3 && !FRAME.test(line))
    .filter((line) => !command?.includes(`echo "${line}"`) && !command?.includes(`echo '${line}'`));
  const telling = lines.filter(
    (line) =>
      line.length <= 2_000 &&
      !SAYS_NOTHING.test(line) &&
      (MARKED.test(line) || TELLS_ERROR.test(line.replace(FILE, ' '))),
  );
  if (telling.length === 0) return command === null ? lines.slice(0, 2) : lines.slice(-2);
  const marked = telling.filter((line) => MARKED.test(line));
  const first = command === null ? lines.slice(0, 1) : [];
  return [...new Set([...first, ...marked, ...telling])].slice(0, most);
}

/** What tells one run from another: its command without what only shapes its output, or its tool and file. */
export function runKey(call: Call): string {
  const command = commandOf(call);
  if (command !== null && command !== '') return normalised(core(command));
  const { input, name } = call;
  const path = isJsonObject(input)
    ? (stringField(input, 'file_path') ?? stringField(input, 'path'))
    : '';
  return `${name} ${path ?? normalised(JSON.stringify(input)).slice(0, 400)}`;
}

function core(command: string): string {
  return command
    .replace(/^\s*cd\s+\S+\s*(?:&&|;)\s*/, '')
    .replace(/\s*2>&1/g, '')
    .replace(/(?:\s*\|\s*(?:tail|head|grep|rg)\b[^|\n]*)+$/, '')
    .replace(/^(?:env\s+)?(?:[A-Z_]+=\S+\s+)*/, '');
}
