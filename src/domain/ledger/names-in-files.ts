import { extractNames, shortPath } from '../names.ts';
import type { FileAction } from '../workspace/action.ts';
import { textWhenWhole } from '../workspace/known-text.ts';
import { LOOKED_AT } from './brought-in.ts';
import { fileShownBy } from './conversation.ts';
import type { NameIndex } from './names-index.ts';
import { editsOfSed } from './sed-edits.ts';

/** Takes from a file the names that a call has taken out of it; what a call puts in is not met yet. */
export function followContent(names: NameIndex, action: FileAction, script: string): void {
  if (!('path' in action)) return;
  const file = shortPath(action.path);
  const without = (removed: string, added: string) => names.drop(file, namesLost(removed, added));
  switch (action.kind) {
    case 'seen': {
      const text = action.text === null ? null : textWhenWhole(action.text);
      if (text !== null) names.keep(file, (name) => text.includes(name));
      return;
    }
    case 'written':
      names.keep(file, (name) => action.text.includes(name));
      return;
    case 'replaced':
      for (const { from, to } of action.replacements) without(from, to);
      return;
    case 'patched':
      for (const { before, after } of action.hunks) without(before.join('\n'), after.join('\n'));
      if (action.to !== null) names.move(file, shortPath(action.to));
      return;
    case 'moved':
      names.move(file, shortPath(action.to));
      return;
    case 'copied':
      names.keep(shortPath(action.to), () => false);
      return;
    case 'deleted':
    case 'rewritten':
      names.keep(file, () => false);
      return;
    case 'changed':
      if (!action.isCertain || action.text !== undefined) return;
      for (const { removed, added } of editsOfSed(script, action.substitutions)) {
        without(removed, added);
      }
      return;
    case 'inserted':
    case 'appended':
    case 'undone':
    case 'changed_outside':
    case 'ran':
      return;
    default:
      action satisfies never;
  }
}

function namesLost(removed: string, added: string): string[] {
  const stay = new Set(extractNames(added.slice(0, LOOKED_AT)));
  return extractNames(removed.slice(0, LOOKED_AT)).filter((name) => !stay.has(name));
}

/** An answer that is data: what its fields are called says little, and each answer says it again. */
const IS_JSON = /^\s{0,8}(?:\[\s{0,8})?\{\s{0,8}"[\s\S]*\}\s{0,8}\]?\s{0,8}$/;
const KEY = /"[A-Za-z_$][\w$.-]{0,80}"\s{0,4}:/g;

/**
 * Mentions the names of what a call has answered: those of the file that it has shown, or of several,
 * each with its own as far as that can be told.
 */
export function mentionShown(
  names: NameIndex,
  answer: string,
  actions: readonly FileAction[],
  moment: { seq: number; at: number },
): void {
  const file = fileShownBy(actions);
  const told = file === undefined && IS_JSON.test(answer) ? answer.replace(KEY, ' ') : answer;
  names.mention(told, 'tool_output', moment, file);
  for (const action of actions) {
    if (action.kind !== 'seen' || action.isAmongOthers !== true) continue;
    const text = action.text?.blocks.map((block) => block.text).join('\n') ?? '';
    names.meet(text, shortPath(action.path));
  }
}
