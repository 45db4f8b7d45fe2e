import type { ToolCall, ToolResult } from '../items/item.ts';
import type { Json } from '../json.ts';
import { parseInside } from '../json-text.ts';
import type { FileAction } from '../workspace/action.ts';

const FENCE = '```';
const TAGS_END = '</function>';
const PARAMETER_END = '</parameter>';

/**
 * The call that an assistant without tool calls has written: its message ends in a command in a fence, or
 * in a call in tags. Null when there is none.
 */
export function writtenCall(said: string): ToolCall | null {
  const text = said.trimEnd().replace(/\s{0,4}<\/tool_call>$/, '');
  if (text.endsWith(TAGS_END)) return callInTags(text);
  if (!text.endsWith(FENCE)) return null;
  const open = text.lastIndexOf(FENCE, text.length - FENCE.length - 1);
  const line = open === -1 ? -1 : text.indexOf('\n', open);
  if (line === -1) return null;
  const script = text.slice(line + 1, -FENCE.length);
  return { kind: 'tool_call', id: '', name: 'bash', input: { command: script }, source: script };
}

/** Beginnings that are tried: the text of an argument may speak of such calls. */
const MOST_TRIED = 4;

/** As prompts of SWE-agent and OpenHands, and models like Qwen, have it: one tag for each argument. */
function callInTags(text: string): ToolCall | null {
  let depth = 0;
  let tried = 0;
  for (const { 0: tag, index } of [...text.matchAll(/<function=|<\/function>/g)].reverse()) {
    depth += tag === TAGS_END ? -1 : 1;
    if (depth < 0) continue;
    const call = callFrom(text.slice(index));
    if (call !== null || ++tried === MOST_TRIED) return call;
  }
  return null;
}

/** The call that all of a text is; null where it is none. */
function callFrom(source: string): ToolCall | null {
  const head = /^<function=([\w.-]{1,100})>/.exec(source);
  if (head === null) return null;
  const input: [name: string, value: Json][] = [];
  const [first = '', ...pieces] = source
    .slice(head[0].length, -TAGS_END.length)
    // An argument ends where the next one begins, and not where its text speaks of an end.
    .split(/(?<=^\s{0,4}|<\/parameter>\s{0,4})<parameter=/);
  if (first.trim() !== '') return null;
  for (const piece of pieces) {
    const [start, name] = /^([\w-]{1,100})>\n?/.exec(piece) ?? [];
    const text = piece.trimEnd();
    if (start === undefined || name === undefined || !text.endsWith(PARAMETER_END)) return null;
    const value = text.slice(start.length, -PARAMETER_END.length).replace(/\n$/, '');
    // The end of one is missing.
    if (value.includes('\n<parameter=') && !value.includes(TAGS_END)) return null;
    input.push([name, /^\[\s*-?\d/.test(value) ? (parseInside(value) ?? value) : value]);
  }
  return {
    kind: 'tool_call',
    id: '',
    name: head[1] ?? '',
    input: Object.fromEntries(input),
    source,
  };
}

/** What stands above an answer to a call that was written so. */
const ANSWER_HEAD = /^(?:OBSERVATION|EXECUTION RESULT of \[[\w ]{1,60}\]):\n?/;

/** What has been answered to it. */
export function writtenResult(answer: string): ToolResult {
  const text = answer.replace(ANSWER_HEAD, '');
  return { kind: 'tool_result', call_id: '', content: [{ kind: 'text', text }], is_error: false };
}

/** The folder that SWE-agent's shell says it is in; null where it says nothing. */
export function folderShown(answer: string): string | null {
  return /\n\(Current directory: ([^\n]{1,500})\)\s*\n?bash-\$\s*$/.exec(answer)?.[1] ?? null;
}

/**
 * What SWE-agent's own commands do: `open`, `create` and `edit`, which changes the file that its answer
 * says is open. Null for scripts of a shell.
 */
export function agentAction(script: string, answer: string): FileAction | null {
  const command = /^(open|create|edit)\s+(?:\S|$)/.exec(script)?.[1];
  const path = /\n\(Open file: ([^\n]{1,500})\)\n/.exec(answer.slice(-1_500))?.[1];
  if (command === undefined || path === undefined || path === 'n/a') return null;
  switch (command) {
    case 'open':
      return { kind: 'seen', path, text: null };
    case 'create':
      return { kind: 'written', path, text: '' };
    default: {
      const text = /^edit \d{1,7}:\d{1,7}\n([\s\S]*?)\nend_of_edit/.exec(script)?.[1];
      if (text === undefined || !answer.includes('File updated.')) return null;
      return { kind: 'appended', path, text };
    }
  }
}
