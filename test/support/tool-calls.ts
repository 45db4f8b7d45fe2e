import type { ToolCall, ToolResult } from '../../src/domain/items/item.ts';
import type { Json } from '../../src/domain/json.ts';
import type { FileAction } from '../../src/domain/workspace/action.ts';
import { actionsOfCall } from '../../src/domain/workspace/call-actions.ts';
import { Effort } from '../../src/domain/workspace/effort.ts';

/** Calls and results as the domain has them, whatever format they came in. Not a test file. */

export function toolCall(name: string, input: Json): ToolCall {
  return { kind: 'tool_call', id: 'c', name, input, source: input };
}

export function toolResult(text: string, is_error = false): ToolResult {
  return { kind: 'tool_result', call_id: 'c', content: [{ kind: 'text', text }], is_error };
}

/** What one call with this answer has done, in the folder `/w`. */
export function done(name: string, input: Json, answer: string): FileAction[] {
  const folders = { session: '/w', shell: '/w' };
  return actionsOfCall(toolCall(name, input), toolResult(answer), folders, new Effort()).actions;
}

/** An answer of Codex's `exec_command` since 0.60. */
export function codex(output: string, code = 0): string {
  return `Chunk ID: 5f2c31\nWall time: 0.0512 seconds\nProcess exited with code ${code}\nOriginal token count: 12\nOutput:\n${output}`;
}
