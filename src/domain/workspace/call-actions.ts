import type { ToolCall, ToolResult } from '../items/item.ts';
import type { FileAction } from './action.ts';
import { editorActions, useOf } from './editor-actions.ts';
import { resolved } from './paths.ts';
import { answerOf } from './result-text.ts';
import { shellActions } from './shell/actions.ts';
import { inputOf, pathOf, toolName } from './tool-input.ts';

/** Where a session works: its programs start in `session`, a shell that goes on is in `shell`. */
export type Folders = { session: string | null; shell: string | null };

/**
 * What a tool call with its result has done to files, and shown of them. Nothing for failed calls,
 * as far as they cannot have done something before they failed. `shell`: where the shell is afterwards.
 */
export function actionsOfCall(
  call: ToolCall,
  result: ToolResult,
  folders: Folders,
): { actions: FileAction[]; shell: string | null } {
  const answer = answerOf(result);
  const shell = shellOf(call, folders);
  const ran = useOf(call) === null ? shellActions(call, answer, shell) : null;
  if (ran !== null) return { actions: ran.actions, shell: shellAfter(call, folders, ran.folder) };
  const actions = editorActions(call, answer).map((action) => resolved(action, folders.session));
  return { actions, shell: folders.shell };
}

/** Codex and Gemini CLI run each command in a shell of its own. */
const SHELLS_OF_THEIR_OWN =
  /^(?:shell|shellcommand|execcommand|localshell|runshellcommand|containerexec)$/;

function shellOf(call: ToolCall, { session, shell }: Folders): string | null {
  return SHELLS_OF_THEIR_OWN.test(toolName(call)) ? session : shell;
}

/** Claude Code's shell stays where it went; of others that are called `bash` nobody knows. */
function shellAfter(call: ToolCall, { shell }: Folders, end: string | null): string | null {
  if (SHELLS_OF_THEIR_OWN.test(toolName(call))) return shell;
  return call.name === 'Bash' || end === shell ? end : null;
}

/** A call without a result may have been carried out, or not. */
export function actionsOfOpenCall(call: ToolCall, folder: string | null): FileAction[] {
  const use = useOf(call);
  const path = pathOf(inputOf(call));
  if (use === null || use === 'read' || path === undefined) return [];
  const by = `${call.name} without a result`;
  return [resolved({ kind: 'changed', path, by, isCertain: false }, folder)];
}
