import { isJsonObject, stringField } from '../json.ts';
import type { ToolCall, ToolResult, Utterance } from './item.ts';
import { resultText } from './message-text.ts';
import { readUtterances } from './utterances.ts';

// Claude Code puts behind the result of a tool what its model is to read besides: what the user has typed
// meanwhile, what hooks and tasks in the background say, instructions of a folder, and notes of its own.

const OPENING = '<system-reminder>';
const CLOSING = '</system-reminder>';
/** Its own tools, and those of servers; other agents write theirs small, and show files without numbers. */
const OF_CLAUDE_CODE = /^(?:[A-Z]|mcp__)/;
/** Its tools that word their results themselves, or number each line of what they show. */
const OF_OWN_WORDS: ReadonlySet<string> = new Set([
  ...[
    'Read',
    'Edit',
    'MultiEdit',
    'Write',
    'NotebookEdit',
    'TodoWrite',
    'TaskCreate',
    'TaskUpdate',
  ],
  ...['AskUserQuestion', 'EnterPlanMode', 'ExitPlanMode', 'Skill'],
]);
/** More than any result has. */
const MOST = 50;

/** A text, and the blocks at its end in which Claude Code talks to the model. */
type Reminded = { text: string; reminders: string[] };

/** Takes such blocks off the end of a text. Inside a file that was read they stand behind a line number. */
export function splitReminders(text: string): Reminded {
  const reminders: string[] = [];
  let rest = text;
  while (reminders.length < MOST) {
    const end = rest.trimEnd();
    const start = end.endsWith(CLOSING) ? openingOf(end) : -1;
    if (start === -1) break;
    reminders.unshift(end.slice(start));
    rest = end.slice(0, start);
  }
  return { text: reminders.length === 0 ? text : rest.replace(/\n$/, ''), reminders };
}

/** Where the block at the end begins a line; what is said in it may name such a tag. -1 where none does. */
function openingOf(text: string): number {
  const before = text.lastIndexOf(CLOSING, text.length - CLOSING.length - 1);
  let at = text.lastIndexOf(OPENING);
  while (at > 0 && at > before && text[at - 1] !== '\n') at = text.lastIndexOf(OPENING, at - 1);
  return at > before ? at : -1;
}

/** How Hermes puts there what the user has typed meanwhile. */
const TYPED = '\n[OUT-OF-BAND USER MESSAGE — a direct message from the user, ';
const END_TYPED = '\n[/OUT-OF-BAND USER MESSAGE]';

function typedBehind(text: string): string {
  const end = text.trimEnd();
  const at = end.endsWith(END_TYPED) ? end.lastIndexOf(TYPED) : -1;
  return at < 0 ? '' : end.slice(at + 1);
}

/**
 * What is said behind the result of a call, by whom. Empty for calls of other programs: nobody else writes
 * such blocks. What a command, a page or a server has printed may look like them, so there nobody is
 * known to be the user: see `claimedBehind`.
 */
export function saidBehind(call: ToolCall, result: ToolResult): Utterance[] {
  const said = allBehind(call, result);
  return wordsItsResults(call) ? said : said.filter(({ speaker }) => speaker !== 'user');
}

/** What the user has typed meanwhile if the result of a tool is to be believed that shows anybody's words; or null. */
export function claimedBehind(call: ToolCall, result: ToolResult): string | null {
  if (wordsItsResults(call)) return null;
  const said = [...allBehind(call, result), ...readUtterances(typedBehind(resultText(result)))];
  const typed = said.filter(({ speaker }) => speaker === 'user');
  return typed.length === 0 ? null : typed.map(({ text }) => text).join('\n');
}

function allBehind(call: ToolCall, result: ToolResult): Utterance[] {
  return remindersOf(call, resultText(result)).flatMap((reminder) => saidIn(call, reminder));
}

/** Outputs in a notebook have no numbers. */
function wordsItsResults({ name, input }: ToolCall): boolean {
  if (!OF_OWN_WORDS.has(name)) return false;
  const path = isJsonObject(input) ? (stringField(input, 'file_path') ?? '') : '';
  return name !== 'Read' || !/\.ipynb$/i.test(path);
}

/** The blocks behind a text that a call has brought in which not only the program itself speaks; '' for none. */
export function keptBehind(call: ToolCall | null, text: string): string {
  if (call === null) return '';
  const said = remindersOf(call, text).filter((reminder) => saidIn(call, reminder).length > 0);
  return [...said, typedBehind(text)].filter((block) => block !== '').join('\n\n');
}

/** The blocks behind what a call of Claude Code has brought; a command, a page or a server may print such, too. */
export function remindersOf({ name, source }: ToolCall, text: string): string[] {
  const isAnthropic = isJsonObject(source) && source.type === 'tool_use';
  return isAnthropic && OF_CLAUDE_CODE.test(name) ? splitReminders(text).reminders : [];
}

/** The instructions of a folder come with its files; a command or a notebook may print anybody's. */
function saidIn(call: ToolCall, reminder: string): Utterance[] {
  const mayInstruct = call.name === 'Read' && wordsItsResults(call);
  return readUtterances(reminder).filter(
    ({ speaker }) => speaker !== 'program' && (speaker !== 'project_instructions' || mayInstruct),
  );
}
