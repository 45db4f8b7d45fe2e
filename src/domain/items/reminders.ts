import { isJsonObject } from '../json.ts';
import type { ToolCall, ToolResult, Utterance } from './item.ts';
import { resultText } from './message-text.ts';
import { readUtterances } from './utterances.ts';

// Claude Code puts behind the result of a tool what its model is to read besides: what the user has typed
// meanwhile, what hooks and tasks in the background say, instructions of a folder, and notes of its own.

const OPENING = '<system-reminder>';
const CLOSING = '</system-reminder>';
/** Its own tools, and those of servers; other agents write theirs small, and show files without numbers. */
const OF_CLAUDE_CODE = /^(?:[A-Z]|mcp__)/;
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
    const start = end.endsWith(CLOSING) ? end.lastIndexOf(OPENING) : -1;
    if (start === -1 || (start > 0 && end[start - 1] !== '\n')) break;
    reminders.unshift(end.slice(start));
    rest = end.slice(0, start);
  }
  return { text: reminders.length === 0 ? text : rest.replace(/\n$/, ''), reminders };
}

/**
 * What is said behind the result of a call, by whom. Empty for calls of other programs: nobody else writes
 * such blocks, and what a command has printed may look like them. (Claude Code's model cannot tell that either.)
 */
export function saidBehind(call: ToolCall, result: ToolResult): Utterance[] {
  return remindersOf(call, resultText(result)).flatMap((reminder) => saidIn(call, reminder));
}

/** The blocks behind a text that a call has brought in which not only the program itself speaks; '' for none. */
export function keptBehind(call: ToolCall | null, text: string): string {
  if (call === null) return '';
  return remindersOf(call, text)
    .filter((reminder) => saidIn(call, reminder).length > 0)
    .join('\n\n');
}

function remindersOf({ name, source }: ToolCall, text: string): string[] {
  const isAnthropic = isJsonObject(source) && source.type === 'tool_use';
  return isAnthropic && OF_CLAUDE_CODE.test(name) ? splitReminders(text).reminders : [];
}

/** The instructions of a folder come with its files; a command may print anybody's. */
function saidIn({ name }: ToolCall, reminder: string): Utterance[] {
  return readUtterances(reminder).filter(
    ({ speaker }) =>
      speaker !== 'program' && (speaker !== 'project_instructions' || name === 'Read'),
  );
}
