import type { ToolCall, ToolResult } from '../items/item.ts';
import type { Json } from '../json.ts';
import { parseInside } from '../json-text.ts';
import type { FileAction } from '../workspace/action.ts';

const FENCE = '```';
const TAGS_END = '</function>';

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

/** As prompts of SWE-agent and OpenHands, and models like Qwen, have it: one tag for each argument. */
function callInTags(text: string): ToolCall | null {
  const open = text.lastIndexOf('<function=');
  const source = text.slice(open);
  const head = open === -1 ? null : /^<function=([\w.-]{1,100})>/.exec(source);
  if (head === null) return null;
  const input: Record<string, Json> = {};
  // An argument ends where the next one begins: its text may speak of such tags.
  for (const piece of source
    .slice(head[0].length, -TAGS_END.length)
    .split(/\n?<parameter=/)
    .slice(1)) {
    const end = piece.lastIndexOf('</parameter>');
    const [start, name] = /^([\w-]{1,100})>\n?/.exec(piece) ?? [];
    if (start === undefined || name === undefined || end < start.length) return null;
    const value = piece.slice(start.length, end).replace(/\n$/, '');
    input[name] = /^\[\s*-?\d/.test(value) ? (parseInside(value) ?? value) : value;
  }
  return { kind: 'tool_call', id: '', name: head[1] ?? '', input, source };
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
