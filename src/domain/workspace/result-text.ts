import { codeHeaderOf } from '../items/code-mode/header.ts';
import type { ToolResult } from '../items/item.ts';
import { resultText } from '../items/message-text.ts';
import { splitReminders } from '../items/reminders.ts';
import { remembering } from '../remember.ts';
import { withoutTerminalCodes } from '../text.ts';
import { commandsOfCline, failureOfCline } from './cline-results.ts';
import { isDigest } from './digest-mark.ts';
import { isRecallNote } from './recall-mark.ts';
import { withoutShellStart } from './shell/start.ts';
import { type Ended, endedInCodex, endedInJson, endedInWords, failureInJson } from './told-exit.ts';

/** What a tool has answered, without what its program wraps around it. */
export type Answer = {
  text: string;
  /** It did not work, or the user did not let it. */
  isFailed: boolean;
  /** The program has left out a part of the text. */
  isShortened: boolean;
  /** It was still running when the program answered. */
  isUnfinished: boolean;
  /** It was not carried out: the user, or a rule, did not let it. */
  isRefused: boolean;
  /** The text has been taken away since; a note or a digest stands in its place. */
  isCleared: boolean;
};

/** The marks that programs leave where they have left something out. */
const LEFT_OUT =
  /^<persisted-output>\n|^Output too large to read at once \(|…\d{1,12} (?:tokens|chars|characters|lines|bytes) truncated…|\[\.\.\. ?(?:omitted|\d{1,12} (?:lines|characters)|output) [^\n\]]{0,100}\]|\.\.\. \[\d{1,12} (?:lines|characters|chars) truncated\] \.\.\.|<elided_chars>|<response clipped>|\[(?:output|file content|result)[^\n\]]{0,40} truncated|\[Truncated|\n\(Results? truncated|\[… about \d{1,12} tokens left out …\]/i;

const CODEX =
  /^(?:Command: [\s\S]*?\n)?(?:Chunk ID: \w{1,40}\n)?(?:Exit code: (-?\d{1,10})\n)?Wall time: [\d.]{1,20} (?:seconds|s)\n(?:Process exited with code (-?\d{1,10})\n|Process running with session ID [\w.-]{1,60}\n)?(?:Original token count: \d{1,12}\n)?(?:Total output lines: \d{1,12}\n)?Output:\n/;
/** Where the user has broken a command off, Codex says that in place of an output. */
const ABORTED = /^Wall time: [\d.]{1,20} (?:seconds|s)\n(?=aborted by user)/;
/** What Kimi Code writes above a result: how long some tools took, that it failed, or that there is none. */
const KIMI =
  /^(?=Wall time: |<system>)(?:Wall time: \d{1,9}\.\d{3} seconds(?:\n|$))?(?:(<system>ERROR: Tool execution failed\.)(?: Tool output is empty\.)?<\/system>(?:\n|$)|<system>Tool output is empty\.<\/system>(?:\n|$))?/;
/**
 * What Continue, Droid, Strands and VS Code write in front of what a tool that failed has said. In a log lines of
 * other levels follow.
 */
const FAILED =
  /^(?:\[ERROR\] (?=Error: |(?:CONFIRMATION_FAILED|DENIED|GUIDANCE): )(?![\s\S]*\n\[[A-Z]{4,8}\] )|Error executing tool [\w.-]{1,100}: (?:Error \(exit code -?\d{1,10}\): )?|ERROR while calling tool: (?:Error: )?|Error: Command failed \(exit code: -?\d{1,10}\)\n)/;
const MINI = /^<returncode>(-?\d{1,10})<\/returncode>\s{0,4}/;
/** What Antigravity says of a command, before its output. */
const ANTIGRAVITY =
  /^\s{0,20}The command (?:completed successfully\.|failed with exit code: (-?\d{1,10}))\n\s{0,20}(?:Output:\n[\t ]{0,20}|Stdout:\n\s{0,20}Stderr:\n\s*)/;
/** What Roo Code says of a command, before its output. */
const ROO =
  /^Command executed in terminal\b[^\n]{0,4200}?(?:\nExit code|\. Exit code): (-?\d{1,10})\n(?:Output:\n)?/;
/** What Nanocoder writes above what a command has printed. */
const NANOCODER = /^EXIT_CODE: (-?\d{1,10})\n(?:STDERR:\n)?/;
/** What programs write at the end of an output, with its exit code. */
const END_NOTES: readonly RegExp[] = [
  /\n?<(?:shellId: \w{1,40} completed|exited) with exit code (-?\d{1,10})>\s*$/,
  /\n{0,2}Command exited with code (-?\d{1,10})\s*$/,
  /\n?\[(?:The c|C)ommand (?:completed|finished) with exit code (-?\d{1,10})\.?\]\s*$/,
];

/** `isTold`: its program says how it ended. */
export type Told = Answer & { isTold: boolean };

/** The text of a result, read as `Answer` says. Failures are told from their words where no flag is. */
export const answerOf: (result: ToolResult) => Readonly<Told> = remembering((result) =>
  read(result, unwrapped(textOf(result))),
);

/**
 * The same where the call is known: `script` is what a command ran, null for other tools. What neither a
 * flag nor a known program says of how it ended may stand in words that the script has not printed.
 */
export function answerTo(script: string | null, result: ToolResult): Readonly<Told> {
  const answer = answerOf(result);
  if (answer.isTold || answer.isCleared) return answer;
  if (script !== null) {
    const inJson = commandsOfCline(answer.text) ?? endedInJson(answer.text, script);
    const ended = inJson ?? (answer.isFailed ? null : endedInWords(answer.text, script));
    return ended === null ? answer : readAnew(result, ended, answer);
  }
  if (answer.isFailed || answer.text.length > LONGEST_FAILURE) return answer;
  const failure = failureOfCline(answer.text) ?? failureInJson(answer.text);
  return failure === null ? answer : readAnew(result, { text: failure, hasFailed: true }, answer);
}

/** What is known of the whole answer holds for what stands in it. */
function readAnew(result: ToolResult, ended: Ended, whole: Answer): Readonly<Told> {
  const isCut = ended.isCut || whole.isShortened;
  return read(result, { ...ended, isCut, isRunning: whole.isUnfinished });
}

/** What Claude Code puts behind an error where the model could not know what the tool takes. */
const OF_SCHEMA = [
  "\n\nThis tool's input schema was not in your prompt when you called it.",
  "\n\nThis tool's schema was not sent to the API ",
];

/** What a result says, without what Claude Code has put behind it. */
function textOf(result: ToolResult): string {
  const text = withoutReminders(resultText(result).replaceAll('\r\n', '\n'));
  const note = result.is_error ? Math.max(...OF_SCHEMA.map((one) => text.lastIndexOf(one))) : -1;
  return note > 0 ? text.slice(0, note) : text;
}

function read(result: ToolResult, ended: Ended): Readonly<Told> {
  const raw = resultText(result);
  const { text, hasFailed, isCut = false, isRunning = false } = ended;
  const total = /^Total output lines: \d{1,12}\n\n?/.exec(text);
  const body = total === null ? text : text.slice(total[0].length);
  const isFailed = result.is_error || hasFailed === true || tellsFailure(body);
  return {
    text: body,
    isFailed,
    isShortened: isCut || total !== null || LEFT_OUT.test(body),
    isUnfinished: isRunning,
    isRefused: isFailed && tellsRefusal(body),
    isCleared: isDigest(raw) || isRecallNote(raw) || isNote(body),
    isTold: hasFailed !== null,
  };
}

/** Whether Codex could not even start the command, as where its sandbox fails: nothing of it was done. */
export function isUnstarted({ text }: Pick<Answer, 'text'>): boolean {
  const isOfSandbox =
    /^exec_command failed(?: for |: )/.test(text) && text.includes(': CreateProcess {');
  return isOfSandbox || text.startsWith('execution error: ');
}

/** Whether what has failed was not let be carried out. */
function tellsRefusal(body: string): boolean {
  const opening = body.slice(0, LONGEST_FAILURE).trimStart();
  return !wasStopped(body) && REFUSALS.some((pattern) => pattern.test(opening));
}

/** Claude Code corrects itself so where the user has stopped a call that was running. */
const STOPPED =
  /^The user doesn't want to proceed with this tool use\.[^\n]{1,300} Correction to the text above: this call was stopped while running, /;

export function wasStopped(text: string): boolean {
  return STOPPED.test(text);
}

/** The part of a shortened text in front of the first mark, whole lines only. */
export function beforeCut(text: string): string {
  const mark = LEFT_OUT.exec(text);
  if (mark === null) return text;
  const line = text.lastIndexOf('\n', mark.index + (mark[0].startsWith('\n') ? -1 : 0));
  return line === -1 ? '' : text.slice(0, line + 1);
}

/** A result that is nothing but such blocks says something of its file. */
function withoutReminders(text: string): string {
  const own = splitReminders(text).text;
  return own.trim() === '' ? text : own;
}

/**
 * What a tool itself has shown, without what Codex writes above it, such as the id of a piece of output, and
 * what Claude Code writes behind a picture, which is all the text that its result has.
 */
export function shownBy(result: ToolResult): string {
  const text = splitReminders(textOf(result)).text;
  return text.slice(CODEX.exec(text)?.[0].length ?? 0);
}

function unwrapped(text: string): Ended {
  const json = endedInCodex(text);
  if (json !== null) return json;
  const script = codeHeaderOf(text);
  if (script !== null) {
    const { state, length } = script;
    const isRunning = state === 'running';
    const hasFailed = state === 'failed' ? true : null;
    return { text: text.slice(length).trimStart(), hasFailed, isCut: isRunning, isRunning };
  }
  const gemini = text.startsWith('Command: ') ? ofGemini(text) : null;
  if (gemini !== null) return gemini;
  const codex = /^(?:Command|Chunk ID|Exit code|Wall time): /.test(text) ? CODEX.exec(text) : null;
  if (codex !== null) {
    const code = codex[2] ?? codex[1];
    // A command that still runs has not shown all of its output.
    const isRunning = codex[0].includes('\nProcess running with session ID ');
    return {
      text: text.slice(codex[0].length),
      hasFailed: code === undefined ? null : Number(code) !== 0,
      isCut: isRunning,
      isRunning,
    };
  }
  const kimi = KIMI.exec(text);
  if (kimi !== null && kimi[0] !== '') {
    return { text: text.slice(kimi[0].length), hasFailed: kimi[1] === undefined ? null : true };
  }
  const failed = FAILED.exec(text);
  if (failed !== null) return { text: text.slice(failed[0].length), hasFailed: true };
  const aborted = ABORTED.exec(text);
  if (aborted !== null) return { text: text.slice(aborted[0].length), hasFailed: null };
  const mini = MINI.exec(text);
  if (mini !== null) return ofMini(text.slice(mini[0].length), Number(mini[1]) !== 0);
  const antigravity = ANTIGRAVITY.exec(text);
  if (antigravity !== null) {
    return {
      text: text.slice(antigravity[0].length),
      hasFailed: Number(antigravity[1] ?? 0) !== 0,
    };
  }
  const roo = ROO.exec(text);
  if (roo !== null) return { text: text.slice(roo[0].length), hasFailed: Number(roo[1]) !== 0 };
  const nanocoder = NANOCODER.exec(text);
  if (nanocoder !== null) {
    const output = text.slice(nanocoder[0].length).replace(/\nSTDOUT:\n$/, '');
    return { text: output, hasFailed: Number(nanocoder[1]) !== 0 };
  }
  const end = text.slice(-200);
  for (const note of END_NOTES) {
    const found = note.exec(end);
    if (found === null) continue;
    return {
      text: text.slice(0, text.length - found[0].length),
      hasFailed: Number(found[1]) !== 0,
    };
  }
  return { text, hasFailed: null };
}

/** What Gemini CLI writes of a command: lines with names, the output between two of them. */
function ofGemini(text: string): Ended | null {
  const start = /\nDirectory: [^\n]{0,4096}\n(?:Output|Stdout): /.exec(text);
  const end = text.lastIndexOf('\nExit Code: ');
  if (start === null || end === -1) return null;
  const from = start.index + start[0].length;
  const error = Math.max(text.lastIndexOf('\nError: ', end), text.lastIndexOf('\nStderr: ', end));
  if (error < from - 1) return null;
  const output = text.slice(from, Math.max(from, error));
  const code = /^-?\d{1,10}/.exec(text.slice(end + '\nExit Code: '.length))?.[0];
  return { text: output === '(empty)' ? '' : output, hasFailed: Number(code ?? 0) !== 0 };
}

const HEAD = '<output_head>';

function ofMini(text: string, hasFailed: boolean): Ended {
  const whole = /^<output>\n?([\s\S]*?)<\/output>\s*$/.exec(text);
  if (whole !== null) return { text: whole[1] ?? '', hasFailed };
  const start = text.indexOf(HEAD);
  const end = start === -1 ? -1 : text.indexOf('</output_head>', start);
  const head = end === -1 ? '' : text.slice(start + HEAD.length, end);
  return { text: head.startsWith('\n') ? head.slice(1) : head, hasFailed, isCut: true };
}

/** Beginnings of answers that say that something did not work, as tools and programs word them. */
const FAILURES: readonly RegExp[] = [
  /^<(?:tool_use_)?error>/i,
  /^(?:[A-Z]\w{0,40})?(?:Error|Exception)(?: \[?\w{1,40}\]?)?: /,
  /^(?:error|fatal|panic)(?:\[\w{1,20}\])?: /i,
  /^Error (?:reading|executing|calling|running|opening|writing|editing|accessing|processing|occurred)/i,
  /^(?:The )?(?:file|path|directory|folder|resource)\b[^\n]{0,500}(?:not found|does ?n[o']t exist|not exist|no such|could not be|cannot be|is not a|outside)/i,
  /^File (?:content \(|too large to read at once \()/,
  /^File has (?:not been read|been (?:unexpectedly )?modified)/,
  // Edits that Qwen Code, Continue, Kimi Code, pi, Crush, OpenCode and the Copilot CLI have not made.
  /^File \S[^\n]{0,4200}? has (?:not been read in this session|been modified since (?:you last read it|it was last read))/i,
  /^You must (?:use the \w{1,40} tool to )?read [^\n]{1,4200}? before (?:edit|overwrit)ing /i,
  /^(?:No changes to (?:apply\. The |make: old_string )|new content is the same as old content|File already exists(?:, cannot create)?: )/i,
  /^(?:edits\[\d{1,6}\]\.)?(?:old_?str(?:ing)?|oldText) (?:(?:is |was )?not |must not |cannot |appears )/i,
  /^(?:Edit at index \d{1,6}: |edits\[\d{1,6}\] and edits\[\d{1,6}\] overlap in |Edit tool input is invalid\.)/,
  /^(?:No match found|Multiple matches found|Path already exists)\.?\s*$/,
  // Mastra.
  /^The specified text (?:was not found\.|appears \d{1,9} times\.) /,
  /^(?:Permission to use |Claude requested permissions? to )/,
  /^\w{1,40}:\w{1,60} hook (?:blocking )?error/,
  /^[\w./-]{1,60}: (?:line \d{1,9}: )?[^\n]{0,1000}(?:No such file or directory|Is a directory|Not a directory|Permission denied|can't read|cannot (?:open|access)|command not found|invalid (?:option|line|number))/,
  /^(?:No such file|ENOENT|EACCES|EISDIR|EPERM|ENOTDIR|Permission denied|Access (?:is )?denied|Not found)\b/,
  /^(?:Failed|Could not|Cannot|Can't|Unable|Refused) (?:to )?\w+/,
  /^(?:apply_patch verification failed|execution error|exec_command failed|failed (?:to|in) )/i,
  // A call for a tool that is not there, in Codex, OpenCode, the SDKs and elsewhere.
  /^unsupported (?:custom tool )?call: \S/,
  /^(?:The arguments provided to the tool are invalid: |Model tried to call unavailable tool )/,
  /^(?:(?:The )?(?:tool|function) ["'`]?[\w.:-]{1,100}["'`]? (?:is )?(?:not (?:found|available|registered|supported)|does not exist|unavailable|disabled)|(?:Unknown|No such|Unsupported) (?:tool|function)(?: call)?:? ["'`]?\w)/i,
  // Nanocoder.
  /^Validation failed: \S/,
  // OpenCode.
  /^(?:Transport error \(|ripgrep execution failed)/,
  // VS Code and Continue.
  /^The user (?:cancelled|skipped|chose to skip) the tool call\b/,
  // As Roo Code says it.
  /^\{"status":"denied","(?:feedback"|message":"The user denied )/,
  // A search that found nothing, or so many matches, has worked.
  /^(?:String to replace|No (?:replacement|match (?:found )?for|exact match|changes? (?:(?:was|were|have been|could be) )?(?:made|applied))\b|Found \d{1,9} (?:matches|occurrences) (?:of|for) (?:the )?(?:string|old|search|text|edits\[))/i,
  /^(?:The user (?:doesn't|does not|rejected|denied|declined)|\[?Request interrupted|User (?:rejected|denied|declined|cancel)|(?:Tool|Operation|Command|Execution)[^\n]{0,60}(?:rejected|denied|not approved|cancelled|canceled|aborted|interrupted|timed out)|rejected by|aborted|interrupted)/i,
  /^Your (?:proposed )?edit (?:was not|has) /i,
  /^(?:InputValidationError|Encountered error in step execution|Error invalid tool call)/,
];
/** Beginnings of answers that say that a call was not carried out. */
const REFUSALS: readonly RegExp[] = [
  /^(?:The user (?:doesn't|does not) want to (?:proceed|take)|User (?:rejected|denied|declined)|rejected by)/i,
  /^(?:Error: )?The user (?:rejected|denied) (?:this |permission to use )/i,
  /^The user (?:cancelled|skipped|chose to skip) the tool call\b/,
  /^\{"status":"denied","(?:feedback"|message":"The user denied )/i,
  /^Permission (?:to use |to (?:read|edit) [^\n]{1,4200} has been denied|for this (?:tool use|command|action) (?:was|has been) denied)/i,
  /^(?:This tool call was refused and did not run|Claude requested permissions? to |PreToolUse:[\w.-]{1,100} hook )/i,
  /^(?:(?:Tool|Operation|Command|Execution)[^\n]{0,60}(?:rejected|denied|not approved)|Not approved(?=$|: ))/i,
  /^exec_command failed(?: for [\s\S]{0,2000}?)?: CreateProcess \{ message: "Rejected\(/,
  /^(?:InputValidationError|Encountered error in step execution: user denied permission for )/i,
  // Strands; in small letters others begin so what a server has refused.
  /^(?:CONFIRMATION_FAILED|DENIED|GUIDANCE): /,
];
/** Notes that stand in place of a content, such as those of programs that clear old results. */
const NOTE = /^\[[A-Z][^\]\n"{}]{0,200}\s[^\]\n"{}]{0,400}\]$/;
/** Stands in place of a result that a transcript does not hold: nobody knows how the call ended. */
export const UNRECORDED = '[Results are not in transcripts of Cursor]';
/** What Claude Code says of a command instead of what the command printed. */
const STATUS =
  /^(?:\(Bash completed with no output\)$|Command (?:running in background with ID: |did not complete within ))/;
/** An answer that says so is short, unless it shows where in a program it happened. */
const LONGEST_FAILURE = 2_000;
const LONGEST_NOTE = 700;
const ERRNO = /^[^\n]{0,200}\b(?:ENOENT|EACCES|EISDIR|ENOTDIR|EPERM)\b/;

function tellsFailure(text: string): boolean {
  // It repeats the command, however long that was.
  if (isUnstarted({ text })) return true;
  const start = withoutShellStart(withoutTerminalCodes(text.slice(0, LONGEST_FAILURE))).trimStart();
  if (text.length > LONGEST_FAILURE) return ERRNO.test(start) && /^\w*Error/.test(start);
  return FAILURES.some((failure) => failure.test(start));
}

function isNote(text: string): boolean {
  return isPlaceholder(text) || (text.length <= LONGEST_NOTE && STATUS.test(text.trim()));
}

/** Whether a text is nothing but a note in brackets, as programs put in place of what they take away. */
export function isPlaceholder(text: string): boolean {
  return text.length <= LONGEST_NOTE && NOTE.test(text.trim());
}
