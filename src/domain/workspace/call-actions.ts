import type { ToolCall, ToolResult } from '../items/item.ts';
import { changedBy, changesNamed, type FileAction } from './action.ts';
import { answerToCall } from './call-answer.ts';
import { editorActions, isEditor, useOf } from './editor-actions.ts';
import type { Effort } from './effort.ts';
import { otherToolActions } from './other-tools.ts';
import { resolved, withinReach } from './paths.ts';
import { isUnstarted, type Told, wasStopped } from './result-text.ts';
import { shellActions } from './shell/actions.ts';
import { toolName } from './tool-input.ts';

/** Where a session works: its programs start in `session`, a shell that goes on is in `shell`. */
type Folders = { session: string | null; shell: string | null };

/**
 * What a tool call with its result has done to files, and shown of them. Nothing for failed calls,
 * as far as they cannot have done something before they failed. `shell`: where the shell is afterwards.
 */
export function actionsOfCall(
  call: ToolCall,
  result: ToolResult,
  folders: Folders,
  effort: Effort,
): { actions: FileAction[]; shell: string | null } {
  const answer = answerToCall(call, result);
  if (result.is_in_doubt || wasStopped(answer.text)) {
    return { actions: actionsOfOpenCall(call, folders, effort), shell: folders.shell };
  }
  if (isUnstarted(answer)) return { actions: [], shell: folders.shell };
  const shell = shellOf(call, folders);
  const use = useOf(call);
  const ran = use === null && !isEditor(call) ? shellActions(call, answer, shell, effort) : null;
  if (ran !== null) {
    return {
      actions: ran.actions.flatMap(withinReach),
      shell: shellAfter(call, folders, ran.folder),
    };
  }
  const done = editorActions(call, answer);
  const actions = use === null && done.length === 0 ? otherToolActions(call, answer) : done;
  return {
    actions: actions.flatMap((action) => withinReach(resolved(action, folders.session))),
    shell: folders.shell,
  };
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

/** An answer that nobody has seen: the call may have been carried out, in whole or in part. */
const UNKNOWN: Told = {
  text: '',
  isFailed: false,
  isShortened: true,
  isUnfinished: true,
  isRefused: false,
  isCleared: true,
  isTold: false,
};

/** A call without a result may have been carried out, or not. */
export function actionsOfOpenCall(call: ToolCall, folders: Folders, effort: Effort): FileAction[] {
  const by = `${call.name} without a result`;
  const actions = actionsOfUnknown(call, folders, effort).flatMap(withinReach);
  return actions.flatMap((action): FileAction[] => {
    if (!changesNamed(action)) return action.kind === 'seen' ? [] : [action];
    return changedBy(action).map((path) => ({ kind: 'changed', path, by, isCertain: false }));
  });
}

function actionsOfUnknown(call: ToolCall, folders: Folders, effort: Effort): FileAction[] {
  const use = useOf(call);
  const shell = shellOf(call, folders);
  const ran = use === null && !isEditor(call) ? shellActions(call, UNKNOWN, shell, effort) : null;
  if (ran !== null) return ran.actions;
  const actions = use === null ? otherToolActions(call, UNKNOWN) : editorActions(call, UNKNOWN);
  return actions.map((action) => resolved(action, folders.session));
}
