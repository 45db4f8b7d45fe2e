import { baseName } from '../names.ts';
import type { Answer } from '../workspace/result-text.ts';
import { type Command, type Pipeline, parseScript } from '../workspace/shell/lex.ts';
import { kindOfCommand } from './command-line.ts';

/** Characters of a script that are read. */
const LOOKED_AT = 20_000;
/** More lines than a script prints by itself. */
const MOST_LINES = 200;

/**
 * What a script says of the tests, builds and checks in it: `told` by its exit code, `passed` or `failed`
 * by what it was written to print, or `hidden` behind a pipe, a later command, `|| true`, or `&`.
 */
export type Evidence = {
  by: 'told' | 'passed' | 'failed' | 'hidden';
  /** Only some of the lines were let through: what is summed up for one part says nothing of the rest. */
  isFiltered: boolean;
  /** Only lines that tell of what has passed were let through. */
  hidesFailures: boolean;
  /** All that the last run has said at its end is there, errors included. */
  isEndShown: boolean;
  /** Which lines speak for what is hidden: where several have printed, the last ones, or none. */
  speaking: 'all' | 'last' | 'none';
  /** Lines that the script prints in any case. */
  own: ReadonlySet<string>;
};

/** Whether the exit code of a script speaks for what it runs, and what else does. */
export function evidenceOf(script: string, answer: Answer): Evidence {
  const text = script.slice(0, LOOKED_AT);
  const pipelines = parseScript(/^\s*\(([^()]*)\)\s*$/.exec(text)?.[1] ?? text);
  if (pipelines === null) return UNREADABLE;
  const options = pipelines.map(setOptions).join(' ');
  const reading: Reading = {
    pipelines,
    hasPipefail: /\bpipefail\b/.test(options),
    isStrict: /(?:^| )-\w*e/.test(options) && !/\+\w*e/.test(options),
    lines: new Set(
      answer.text
        .split('\n')
        .map((line) => line.trim())
        .slice(-10_000),
    ),
    isWhole: !answer.isShortened && (!answer.isCleared || saysNothing(answer.text)),
  };
  const runs = pipelines.flatMap(({ commands }, at) =>
    commands.some((command) => kindOfCommand(command) !== null) ? [at] : [],
  );
  if (runs.length === 0) return UNREADABLE;
  const shown = runs.map((at) => shownBy(reading, at));
  const hidden = shown.filter((by) => by !== 'told');
  const by =
    hidden.length === 0
      ? 'told'
      : shown.includes('failed')
        ? 'failed'
        : hidden.every((one) => one === 'passed')
          ? 'passed'
          : 'hidden';
  return {
    by,
    isFiltered: runs.some((at) => isFiltered(pipelines[at], reading)),
    hidesFailures: runs.some((at) => (pipelines[at]?.commands ?? []).some(hidesFailures)),
    isEndShown: isEndShown(reading, runs.at(-1), text),
    // Words of one run say nothing of another.
    speaking: hidden.length > 1 ? 'none' : runs.length > 1 ? 'last' : 'all',
    own: new Set(
      pipelines.flatMap((one) => (isNext(one) ? [] : printedBy(one))).slice(0, MOST_LINES),
    ),
  };
}

/** The lines that a script prints itself, whatever comes of what it runs: headings, mostly. */
export function linesOfItsOwn(script: string): ReadonlySet<string> {
  const pipelines = parseScript(script.slice(0, LOOKED_AT)) ?? [];
  const own = pipelines.filter(({ after }) => after !== '||').flatMap(printedBy);
  return new Set(own.slice(0, MOST_LINES));
}

/** What Claude Code says of a command that has printed nothing. */
export function saysNothing(text: string): boolean {
  return text.trim() === '(Bash completed with no output)';
}

/** Whether a script leaves what it runs in the background. */
export function isLeftRunning(script: string): boolean {
  return parseScript(script.slice(0, LOOKED_AT))?.at(-1)?.isBackground ?? false;
}

/** Whether a script hands what its last command prints on to another. */
export function endsInPipe(script: string): boolean {
  return (parseScript(script.slice(0, LOOKED_AT))?.at(-1)?.commands.length ?? 0) > 1;
}

type Reading = {
  pipelines: readonly Pipeline[];
  hasPipefail: boolean;
  isStrict: boolean;
  /** What was printed, line by line. */
  lines: ReadonlySet<string>;
  isWhole: boolean;
};

function shownBy(reading: Reading, at: number): Evidence['by'] {
  const { pipelines, hasPipefail, isStrict } = reading;
  const pipeline = pipelines[at];
  if (pipeline === undefined) return 'hidden';
  let start = at;
  while (start > 0 && isNext(pipelines[start])) start--;
  let end = at + 1;
  while (isNext(pipelines[end])) end++;
  const isCertain = !pipelines.slice(start + 1, at + 1).some(({ after }) => after === '||');
  const isLastOfPipe = kindOfCommand(pipeline.commands.at(-1) ?? NOTHING) !== null;
  const isBackground = pipelines[end - 1]?.isBackground ?? false;
  if (!isCertain || isBackground) return 'hidden';
  const code = codePrinted(reading, at, isLastOfPipe || hasPipefail);
  if (code !== null) return code === 0 ? 'passed' : 'failed';
  if (!isLastOfPipe && !hasPipefail) return 'hidden';
  const caught = pipelines.findIndex(
    (one, place) => place > at && place < end && one.after === '||' && !givesUp(one),
  );
  const isLast = end === pipelines.length || isStrict;
  if (caught === -1 && isLast) return 'told';
  return shownByWords(reading, at, caught);
}

/** What is printed only where it worked, or only where it failed, has been printed or not. */
function shownByWords(
  { pipelines, lines, isWhole }: Reading,
  at: number,
  caught: number,
): Evidence['by'] {
  const [next, other] = [pipelines[at + 1], pipelines[caught]];
  const [yes] = next?.after === '&&' ? printedBy(next) : [];
  const [no] = caught === at + 1 && other !== undefined ? printedBy(other) : [];
  if (yes !== undefined) {
    if (lines.has(yes)) return 'passed';
    return isWhole ? 'failed' : 'hidden';
  }
  if (no === undefined) return 'hidden';
  if (lines.has(no)) return 'failed';
  return isWhole ? 'passed' : 'hidden';
}

/** The exit code that the next command prints; null when it prints none. */
function codePrinted({ pipelines, lines }: Reading, at: number, isOwn: boolean): number | null {
  const next = pipelines[at + 1];
  const [echo, ...others] = next?.commands ?? [];
  if (next?.after !== ';' || echo === undefined || others.length > 0) return null;
  const [name, ...words] = echo.words.map(({ text }) => text);
  if (name !== 'echo') return null;
  const said = words.join(' ').trim();
  const variable = isOwn
    ? /\$\?|\$\{PIPESTATUS\[0\]\}|\$\{?pipestatus\[1\]\}?/
    : /\$\{PIPESTATUS\[0\]\}|\$\{?pipestatus\[1\]\}?/;
  const found = variable.exec(said);
  if (found === null) return null;
  const before = said.slice(0, found.index);
  const after = said.slice(found.index + found[0].length);
  if (/[$`]/.test(before + after)) return null;
  for (const line of lines) {
    if (!line.startsWith(before) || !line.endsWith(after)) continue;
    const code = line.slice(before.length, line.length - after.length);
    if (/^\d{1,3}$/.test(code)) return Number(code);
  }
  return null;
}

const NOTHING: Command = { words: [], redirects: [], heredoc: null };

function isNext(pipeline: Pipeline | undefined): boolean {
  return pipeline?.after === '&&' || pipeline?.after === '||';
}

/** The lines that an `echo` of plain words prints; none for other commands. */
export function printedBy({ commands: [command, ...others] }: Pipeline): string[] {
  const [name, ...words] = command?.words ?? [];
  if (command === undefined || others.length > 0 || command.redirects.length > 0) return [];
  if (!/^(?:echo|printf)$/.test(name?.text ?? '') || !words.every(({ isPlain }) => isPlain)) {
    return [];
  }
  const text = words
    .map(({ text }) => text)
    .filter((text) => !/^-[neE]+$/.test(text))
    .join(' ');
  return text
    .split(/\\n|\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** `|| exit 1` leaves the script failed. */
function givesUp({ commands: [command] }: Pipeline): boolean {
  const [name, code] = command?.words.map(({ text }) => text) ?? [];
  return name === 'false' || (/^(?:exit|return)$/.test(name ?? '') && code !== '0');
}

function setOptions({ commands: [command] }: Pipeline): string {
  const [name, ...words] = command?.words.map(({ text }) => text) ?? [];
  return name === 'set' ? words.join(' ') : '';
}

const UNREADABLE: Evidence = {
  by: 'hidden',
  isFiltered: true,
  hidesFailures: false,
  isEndShown: false,
  speaking: 'all',
  own: new Set(),
};

/** Programs that let only some of the lines through. */
const FILTERS = /^(?:head|grep|egrep|fgrep|rg|sed|awk|cut|uniq|wc|sort)$/;

/** Whether some of what a run prints is let through only; `tail` leaves the lines that sum up. */
function isFiltered(pipeline: Pipeline | undefined, { lines }: Reading): boolean {
  return (pipeline?.commands ?? []).some(({ words }) => {
    const [name = '', ...args] = words.map(({ text }) => text);
    if (baseName(name) !== 'head') return FILTERS.test(baseName(name));
    const most =
      /^-(?:n ?)?(\d{1,6})$/.exec(args.join(' '))?.[1] ?? (args.length === 0 ? '10' : '0');
    // It has had less than it would have let through.
    return lines.size >= Number(most);
  });
}

/** Whether a search lets through what names a success, and nothing that names a failure. */
function hidesFailures({ words }: Command): boolean {
  const [name = '', ...args] = words.map(({ text }) => text);
  if (!/^(?:grep|egrep|fgrep|rg|sed|awk)$/.test(baseName(name))) return false;
  const pattern = args.join(' ');
  const isTurned = args.some((arg) => /^-[a-zA-Z]*v|^--invert-match$/.test(arg));
  if (isTurned) return /fail|err/i.test(pattern);
  return /pass|succ|\bok\b|✓|✔/i.test(pattern) && !/fail|err|not ok|[✗✘✖×]/i.test(pattern);
}

/** Whether the last command is a run of which nothing is kept back but the beginning. */
function isEndShown(reading: Reading, at: number | undefined, script: string): boolean {
  const { pipelines, isWhole } = reading;
  const last = at === undefined ? undefined : pipelines[at];
  if (!isWhole || at !== pipelines.length - 1 || last === undefined) return false;
  if (last.isBackground || last.after === '||' || isFiltered(last, reading)) return false;
  const others = last.commands.slice(1);
  const isPassedOn = others.every(({ words: [name] }) =>
    /^(?:head|tail|cat|tee)$/.test(baseName(name?.text ?? '')),
  );
  return isPassedOn && (others.length === 0 || /2>&1|\|&/.test(script));
}
