import type { ToolCall, ToolResult } from '../items/item.ts';
import { scriptOf } from '../items/shell-script.ts';
import { isEditor, useOf } from './editor-actions.ts';
import { answerTo, type Told } from './result-text.ts';

/** What a call runs in a shell; null for other tools, such as editors whose commands are words of their own. */
export function scriptRunBy(call: ToolCall): string | null {
  return isEditor(call) || useOf(call) !== null ? null : (scriptOf(call)?.text ?? null);
}

/** What a tool has answered to this call; `call` is null where nobody knows what it answers. */
export function answerToCall(call: ToolCall | null, result: ToolResult): Readonly<Told> {
  return answerTo(call === null ? null : scriptRunBy(call), result);
}
