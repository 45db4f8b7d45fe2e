import { z } from 'zod';
import { addTo } from '../group-by.ts';
import type { ToolCall } from '../items/item.ts';
import { scriptOf } from '../items/shell-script.ts';
import { baseName } from '../names.ts';
import type { Config } from './config.ts';

/** A shell call that becomes a boundary when its result says that it succeeded. */
export const openCommandSchema = z.strictObject({
  id: z.string(),
  boundary: z.enum(['commit', 'pr_checkpoint']),
});
export type OpenCommand = z.infer<typeof openCommandSchema>;

/** Tools that run a command line, under the names that agents give them; in lower case. */
const SHELL_TOOLS: ReadonlySet<string> = new Set(
  `shell bash exec_command shell_command local_shell container.exec execute_bash
  execute_command run_shell_command run_command run_commands run_terminal_cmd execute`.split(/\s+/),
);

/** Words in front of a command that do not change what it is. */
const IN_FRONT: ReadonlySet<string> = new Set([
  ...['sudo', 'env', 'time', 'timeout', 'nohup', 'command', 'exec'],
  ...['if', 'then', 'else', 'do', '!'],
  ...['bash', 'sh', 'zsh', 'dash'],
]);

/** Of one command line both ends are read, so many characters together: files are written in between. */
const LINE_CHARACTERS = 20_000;
/** Read of all command lines of a request, and comparisons of a step with a configured command. */
const REQUEST_CHARACTERS = 1_000_000;
const REQUEST_COMPARISONS = 1_000_000;

type Boundary = OpenCommand['boundary'];
/** The configured commands by their program, which is their first word. */
type Programs = ReadonlyMap<string, { words: string[]; boundary: Boundary }[]>;
type Left = { characters: number; comparisons: number };

/**
 * A reader for the calls of one request: the boundaries that a call reaches once it has succeeded,
 * commit, PR checkpoint, or both, when it is a shell call that runs one of the configured commands
 * (SPEC section 11). What it reads of a request is bounded; calls after that reach none.
 */
export function commandReader(config: Config): (call: ToolCall) => Boundary[] {
  const left: Left = { characters: REQUEST_CHARACTERS, comparisons: REQUEST_COMPARISONS };
  let programs: Programs | null = null;
  return (call) => {
    if (!SHELL_TOOLS.has(call.name.toLowerCase())) return [];
    programs ??= programsOf(config);
    const reached = boundariesIn(bothEnds(commandLine(call)), programs, left);
    return (['commit', 'pr_checkpoint'] as const).filter((boundary) => reached.has(boundary));
  };
}

function programsOf(config: Config): Programs {
  const programs = new Map<string, { words: string[]; boundary: Boundary }[]>();
  const add = (commands: readonly string[], boundary: Boundary) => {
    for (const command of commands) {
      const words = wordsOf(command);
      const [program] = words;
      if (program !== undefined) addTo(programs, program, { words, boundary });
    }
  };
  add(config.signal_commit_commands, 'commit');
  add(config.signal_pr_commands, 'pr_checkpoint');
  return programs;
}

function commandLine(call: ToolCall): string {
  return typeof call.input === 'string' ? call.input : (scriptOf(call)?.text ?? '');
}

function bothEnds(line: string): string {
  if (line.length <= LINE_CHARACTERS) return line;
  const half = LINE_CHARACTERS / 2;
  return `${line.slice(0, half)}\n${line.slice(-half)}`;
}

/** What stands in a line: no shell grammar, quotes only part words. */
function boundariesIn(line: string, programs: Programs, left: Left): Set<Boundary> {
  const reached = new Set<Boundary>();
  if (left.characters <= 0) return reached;
  left.characters -= line.length;
  for (const step of line.split(/[\n;&|(){}`]+/)) {
    if (left.comparisons <= 0) break;
    const words = wordsOf(step);
    const start = words.findIndex((word) => !isInFront(word));
    const run = start < 0 ? [] : words.slice(start);
    const candidates = programs.get(baseName(run[0] ?? '')) ?? [];
    left.comparisons -= candidates.length;
    for (const { words: wanted, boundary } of candidates) {
      if (!reached.has(boundary) && isCommand(run, wanted)) reached.add(boundary);
    }
  }
  return reached;
}

function wordsOf(text: string): string[] {
  return text.split(/[\s"']+/).filter((word) => word !== '');
}

function isInFront(word: string): boolean {
  return (
    IN_FRONT.has(baseName(word)) || isOption(word) || /^(?:\d+[smh]?$|[A-Za-z_]\w*=)/.test(word)
  );
}

/** Options that a step may have in front of the next word of a command. */
const MOST_OPTIONS = 40;

/** Whether the words of a command stand at the start of a step, options between them left aside. */
function isCommand(step: readonly string[], [, ...command]: readonly string[]): boolean {
  let at = 1;
  for (const wanted of command) {
    const end = at + MOST_OPTIONS;
    while (at < end && isOption(step[at]) && step[at] !== wanted) {
      at += 1;
      // `-C folder`: what follows an option and is not what is looked for belongs to it.
      if (step[at] !== wanted && !isOption(step[at])) at += 1;
    }
    if (step[at] !== wanted) return false;
    at += 1;
  }
  return true;
}

function isOption(word: string | undefined): boolean {
  return word?.startsWith('-') === true;
}
