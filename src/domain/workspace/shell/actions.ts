import type { ToolCall } from '../../items/item.ts';
import { scriptOf } from '../../items/shell-script.ts';
import type { FileAction } from '../action.ts';
import { actionsOfPatch, patchIn } from '../patch.ts';
import { resolved, resolvePath } from '../paths.ts';
import type { Answer } from '../result-text.ts';
import { inputOf } from '../tool-input.ts';
import { courseOf, type Step } from './course.ts';
import { effectOf, type Printed } from './effect.ts';
import { parseLoosely, parseScript } from './lex.ts';
import { withLoopWords } from './loops.ts';
import { folderResetIn, withoutShellLines } from './notes.ts';
import { seenIn } from './output.ts';
import { powerShellDoubts } from './powershell.ts';

/** What a shell call has done and shown. `folder`: where its shell is afterwards, if it goes on. */
export type ShellActions = { actions: FileAction[]; folder: string | null };

/**
 * What a shell call has done to files and shown of them; null for calls of other tools. `folder` is
 * the one that the shell works in, where that is known.
 */
export function shellActions(
  call: ToolCall,
  given: Answer,
  folder: string | null,
): ShellActions | null {
  const script = scriptOf(call);
  if (script === null) return null;
  const start = script.folder === null ? folder : resolvePath(script.folder, folder);
  const reset = folderResetIn(given.text);
  const answer = { ...given, text: withoutShellLines(given.text) };
  const pipelines = parseScript(script.text);
  if (answer.isRefused) return { actions: [], folder };
  const isPowerShell =
    /powershell|pwsh/i.test(call.name) || POWERSHELL.test(script.text.slice(0, 200));
  const doubts = powerShellDoubts(script.text, isPowerShell, start);
  if (doubts.length > 0) return { actions: doubts, folder: reset ?? null };
  if (pipelines === null) {
    return {
      actions: unread(script.text, start, answer),
      folder: reset ?? afterLoose(script.text, start),
    };
  }
  const isOpen = inputOf(call).run_in_background === true || isRunning(answer);
  const { steps, folder: end } = courseOf(pipelines, {
    folder: start,
    hasSucceeded: !answer.isFailed && !isOpen,
    hasComplained: COMPLAINT.test(answer.text.slice(0, 20_000)),
  });
  const printed: Printed[] = [];
  const done: FileAction[] = [];
  for (const step of steps) {
    const effect = effectOf(step.pipeline, step.folder);
    printed.push(effect.printed);
    // One by one: thousands of actions as arguments of one call overflow the stack.
    for (const action of actionsOfStep(step, effect.actions)) {
      done.push(isOpen ? perhaps(action) : action);
    }
  }
  if (answer.isFailed) return { actions: afterFailure(done, steps), folder: reset ?? start };
  return { actions: [...done, ...seenIn(printed, answer)], folder: reset ?? end };
}

const POWERSHELL = /^\s{0,20}\S{0,200}(?:powershell|pwsh)(?:\.exe)?['"]?\s/i;

/** What commands say that have not done all that they were to do, whatever the script went on with. */
const COMPLAINT = /(?:^|\n)(?:[^\n]{0,80}: )?(?:cd|pushd|popd|mv|cp|rm|tee|ln|mkdir|sed|perl): /;

/** A command whose end has not been waited for. */
function isRunning({ text, isUnfinished }: Answer): boolean {
  return isUnfinished || /^Command running in background with ID: /.test(text);
}

function actionsOfStep({ isCertain }: Step, actions: readonly FileAction[]): FileAction[] {
  return isCertain ? [...actions] : actions.map(perhaps);
}

/** The same action where it is not known whether, or how far, it was carried out. */
function perhaps(action: FileAction): FileAction {
  switch (action.kind) {
    case 'seen':
    case 'named_changed':
    case 'may_change':
    case 'all_changed':
    case 'changed_outside':
    case 'ran':
      return action;
    case 'changed':
      return { ...action, isCertain: false };
    default: {
      const to = 'to' in action ? action.to : null;
      const targets = to === null ? [action.path] : [action.path, to];
      return { kind: 'may_change', targets, by: 'a command that may not have been carried out' };
    }
  }
}

/** A script that failed somewhere: its first step was probably done, of the others nobody knows. */
function afterFailure(actions: readonly FileAction[], steps: readonly Step[]): FileAction[] {
  const isOne = steps.length < 2;
  return actions.flatMap((action, index): FileAction[] => {
    if (action.kind === 'seen') return [];
    // A patch is applied as a whole or not at all.
    if (isOne && action.kind === 'patched') return [];
    if (index === 0 && action.kind === 'written') return [action];
    return [perhaps(action)];
  });
}

/** A script of which nothing certain can be said: all that is in it may have been done. */
function unread(script: string, folder: string | null, answer: Answer): FileAction[] {
  const patch = script.includes('apply_patch') ? patchIn(script) : undefined;
  if (patch !== undefined) {
    const actions = actionsOfPatch(patch).map((action) => resolved(action, folder));
    return answer.isFailed ? actions.map(perhaps) : actions;
  }
  const { steps } = courseOf(withLoopWords(parseLoosely(script)), {
    folder,
    hasSucceeded: false,
    hasComplained: true,
  });
  return steps.flatMap(({ pipeline, folder: at }) =>
    effectOf(pipeline, at)
      .actions.filter(({ kind }) => kind !== 'seen')
      .map(perhaps),
  );
}

function afterLoose(script: string, folder: string | null): string | null {
  return /(?:^|[^\w/.-])(?:cd|pushd|popd)\b/.test(script) ? null : folder;
}
