import type { ToolCall } from '../../items/item.ts';
import type { FileAction } from '../action.ts';
import { actionsOfPatch, patchIn } from '../patch.ts';
import { resolvePath } from '../paths.ts';
import type { Answer } from '../result-text.ts';
import { effectOf, folderAfter, type Printed, resolved } from './effect.ts';
import { parseScript } from './lex.ts';
import { seenIn } from './output.ts';
import { scriptOf } from './script.ts';

/** What a script might do that is not understood. */
const MAY_CHANGE =
  /(?:^|[^0-9&>-])>(?!&|\s*\/dev\/null)|\s-i\b|\b(?:mv|rm|tee|write|patch|sed -i|gofmt -w)\b/;

/**
 * What a shell call has done to files and shown of them; null for calls of other tools. `folder` is
 * the one that the session works in, where that is known.
 */
export function shellActions(
  call: ToolCall,
  answer: Answer,
  folder: string | null,
): FileAction[] | null {
  const script = scriptOf(call);
  if (script === null) return null;
  let at = script.folder === null ? folder : resolvePath(script.folder, folder);
  const pipelines = parseScript(script.text);
  if (pipelines === null) return answer.isFailed ? [] : unread(script.text, at);
  const printed: Printed[] = [];
  const done: FileAction[] = [];
  for (const pipeline of pipelines) {
    const effect = effectOf(pipeline, at);
    printed.push(effect.printed);
    done.push(...effect.actions);
    at = folderAfter(pipeline, at);
  }
  const steps = pipelines.filter(({ commands }) => commands[0]?.words[0]?.text !== 'cd').length;
  if (answer.isFailed) return afterFailure(done, steps);
  return [...done, ...seenIn(printed, answer)];
}

/** A script that failed somewhere: its first step was probably done, of the others nobody knows. */
function afterFailure(actions: readonly FileAction[], steps: number): FileAction[] {
  if (steps < 2) return [];
  return actions.flatMap((action, index): FileAction[] => {
    switch (action.kind) {
      case 'seen':
        return [];
      case 'named_changed':
      case 'all_changed':
      case 'ran':
        return [action];
      default: {
        if (index === 0 && action.kind === 'written') return [action];
        const { path } = action;
        return [{ kind: 'changed', path, by: 'a command that failed', isCertain: false }];
      }
    }
  });
}

function unread(script: string, folder: string | null): FileAction[] {
  const patch = script.includes('apply_patch') ? patchIn(script) : undefined;
  if (patch !== undefined) return actionsOfPatch(patch).map((action) => resolved(action, folder));
  if (!MAY_CHANGE.test(script)) return [];
  return [{ kind: 'named_changed', script: script.slice(0, 50_000), by: 'a script' }];
}
