import type { ToolCall, ToolResult } from '../items/item.ts';
import type { FileAction } from '../workspace/action.ts';

const FENCE = '```';

/**
 * The command that an assistant without tool calls has written, as a call: its message ends in a fence.
 * Null when there is none.
 */
export function writtenCall(said: string): ToolCall | null {
  const text = said.trimEnd();
  if (!text.endsWith(FENCE)) return null;
  const open = text.lastIndexOf(FENCE, text.length - FENCE.length - 1);
  const line = open === -1 ? -1 : text.indexOf('\n', open);
  if (line === -1) return null;
  const script = text.slice(line + 1, -FENCE.length);
  return { kind: 'tool_call', id: '', name: 'bash', input: { command: script }, source: script };
}

/** What the shell has answered to it. */
export function writtenResult(text: string): ToolResult {
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
