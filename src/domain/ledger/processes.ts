import type { ToolCall, ToolResult } from '../items/item.ts';
import { resultText } from '../items/message-text.ts';
import { splitReminders } from '../items/reminders.ts';
import { ANTIGRAVITY_SAYS } from '../items/speaker-openings.ts';
import { isJsonObject, stringField } from '../json.ts';

/** What Antigravity says of a command that it does not wait for; the id stands behind it. */
export const ANTIGRAVITY_LEFT = 'Tool is running as a background task with task id: ';
const TASK_LEFT = new RegExp(String.raw`^${ANTIGRAVITY_LEFT}(\S{1,120})`);
/** The same of Claude Code, which may have waited: it says so behind what the command has printed. */
const CLAUDE_LEFT =
  /(?:^|\n)(?:Command (?:running in background with ID: |was manually backgrounded by user with ID: |(?:did not complete within its \d{1,6}s timeout and )?was moved to the background \(ID: )|Monitor started \(task )([\w-]{1,120})[^\n]*$/;

/** The command that Claude Code has left running, by what its result says; null where it has ended. */
export function leftByClaude(text: string): string | null {
  return CLAUDE_LEFT.exec(text.slice(-2_000).trimEnd())?.[1] ?? null;
}

/** How OpenClaw and Hermes say so, also where they are asked how it stands. */
const CHAT_LEFT =
  /^Command still running \(session ([\w-]{1,60}), pid \d{1,10}\)|^\{"output": "Background process started", "session_id": "(proc_\w{1,40})"/;
const CHAT_RUNS =
  /(?:^|\n)Process still running\.$|^\{"session_id": "proc_\w{1,40}"[^\0]{1,20000}?"status": "running"/;
/** How Hermes ends what it says where its agent has waited for long enough. */
const HERMES_WAITED = /process still running"\}$/;
/** OpenClaw tells later no more than this of the name. */
const SHORT_NAME = 8;

/** Whether a command goes on, by what the shell of OpenClaw or Hermes says of it. */
export function runsInChat(text: string): boolean {
  const said = text.trimEnd();
  const hasWaited = said.startsWith('{"status": "timeout"') && HERMES_WAITED.test(said.slice(-100));
  return CHAT_LEFT.test(text) || CHAT_RUNS.test(said) || hasWaited;
}

/** The process that `process` of OpenClaw and Hermes is asked about, and what it is asked for. */
function askedInChat({ name, input }: ToolCall): { process: string; action: string } | null {
  if (name !== 'process' || !isJsonObject(input)) return null;
  const id =
    stringField(input, 'sessionId')?.slice(0, SHORT_NAME) ?? stringField(input, 'session_id');
  const action = stringField(input, 'action');
  return id === undefined || action === undefined ? null : { process: `process ${id}`, action };
}

/** Whether an open call stands in the ledger under the process that goes on, and not under its own id. */
export function isProcess(id: string): boolean {
  return /^(?:process|job) /.test(id);
}

const SCHEDULED = /^Scheduled (?:recurring job|one-shot task) ([\w-]{1,60}) \(/;

/** What Claude Code has been told to do later, or again and again, by the name under which it does so. */
export function jobLeft({ name }: ToolCall, result: ToolResult): string | null {
  const id = name === 'CronCreate' ? SCHEDULED.exec(resultText(result))?.[1] : undefined;
  return id === undefined ? null : `job ${id}`;
}

/** The process that a call writes to or waits for, as Codex numbers them; null for other calls. */
export function processOf(call: ToolCall): string | null {
  const asked = askedInChat(call);
  if (asked !== null) return /^(?:poll|wait)$/.test(asked.action) ? asked.process : null;
  const { input } = call;
  const id = isJsonObject(input) && !('cmd' in input) ? input.session_id : undefined;
  return typeof id === 'number' || typeof id === 'string' ? `process ${id}` : null;
}

/** The command that a call stops which Claude Code has left running; nothing is said of it any more. */
export function stoppedBy(call: ToolCall): string | null {
  const asked = askedInChat(call);
  if (asked !== null) return /^(?:kill|remove)$/.test(asked.action) ? asked.process : null;
  const { name, input } = call;
  if (name === 'CronDelete' && isJsonObject(input)) return `job ${stringField(input, 'id')}`;
  if (!/^(?:TaskStop|Kill(?:Shell|Bash))$/.test(name) || !isJsonObject(input)) return null;
  const id = stringField(input, 'task_id') ?? stringField(input, 'shell_id');
  return id === undefined ? null : `process ${id}`;
}

/** How the shell says that a command could not look for the others that it was to end, or end them, or is none. */
const NOT_KILLED =
  /(?:^|[\s:])(?:pkill|killall|kill|fuser): (?:(?:command )?not found|[^\n]{0,200}(?:Cannot get process list|not permitted|Permission denied))|command not found: (?:pkill|killall|fuser)\b/i;

export function couldNotKill(result: ToolResult): boolean {
  return NOT_KILLED.test(resultText(result).slice(0, 2_000));
}

/** How Claude Code answers who wants to stop what has ended already. */
export function isNotRunning(result: ToolResult): boolean {
  const start = resultText(result).slice(0, 300);
  return /^(?:<tool_use_error>|Error: )?(?:Shell|Task) \S{1,120} is not running\b/.test(start);
}

/** The process that goes on after a call: of Codex, or a command of Antigravity's or Claude Code's. */
export function processLeft(result: ToolResult, script: string | null): string | null {
  const text = resultText(result);
  const start = text.slice(0, 500);
  const [, ofOpenClaw, ofHermes] = CHAT_LEFT.exec(start) ?? [];
  const id =
    ofOpenClaw?.slice(0, SHORT_NAME) ??
    ofHermes ??
    /\nProcess running with session ID ([\w.-]{1,60})\n/.exec(start)?.[1] ??
    (script === null
      ? null
      : (TASK_LEFT.exec(start)?.[1] ?? leftByClaude(splitReminders(text).text)));
  return id === null ? null : `process ${id}`;
}

/** How Antigravity tells of a task that has ended: what it has answered stands behind it. */
const TASK_ENDED =
  /\scontent=Task id "([^"\n]{1,120})" (finished|was [a-z]{4,12}) with result:\n([\s\S]*)$/;
const MESSAGE_END = '</SYSTEM_MESSAGE>';
const LOG_LINE = /^Log: file:/;

/** `answer`: null where it was stopped before its end, '' where nothing tells what it has printed. */
export type Ended = { process: string; answer: string | null; hasFailed: boolean };

/** The process that a message says has ended, and how; null for other messages. */
export function processEnded(text: string): Ended | null {
  return endedInClaude(text) ?? endedInAntigravity(text) ?? endedInChat(text);
}

const CHAT_ENDED =
  /^System(?: \(untrusted\))?: \[[^\]\n]{1,60}\] Exec (?:completed|failed) \(([\w-]{1,60}), (?:code (\d{1,5})|signal \w{1,20})\)(?: :: ([^\n]*))?|^(?:\[[^[\]\n]{1,60}\] )?\[(?:SYSTEM|IMPORTANT): Background process (\S{1,80}) (completed|exited|failed to start|terminated by|marked lost)\b[^(\n]{0,80}\(exit[ _]code[ =](-?\d{1,5}|\?|None)(?:, \w{1,20})?\)\.\n/;
const PRINTED = '\nOutput:\n';

/** How OpenClaw and Hermes tell of a command that has ended; a signal has stopped it. */
function endedInChat(text: string): Ended | null {
  const ended = CHAT_ENDED.exec(text.slice(0, 2_000));
  if (ended === null) return null;
  const [, openClaw, openClawCode, line = '', hermes, how = '', hermesCode] = ended;
  const code = openClawCode ?? hermesCode;
  const process = `process ${openClaw ?? hermes}`;
  if (how === 'failed to start') return { process, answer: how, hasFailed: true };
  const isKnown = code !== undefined && /^\d/.test(code) && !/^(?:terminated|marked)/.test(how);
  if (!isKnown) return { process, answer: null, hasFailed: false };
  const from = text.indexOf(PRINTED);
  const printed =
    openClaw === undefined && from >= 0
      ? text
          .slice(from + PRINTED.length)
          .trimEnd()
          .replace(/\]$/, '')
      : line;
  if (code === '0') return { process, answer: printed, hasFailed: false };
  return { process, answer: `${printed}\nExit code ${code}`.trim(), hasFailed: true };
}

function endedInAntigravity(text: string): Ended | null {
  const ended = text.startsWith(ANTIGRAVITY_SAYS) ? TASK_ENDED.exec(text) : null;
  if (ended === null) return null;
  const [, id = '', how, answer = ''] = ended;
  return {
    process: `process ${id}`,
    answer: how === 'finished' ? withoutFrame(answer) : null,
    hasFailed: false,
  };
}

/**
 * How Claude Code tells of a command that has ended: what it has printed stands in a file, but for the
 * last lines of one that is watched.
 */
const NOTIFIED = /^<task-notification>\s{0,4}<task-id>([^<\s]{1,120})<\/task-id>/;
const COMMAND_ENDED =
  /<summary>(?:Background command|Monitor) "[^<]{0,2000}" (completed|failed|script failed|stream ended|ended without producing output|was [a-z]{4,12}|stopped)\b([^<"]{0,500})<\/summary>/;
const SHOWN_LAST = /<event>([^<]{1,4000})<\/event>/;
/** A command is watched for so long and no longer. */
const EXPIRED =
  /<summary>Monitor event: "[^<]{0,2000}"<\/summary>\s{0,4}<event>\[Monitor (?:expired|timed out)\b/;

function endedInClaude(text: string): Ended | null {
  const start = text.slice(0, 10_000);
  const id = NOTIFIED.exec(start)?.[1];
  if (id === undefined) return null;
  const process = `process ${id}`;
  if (EXPIRED.test(start)) return { process, answer: null, hasFailed: false };
  const ended = COMMAND_ENDED.exec(start);
  if (ended === null) return null;
  const [, how = '', more = ''] = ended;
  const shown = SHOWN_LAST.exec(start)?.[1] ?? '';
  if (how.endsWith('failed')) {
    return { process, answer: `${shown}\n${how}${more}`.trim(), hasFailed: true };
  }
  const isStopped = how === 'stopped' || how.startsWith('was ');
  return { process, answer: isStopped ? null : shown, hasFailed: false };
}

/** How Claude Code answers who asks how a command stands that it has left running. */
const STANDS =
  /^(?:<retrieval_status>\w{1,40}<\/retrieval_status>\s{1,4}<task_id>[^<\s]{1,120}<\/task_id>\s{1,4}<task_type>local_bash<\/task_type>\s{1,4})?<status>(completed|failed|killed)<\/status>(?:\s{1,4}<exit_code>(-?\d{1,10})<\/exit_code>)?/;
const PRINTED_TAG = /^<\/?(?:output|stdout|stderr|timestamp)>/;

/** The command that a call has asked about, where it has ended. */
export function endedWhereAsked({ name, input }: ToolCall, result: ToolResult): Ended | null {
  if (!/^(?:TaskOutput|BashOutput)$/.test(name) || !isJsonObject(input)) return null;
  const text = resultText(result);
  const [head, how, code] = STANDS.exec(text.slice(0, 1_000)) ?? [];
  const id = stringField(input, 'task_id') ?? stringField(input, 'bash_id');
  if (head === undefined || id === undefined) return null;
  const process = `process ${id}`;
  if (how === 'killed') return { process, answer: null, hasFailed: false };
  const lines = text.slice(head.length).trim().split('\n');
  const printed = lines.filter((line) => !PRINTED_TAG.test(line)).join('\n');
  const hasFailed = how === 'failed' || (code !== undefined && code !== '0');
  const answer = hasFailed ? `${printed}\nExit code ${code ?? 1}`.trim() : printed;
  return { process, answer, hasFailed };
}

/** What a task has printed, without the name of its log and the end of the message. */
function withoutFrame(answer: string): string {
  const own = answer.trimEnd();
  const body = own.endsWith(MESSAGE_END) ? own.slice(0, -MESSAGE_END.length).trimEnd() : own;
  const start = body.lastIndexOf('\n') + 1;
  return LOG_LINE.test(body.slice(start)) ? body.slice(0, start).trimEnd() : body;
}

/** How Codex tells of a turn that the user has stopped; newer ones say that processes may go on. */
const CODEX_STOPPED =
  /^<turn_aborted>[^<]{0,300}\bAny running unified exec processes were terminated\./;

/** Whether a message of Codex's or Antigravity's says that nothing is left running. */
export function allEnded(text: string): boolean {
  if (CODEX_STOPPED.test(text.trimStart())) return true;
  return (
    text.startsWith(ANTIGRAVITY_SAYS) &&
    /\scontent=\[Notice\] All your subagents and background tasks have been stopped\b/.test(text)
  );
}
