import type { ToolCall, ToolResult } from '../items/item.ts';
import { firstLine, oneLine } from '../text.ts';
import { type FileAction, writesText } from '../workspace/action.ts';
import { scriptRunBy } from '../workspace/call-answer.ts';
import { changeBy } from './changing-calls.ts';
import { commandKey, rowsWithin, withoutSetUpLines } from './command-line.ts';
import type { Files, Moment } from './files.ts';
import { killedBy } from './kills.ts';
import type { Failure, OpenCall, Run, Tool } from './ledger.ts';
import { type Outcome, outcomeOf } from './outcome.ts';
import {
  allEnded,
  couldNotKill,
  type Ended,
  endedWhereAsked,
  isNotRunning,
  processEnded,
  stoppedBy,
} from './processes.ts';
import { isSameFile } from './same-file.ts';

/**
 * One call as the ledger tells of it. `script`: the command that it ran; `given`: all that it was given, where
 * that is little and does not say what it was about.
 */
export type Done = {
  given?: string;
  tool: string;
  subject: string;
  script: string | null;
  kind: Run['kind'] | null;
};

/** What is given to a call that does the same whatever it was given. */
export const NOTHING_GIVEN = '{}';

const LONGEST_SAID = 200;
const MOST_CURE_FILES = 5;
const MOST_BETWEEN = 10;
/** Of each tool that changes something out there. */
const MOST_CHANGED = 12;
/** Of a command that goes on: how it is written tells what its exit code says. */
const LONGEST_SCRIPT = 1_000;

/** A key that is pressed in a terminal does each time what the program there makes of it. */
const PRESSED = /^(?:C-|\^|ctrl\+)[a-z\\]$/i;

const NOT_DONE: ReadonlySet<Outcome['kind']> = new Set(['refused', 'interrupted', 'stopped']);

/** Tools that change a file, by what agents call them. */
const CHANGES_FILE = /^(?=\S{0,60}(?:edit|write|patch|replace|insert|create))\S{1,60} (.+)$/is;

/** What makes a formatter or linter look only, and what makes it change files. */
const CHECKS = / (?:-- )?--?(?:check|check-only|list-different|dry-run|diff|l|d)(?= |$)/;
const MENDS = / --?(?:fix|write|apply|w|autocorrect)(?= |$)/;
/** These change files unless they are told to look only. */
const FORMATS =
  /^(?:cargo fmt|rustfmt|black|isort|ruff format|terraform fmt|tofu fmt|mix format|dart format|swift-format|deno fmt|go fmt|zig fmt|shfmt|gofmt|gofumpt)(?= |$)/;

/** The command without this; null where it is not there. */
function withoutModes(key: string, modes: RegExp): string | null {
  const plain = key.replace(modes, '');
  return plain === key ? null : oneLine(plain);
}

/** Runs with their last outcome, failures with what cured them, and how often each tool was called. */
export class Runs {
  private readonly runs: Map<string, Run>;
  private readonly failures: Map<string, Failure>;
  private readonly tools: Map<string, Tool>;
  private readonly open: Map<string, OpenCall>;
  private stopped_at = -1;

  constructor(
    runs: readonly Run[],
    failures: readonly Failure[],
    tools: readonly Tool[],
    open: readonly OpenCall[],
  ) {
    this.runs = new Map(runs.map((run) => [run.command, { ...run }]));
    this.failures = new Map(failures.map((one) => [failureKey(one.key, one.lines), { ...one }]));
    this.tools = new Map(tools.map((tool) => [tool.name, { ...tool }]));
    this.open = new Map(open.map((call) => [call.id, call]));
  }

  called({ tool }: Done, { seq }: Moment): void {
    const known = this.tools.get(tool) ?? { seq, last_seq: seq, name: tool, calls: 0 };
    this.tools.set(tool, { ...known, last_seq: seq, calls: known.calls + 1 });
  }

  /** A call that changes something out there, where it did not fail. */
  changedOutside(
    call: ToolCall,
    result: ToolResult,
    { tool }: Done,
    { kind }: Outcome,
    { seq }: Moment,
  ): void {
    const text = kind === 'ok' || kind === 'unknown' ? changeBy(call, result) : null;
    const known = this.tools.get(tool);
    if (text === null || known === undefined) return;
    const others = known.changed?.filter((one) => one.text !== text) ?? [];
    const changed = [...others, { seq, text }].slice(-MOST_CHANGED);
    this.tools.set(tool, { ...known, changed });
  }

  left(id: string, { tool, subject, script, kind }: Done, { seq, at }: Moment): void {
    const own = {
      ...(script !== null && { script: withinRoom(script) }),
      ...(kind !== null && { kind }),
    };
    this.open.set(id, { seq, last_seq: seq, id, tool, subject, ...own, called_at: at });
  }

  /** What a process does that has not ended yet; null when no such one is known. */
  running(process: string): Done | null {
    const call = this.open.get(process);
    if (call === undefined) return null;
    const { tool, subject, script = null, kind = null } = call;
    return { tool, subject, script, kind };
  }

  ended(id: string, done: Done, outcome: Outcome, files: Files, moment: Moment): void {
    this.open.delete(id);
    const subject = done.given ?? done.subject;
    const key = done.script === null ? `${done.tool} ${subject}` : commandKey(done.script);
    switch (outcome.kind) {
      case 'refused':
        if (outcome.lines.length > 0 && this.stopped_at !== moment.seq) {
          this.fail(key, done, outcome, moment);
        }
        return;
      case 'stopped':
        this.stop(moment);
        return;
      case 'interrupted':
      case 'running':
        return;
      case 'failed':
        // What ends without a word leaves nothing to tell.
        if (outcome.lines.length > 0) this.fail(key, done, outcome, moment);
        break;
      case 'unknown':
        break;
      case 'ok':
        // A tool of which nobody knows what it was about has not done the same again.
        if (subject !== '' && !PRESSED.test(done.script ?? '')) this.cure(key, files, moment);
        else if (done.script === null && done.given === undefined) this.worked(key, moment);
        if (done.script !== null) this.mend(key, moment);
        if (done.script !== null) this.within(key, done.script, outcome, files, moment);
        break;
      default:
        outcome.kind satisfies never;
    }
    if (done.kind !== null && done.script !== null) this.ran(key, done.kind, outcome, moment);
  }

  /** Claude Code words it as a refusal that a call beside the one that was stopped did not begin any more. */
  private stop({ seq }: Moment): void {
    this.stopped_at = seq;
    for (const [key, { is_refused, last_seq }] of this.failures) {
      if (is_refused === true && last_seq === seq) this.failures.delete(key);
    }
  }

  close(process: string): void {
    this.open.delete(process);
  }

  /** What a program says of a command that was left running is said of that command. */
  told(text: string, files: Files, moment: Moment): void {
    if (allEnded(text)) this.open.clear();
    const task = processEnded(text);
    if (task !== null) this.over(task, files, moment);
  }

  /** What a call has stopped has ended, and so has what it was asked about where it says so. */
  asked(call: ToolCall, result: ToolResult, { kind }: Outcome, files: Files, moment: Moment): void {
    const script = scriptRunBy(call);
    const mayKill = script !== null && !NOT_DONE.has(kind) && !couldNotKill(result);
    if (mayKill) this.kill(script, moment);
    const task = endedWhereAsked(call, result);
    if (task !== null) this.over(task, files, moment);
    const stopped = kind === 'ok' || isNotRunning(result) ? stoppedBy(call) : null;
    if (stopped !== null) this.close(stopped);
  }

  /** A command that ends others by their name, or by what they serve, has ended those, or they had ended before. */
  private kill(script: string, { seq }: Moment): void {
    const isKilled = killedBy(script);
    for (const [id, call] of this.open) {
      // What it has started itself it has started afterwards.
      if (call.last_seq < seq && id.startsWith('process ') && isKilled(call.script ?? call.subject))
        this.close(id);
    }
  }

  private over(task: Ended, files: Files, moment: Moment): void {
    const done = this.running(task.process);
    if (done === null) return;
    if (task.answer === null) {
      this.close(task.process);
      return;
    }
    const content = [{ kind: 'text' as const, text: task.answer }];
    const result = { kind: 'tool_result' as const, call_id: '', content, is_error: task.hasFailed };
    const outcome = outcomeOf(result, done.script, done.kind !== null);
    this.ended(task.process, done, outcome, files, moment);
  }

  /**
   * A file was changed: that a tool could not change it before matters no more. Whether this was the change
   * that had failed nobody knows, even where the same tool has made it.
   */
  changed(actions: readonly FileAction[], { seq, at }: Moment): void {
    const paths = actions.filter(changesText).map(({ path }) => path);
    if (paths.length === 0) return;
    for (const failure of this.failures.values()) {
      const isOver = failure.cure !== null && failure.cure.seq !== seq;
      if (isOver || failure.failed_at >= at || isCommand(failure)) continue;
      const path = CHANGES_FILE.exec(failure.key)?.[1]?.replaceAll('\\', '/');
      if (path === undefined || !paths.some((one) => isSameFile(one, path))) continue;
      failure.cure = { seq, files: [], otherwise: 'changed' };
    }
  }

  /** Another tool is called: what has failed so far is passed over where nothing was said of it. */
  wentOn(): void {
    for (const failure of this.failures.values()) {
      if (failure.said === undefined) failure.is_passed = true;
    }
  }

  /**
   * What the assistant says next after failures is what it makes of them; once it has gone on, only where
   * it names something of them.
   */
  said(text: string): void {
    const line = firstLine(text, LONGEST_SAID);
    if (line === '') return;
    for (const failure of this.failures.values()) {
      if (failure.said !== undefined) continue;
      failure.said = failure.is_passed !== true || isAboutFailure(line, failure) ? line : '';
      delete failure.is_passed;
    }
  }

  sizes(): { runs: number; failures: number; tools: number; open_calls: number } {
    const { runs, failures, tools, open } = this;
    return { runs: runs.size, failures: failures.size, tools: tools.size, open_calls: open.size };
  }

  facts(): { runs: Run[]; failures: Failure[]; tools: Tool[]; open_calls: OpenCall[] } {
    return {
      runs: [...this.runs.values()],
      failures: [...this.failures.values()],
      tools: [...this.tools.values()],
      open_calls: [...this.open.values()],
    };
  }

  private fail(key: string, done: Done, { kind, lines }: Outcome, { seq, at }: Moment): void {
    const own = failureKey(key, lines);
    const known = this.failures.get(own);
    // The newest stands last, and what was cured before has come back.
    this.failures.delete(own);
    const { tool, subject, given = NOTHING_GIVEN } = done;
    const about = subject === '' && given !== NOTHING_GIVEN ? given : subject;
    const what = about === '' ? tool : `${tool} (${about})`;
    this.failures.set(own, {
      ...{ seq, last_seq: seq, what, key, lines, times: 1, failed_at: at, cure: null },
      ...(kind === 'refused' && { is_refused: true }),
      ...(known !== undefined && {
        seq: known.seq,
        times: known.times + 1,
        ...(known.said !== undefined && known.said !== '' && { said: known.said }),
      }),
    });
  }

  /** What the call itself has changed is what it did, and not what made it work. */
  private cure(key: string, files: Files, { seq, at }: Moment): void {
    for (const failure of this.failures.values()) {
      // That it works says more than that something was done about it.
      if (failure.key !== key || (failure.cure !== null && failure.cure.otherwise !== 'mended'))
        continue;
      const changed = files.changedBetween(failure.failed_at, at);
      // Which of many it was nobody can say.
      const named = changed.length > MOST_BETWEEN ? [] : changed.slice(0, MOST_CURE_FILES);
      failure.cure = { seq, files: named };
    }
  }

  /** Of a tool that nobody knows what it was about no one can say that it still fails, once it has worked. */
  private worked(key: string, { seq }: Moment): void {
    for (const failure of this.failures.values()) {
      if (failure.key !== key || failure.cure !== null) continue;
      failure.cure = { seq, files: [], otherwise: 'called' };
    }
  }

  /** In a row of commands that has succeeded each of them has, also what failed when it ran alone. */
  private within(
    key: string,
    script: string,
    { kind, lines }: Outcome,
    files: Files,
    moment: Moment,
  ): void {
    for (const row of rowsWithin(key, script)) {
      this.cure(row, files, moment);
      const known = this.runs.get(row);
      if (known === undefined || known.outcome === 'ok') continue;
      // What is printed last is of the last command.
      this.ran(row, known.kind, { kind, lines: key.endsWith(` ${row}`) ? lines : [] }, moment);
    }
  }

  /** A formatter or linter that has changed files has mended what it only complained of before. */
  private mend(key: string, { seq }: Moment): void {
    const mender =
      withoutModes(key, MENDS) ?? (FORMATS.test(key) && !CHECKS.test(key) ? oneLine(key) : null);
    if (mender === null) return;
    for (const failure of this.failures.values()) {
      if (failure.cure !== null || !isCommand(failure)) continue;
      const checked = withoutModes(failure.key, CHECKS) ?? oneLine(failure.key);
      if (failure.key !== key && checked === mender) {
        failure.cure = { seq, files: [], otherwise: 'mended' };
      }
    }
  }

  private ran(key: string, kind: Run['kind'], outcome: Outcome, { seq }: Moment): void {
    const known = this.runs.get(key);
    this.runs.delete(key);
    const hasFailed = outcome.kind === 'failed';
    this.runs.set(key, {
      seq: known?.seq ?? seq,
      last_seq: seq,
      command: key,
      kind,
      runs: (known?.runs ?? 0) + 1,
      failures: (known?.failures ?? 0) + (hasFailed ? 1 : 0),
      outcome: outcome.kind === 'failed' || outcome.kind === 'ok' ? outcome.kind : 'unknown',
      line: outcome.lines[0] ?? '',
    });
  }
}

function changesText(action: FileAction): action is FileAction & { path: string } {
  const isUnseen = action.kind === 'changed' && action.isCertain;
  return writesText(action) || action.kind === 'rewritten' || isUnseen;
}

/** Names stand within the words of scripts that put no blanks, or endings of their own, around them. */
const TELLING_WORD =
  /(?:(?![\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}])\p{L}){5,40}/gu;
/** Words of many errors, which make two texts no more alike. */
const COMMON_WORDS = new Set(
  'command could directory error errors exist expected failed failure found tests there this'.split(
    ' ',
  ),
);

/** Whether a text has a word of what failed or of its error, or quotes a command of the same program. */
function isAboutFailure(text: string, failure: Failure): boolean {
  const { key, lines } = failure;
  const [program = ''] = key.split(' ', 1);
  if (isCommand(failure) && text.includes(`\`${program} `)) return true;
  // Of a path the name tells most, and an error that a tool words is the same for every file.
  const about = isCommand(failure) ? [key, ...lines].join(' ') : key.replace(/\S*[/\\]/g, '');
  const words = new Set(about.toLowerCase().match(TELLING_WORD) ?? []);
  const said = text.toLowerCase().match(TELLING_WORD) ?? [];
  return said.some((word) => words.has(word) && !COMMON_WORDS.has(word));
}

/** The key of a command is its text, and of other calls the tool with what it was about. */
function isCommand({ what, key }: Failure): boolean {
  return !what.startsWith(`${key.slice(0, key.indexOf(' '))} (`);
}

/** A script, or as much of what it is about as there is room for. */
function withinRoom(script: string): string {
  const own = script.length > LONGEST_SCRIPT ? withoutSetUpLines(script) : script;
  return own.slice(0, LONGEST_SCRIPT);
}

/** How long a test took is another time each time. */
const TOOK = /\(\d{1,6}(?:\.\d{1,6})? ?m?s\)/g;

/** Go names a test that has failed, and says why on a line of its own. */
const ONLY_NAME = /^--- FAIL: \S{1,200}\s*$/;

/** What makes two failures the same. */
export function failureKey(key: string, [first = '', second = '']: readonly string[]): string {
  const name = first.replace(TOOK, '');
  return `${key}\n${ONLY_NAME.test(name) ? `${name}\n${second}` : name}`;
}
