import { baseName } from '../names.ts';
import { type Command, type Pipeline, parseLoosely } from '../workspace/shell/lex.ts';
import { printedBy } from './exit-code.ts';

/** Characters of a script that are read. */
const LOOKED_AT = 20_000;

/** These say with exit code 1 that they found nothing, or a difference; or nothing to stop. */
const SEARCHES =
  /^(?:rg|grep|egrep|fgrep|ag|ack|diff|cmp|test|\[|find|ls|which|command|pgrep|pkill|killall)$/;

/** These say with exit code 1 that there is nothing to show, where their errors are thrown away. */
const PRINTS_FILES = /^(?:head|tail|cat|stat|wc)$/;

/**
 * Whether a script ends with a search, whose code says no more than whether it found something.
 * `shown`: the lines that were printed.
 */
export function endsInSearch(script: string, shown: readonly string[] = []): boolean {
  const { pipelines, at, words } = lastRun(script, shown);
  const [program = '', second] = words;
  if (SEARCHES.test(program) || (program === 'git' && /^(?:diff|grep)$/.test(second ?? ''))) {
    return true;
  }
  return (
    PRINTS_FILES.test(program) && /2>\s?\/dev\/null\s*$/.test(script) && isCodeOf(pipelines, at)
  );
}

/** A shell within a shell, and no more than one in that. */
const DEEPEST = 2;

/** The pipelines of a script; of one that only hands another to a shell, those of that. */
function pipelinesOf(script: string, depth = 0): Pipeline[] {
  const pipelines = parseLoosely(script.slice(0, LOOKED_AT));
  const [{ commands: [command, ...piped] = [] } = {}, ...others] = pipelines;
  if (others.length > 0 || piped.length > 0 || depth === DEEPEST) return pipelines;
  const [shell = '', ...words] = command?.words.map(({ text }) => text) ?? [];
  if (!/^(?:ba|z|da)?sh$/.test(baseName(shell))) return pipelines;
  const at = words.findIndex((word) => /^-[a-z]*c$/.test(word));
  const inner = words.slice(0, at + 1).every((word) => word.startsWith('-')) ? words[at + 1] : '';
  return at === -1 || !inner ? pipelines : pipelinesOf(inner, depth + 1);
}

/** The pipelines of a script, which of them decides how it ends, and the words of the last command there. */
function lastRun(script: string, shown: readonly string[]) {
  const pipelines = pipelinesOf(script);
  let at = endOf(pipelines, new Set(shown));
  // What only says that something was found has not been run, or has worked.
  while (isSaying(pipelines[at])) at--;
  const words = pipelines[at]?.commands.at(-1)?.words.map(({ text }) => text) ?? [];
  return { pipelines, at, words };
}

/**
 * Where a row of commands has stopped that shows its headings in between: in front of the first heading
 * that was not printed, where nothing else was run from there on. At its end where none was printed at
 * all, or a later one was.
 */
function endOf(pipelines: readonly Pipeline[], shown: ReadonlySet<string>): number {
  const isHeading = (one: Pipeline) => printedBy(one).length > 0;
  const isShown = (one: Pipeline) =>
    isHeading(one) && printedBy(one).every((line) => shown.has(line));
  const last = pipelines.findLastIndex(isShown);
  // What comes after anything but a `&&` is run whatever became of the commands in front of it.
  const start = Math.max(
    last,
    pipelines.findLastIndex(({ after }) => after !== '&&'),
  );
  const missing = pipelines.findIndex((one, at) => at > start && isHeading(one));
  return last >= 0 && missing > 0 ? missing - 1 : pipelines.length - 1;
}

/** These go on where they are, or say so. */
const CHANGES_FOLDER = /^(?:cd|pushd)$/;

/** Whether the code of a script is that of the pipeline at this place: nothing in front could have ended it. */
function isCodeOf(pipelines: readonly Pipeline[], at: number): boolean {
  const isStrict = pipelines.some(
    ({ commands: [command] }) =>
      command?.words[0]?.text === 'set' &&
      command.words.some(({ text }) => /^-[a-z]*e|^errexit$/.test(text)),
  );
  let start = at;
  while (start > 0 && (isStrict || /^(?:&&|\|\|)$/.test(pipelines[start]?.after ?? ''))) start--;
  const before = pipelines.slice(start, at).flatMap(({ commands }) => commands);
  const isHarmless = before.every(({ words: [program] }) => {
    const name = program?.text ?? '';
    return [PRINTS_FILES, SEARCHES, CHANGES_FOLDER, /^(?:echo|printf|set)$/].some((one) =>
      one.test(name),
    );
  });
  return isHarmless && pipelines[at]?.commands.length === 1;
}

function isSaying(pipeline: Pipeline | undefined): boolean {
  const [command, ...others] = pipeline?.commands ?? [];
  const says = /^(?:echo|printf)$/.test(command?.words[0]?.text ?? '');
  return pipeline?.after === '&&' && others.length === 0 && says;
}

/** Programs that are asked whether something is there: what they say when it is not is their answer. */
const ASKS = /^(?:which|type|hash|where|where\.exe|whereis|pidof)$/;
/** The same by the words behind the program. */
const ASKS_WITH = new RegExp(
  [
    'command -[vV]',
    'dpkg(?:-query)? (?:-[slLS]|--(?:status|list|listfiles|search))',
    'rpm -q\\w*',
    'brew (?:list|ls)',
    'pip3? show',
    'python3? -m pip show',
    'systemctl (?:--user )?(?:status|is-(?:active|enabled|failed))',
    'git (?:rev-parse (?:-q |--quiet )?--verify|show-ref|merge-base --is-ancestor|check-ignore|ls-files --error-unmatch|config --get)',
    'jq (?:-[a-zA-Z]*e|--exit-status)',
    'kill -0',
    'ps (?:-\\w{1,9} ){0,5}-(?:\\w*p|-pid)',
    'tmux has(?:-session)?',
  ]
    .map((words) => `^${words}(?= |$)`)
    .join('|'),
);

/** These say "no" without a word: what tells of an error is one. */
const QUIET = /^(?:jq|git (?:merge-base|check-ignore|config)) /;
/** On Windows `type` shows a file. */
const SHOWS_FILE = /^type \S{0,400}[.:/\\]/;

/**
 * Whether a script ends with a question, to which a failure is the answer "no". `tellsError`: what it
 * printed does; `shown`: the lines of it.
 */
export function endsInQuestion(
  script: string,
  tellsError: boolean,
  shown: readonly string[] = [],
): boolean {
  const { pipelines, at, words } = lastRun(script, shown);
  if (!isCodeOf(pipelines, at)) return false;
  const [program = '', ...others] = words;
  const line = [baseName(program), ...others].join(' ');
  if (SHOWS_FILE.test(line) || (tellsError && QUIET.test(line))) return false;
  return ASKS.test(baseName(program)) || ASKS_WITH.test(line);
}

/** Whether a script ends with a command that is stopped after some time. */
export function endsByClock(script: string): boolean {
  const last = pipelinesOf(script).at(-1)?.commands[0];
  return /^g?timeout$/.test(baseName(last?.words[0]?.text ?? ''));
}

/** Programs that print what stands in files, or which there are. */
const SHOWS =
  /^(?:cat|bat|nl|head|tail|sed|grep|egrep|fgrep|zgrep|rg|ag|ack|ls|tree|find|fd|wc|cut|tr|uniq|sort|tac|less|stat|file|du|pwd|cd|echo|printf)$/;
const GIT_SHOWS = /^(?:show|diff|log|grep|blame|ls-files|ls-tree|status)$/;
/** How shells, PowerShell's commands and what was to start a shell begin when they cannot run a line. */
const SHELL =
  /^(?:(?:\(eval\)|-?(?:\/\S{1,200}\/)?(?:ba|da|z|k)?sh):|[A-Z][a-z]{1,20}-[A-Z]\w{1,40} ?: |The system cannot find |(?:Error: )?spawn \S{1,200} E[A-Z]{2,20}\b)/;

/**
 * Of the lines that a script has printed those that are messages: where all that it runs shows files, what
 * they hold speaks of errors as well. All lines of any other script.
 */
export function messagesAmong(lines: readonly string[], script: string): readonly string[] {
  const commands = parseLoosely(script.slice(0, LOOKED_AT)).flatMap(({ commands }) => commands);
  if (commands.length === 0 || !commands.every(showsFiles)) return lines;
  const speakers = new Set(commands.map(({ words: [program] }) => baseName(program?.text ?? '')));
  if (speakers.has('git')) for (const speaker of ['fatal', 'error', 'ssh']) speakers.add(speaker);
  return lines.filter((line) => SHELL.test(line) || speakers.has(speakerOf(line)));
}

/** The program that stands in front of a message: PowerShell sets it off by a blank, `bat` and `fd` in brackets. */
function speakerOf(line: string): string {
  const label = line.slice(0, Math.max(0, line.indexOf(': '))).trim();
  return baseName(/^\[(\w{1,20}) error\]$/.exec(label)?.[1] ?? label);
}

function showsFiles({ words: [program, second] }: Command): boolean {
  const name = baseName(program?.text ?? '');
  return SHOWS.test(name) || (name === 'git' && GIT_SHOWS.test(second?.text ?? ''));
}
