import { commandOf } from '../compaction/extractive/files.ts';
import { todosOfInput, todosOfText } from '../compaction/extractive/todos.ts';
import type { Attachment, ToolCall, ToolResult } from '../items/item.ts';
import { isJsonObject, type Json } from '../json.ts';
import type { OpenCommand } from '../session/events.ts';
import type { Boundary } from './boundaries.ts';
import type { Config } from './config.ts';

/** Tools that run a command line, under the names that agents give them; in lower case. */
const SHELL_TOOLS: ReadonlySet<string> = new Set([
  'shell',
  'bash',
  'exec_command',
  'shell_command',
  'local_shell',
  'container.exec',
  'execute_bash',
  'execute_command',
  'run_shell_command',
  'run_command',
  'run_terminal_cmd',
]);

/** Words in front of a command that do not change what it is. */
const IN_FRONT: ReadonlySet<string> = new Set([
  ...['sudo', 'env', 'time', 'timeout', 'nohup', 'command', 'exec'],
  ...['if', 'then', 'else', 'do', '!'],
  ...['bash', 'sh', 'zsh', 'dash'],
]);

/**
 * The boundaries that a call reaches once it has succeeded: commit, PR checkpoint, or both, when it is
 * a shell call that runs one of the configured commands (SPEC section 11).
 */
export function commandBoundaries(call: ToolCall, config: Config): OpenCommand['boundary'][] {
  if (!SHELL_TOOLS.has(call.name.toLowerCase())) return [];
  const line = commandLine(call.input);
  const runs = (commands: readonly string[]) => runsOneOf(line, commands.map(wordsOf));
  return [
    ...(runs(config.signal_commit_commands) ? ['commit' as const] : []),
    ...(runs(config.signal_pr_commands) ? ['pr_checkpoint' as const] : []),
  ];
}

function commandLine(input: Json): string {
  if (typeof input === 'string') return input;
  if (!isJsonObject(input)) return '';
  const { commands } = input;
  if (Array.isArray(commands)) return commands.filter((one) => typeof one === 'string').join('\n');
  return commandOf(input) ?? '';
}

/** Whether one of the commands stands in a line: no shell grammar, quotes only part words. */
function runsOneOf(line: string, commands: readonly string[][]): boolean {
  const programs = [...new Set(commands.flatMap((command) => command.slice(0, 1)))];
  return line.split(/[\n;&|(){}`]+/).some((step) => {
    // A line can have millions of steps: hardly any needs to be taken apart.
    if (!programs.some((program) => step.includes(program))) return false;
    const words = wordsOf(step);
    const start = words.findIndex((word) => !isInFront(word));
    const run = start < 0 ? [] : words.slice(start);
    return commands.some((command) => isCommand(run, command));
  });
}

function wordsOf(text: string): string[] {
  return text.split(/[\s"']+/).filter((word) => word !== '');
}

function isInFront(word: string): boolean {
  return (
    IN_FRONT.has(fileName(word)) || isOption(word) || /^(?:\d+[smh]?$|[A-Za-z_]\w*=)/.test(word)
  );
}

/** Whether the words of a command stand at the start of a step, options between them left aside. */
function isCommand(step: readonly string[], command: readonly string[]): boolean {
  if (command.length === 0 || fileName(step[0] ?? '') !== command[0]) return false;
  let at = 1;
  for (const wanted of command.slice(1)) {
    while (isOption(step[at]) && step[at] !== wanted) {
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

function fileName(word: string): string {
  return word.slice(word.lastIndexOf('/') + 1);
}

/** How agents write down the exit code of a command, at the head or at the end of its output. */
const EXIT_CODE =
  /(?:(?:^|\n)(?:process )?exit(?:ed with)? code:? ?|"exit_code":\s?|<returncode>)(-?\d{1,10})/i;
const EXIT_CODE_WITHIN = 300;

/** Whether a result tells of success: it is no error, and names no exit code but 0. */
export function hasSucceeded({ is_error, content }: ToolResult): boolean {
  if (is_error) return false;
  const text = content.map((part) => (part.kind === 'text' ? part.text : '')).join('\n');
  return [text.slice(0, EXIT_CODE_WITHIN), text.slice(-EXIT_CODE_WITHIN)].every((part) => {
    const code = EXIT_CODE.exec(part)?.[1];
    return code === undefined || Number(code) === 0;
  });
}

/**
 * How many steps of a plan are completed after a call of a plan tool, or as a todo attachment shows
 * it; null for everything else (SPEC section 11).
 */
export function completedSteps(source: ToolCall | Attachment, config: Config): number | null {
  const todos = source.kind === 'tool_call' ? planOf(source, config) : attached(source);
  return todos?.filter(({ status }) => status === 'done').length ?? null;
}

function planOf({ name, input }: ToolCall, config: Config) {
  const tool = name.toLowerCase();
  if (!config.signal_plan_tools.some((other) => other.toLowerCase() === tool)) return null;
  if (!isJsonObject(input)) return todosOfText(typeof input === 'string' ? input : '');
  const { plan } = input;
  return todosOfInput(input) ?? todosOfText(typeof plan === 'string' ? plan : '');
}

function attached({ attachment, is_empty, text }: Attachment) {
  return attachment === 'todo' && !is_empty ? todosOfText(text) : null;
}

/**
 * The boundaries that a text of the agent speaks of. Phrases are plain text and count as whole words,
 * in any case: "unfinished" is not "finished" (SPEC section 11).
 */
export function textBoundaries(text: string, config: Config): Boundary[] {
  const plain = comparable(text);
  const says = (phrases: readonly string[]) => phrases.some((phrase) => hasPhrase(plain, phrase));
  const isDone = says(config.signal_agent_done) && !says(config.signal_agent_done_unless);
  return [
    ...(says(config.signal_topic_shift) ? ['topic_shift' as const] : []),
    ...(isDone ? ['agent_done' as const] : []),
    ...(says(config.signal_concluding_thought) ? ['concluding_thought' as const] : []),
  ];
}

function comparable(text: string): string {
  return text.toLowerCase().replaceAll('’', "'");
}

function hasPhrase(text: string, phrase: string): boolean {
  const wanted = comparable(phrase);
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
    const end = at + wanted.length;
    const startsInWord = isWord(text[at - 1]) && isWord(wanted[0]);
    const endsInWord = isWord(text[end]) && isWord(wanted[wanted.length - 1]);
    if (!startsInWord && !endsInWord) return true;
  }
  return false;
}

function isWord(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}_]/u.test(character);
}
