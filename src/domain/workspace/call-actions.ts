import type { ToolCall, ToolResult } from '../items/item.ts';
import type { FileAction } from './action.ts';
import { editorActions, useOf } from './editor-actions.ts';
import { answerOf } from './result-text.ts';
import { shellActions } from './shell/actions.ts';
import { resolved } from './shell/effect.ts';
import { inputOf, pathOf } from './tool-input.ts';

/**
 * What a tool call with its result has done to files, and shown of them. Nothing for failed calls,
 * as far as they cannot have done something before they failed.
 */
export function actionsOfCall(
  call: ToolCall,
  result: ToolResult,
  folder: string | null,
): FileAction[] {
  const answer = answerOf(result);
  const script = useOf(call) === null ? shellActions(call, answer, folder) : null;
  return (script ?? editorActions(call, answer)).map((action) => resolved(action, folder));
}

/** A call without a result may have been carried out, or not. */
export function actionsOfOpenCall(call: ToolCall, folder: string | null): FileAction[] {
  const use = useOf(call);
  const path = pathOf(inputOf(call));
  if (use === null || use === 'read' || path === undefined) return [];
  const by = `${call.name} without a result`;
  return [resolved({ kind: 'changed', path, by, isCertain: false }, folder)];
}
