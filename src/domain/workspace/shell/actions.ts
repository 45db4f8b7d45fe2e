import type { ToolCall } from '../../items/item.ts';
import { scriptOf } from '../../items/shell-script.ts';
import { changedBy, type FileAction } from '../action.ts';
import type { Effort } from '../effort.ts';
import { actionsOfPatch, patchIn } from '../patch.ts';
import { LONGEST_PATH, resolved, resolvePath } from '../paths.ts';
import type { Answer, Told } from '../result-text.ts';
import { inputOf } from '../tool-input.ts';
import { type Circumstances, courseOf, type Step } from './course.ts';
import { effectOf, type Printed } from './effect.ts';
import { parseLoosely, parseScript } from './lex.ts';
import { withLoopWords } from './loops.ts';
import { folderResetIn, withoutShellLines } from './notes.ts';
import { seenIn } from './output.ts';
import { isInPowerShell, powerShellDoubts } from './powershell.ts';
import { pipelinesOfPowerShell } from './powershell-commands.ts';
import { withVariables } from './variables.ts';

/** What a shell call has done and shown. `folder`: where its shell is afterwards, if it goes on. */
type ShellActions = { actions: FileAction[]; folder: string | null };

/**
 * What a shell call has done to files and shown of them; null for calls of other tools. `folder` is
 * the one that the shell works in, where that is known.
 */
export function shellActions(
  call: ToolCall,
  given: Told,
  folder: string | null,
  effort: Effort,
): ShellActions | null {
  const script = scriptOf(call);
  if (script === null) return null;
  if (given.isRefused) return { actions: [], folder };
  if (!effort.spend(READING_COST * script.text.length)) return anything(script.text);
  const start = script.folder === null ? folder : folderIn(script.folder, folder);
  const reset = folderResetIn(given.text);
  const answer = { ...given, text: withoutShellLines(given.text) };
  const isPowerShell =
    /powershell|pwsh/i.test(call.name) || POWERSHELL.test(script.text.slice(0, 200));
  const own = isInPowerShell(script.text, isPowerShell)
    ? pipelinesOfPowerShell(script.text, isPowerShell)
    : null;
  const parsed = own === null ? parseScript(script.text) : null;
  const pipelines = own ?? (parsed && withVariables(parsed));
  const doubts = own === null ? powerShellDoubts(script.text, isPowerShell, start) : [];
  if (doubts.length > 0) return { actions: doubts, folder: reset ?? null };
  if (pipelines === null) {
    return {
      actions: unread(script.text, start, answer, effort),
      folder: reset ?? afterLoose(script.text, start),
    };
  }
  const isOpen = inputOf(call).run_in_background === true || isRunning(answer);
  const circumstances: Circumstances = {
    folder: start,
    hasSucceeded: !answer.isFailed && !isOpen,
    hasComplained: complains(answer.text),
  };
  const { steps, folder: end } = courseOf(pipelines, circumstances, effort);
  if (!isAffordable(steps, effort)) return anything(script.text);
  const printed: Printed[] = [];
  const before: FileAction[] = [];
  const done: FileAction[] = [];
  const shownAt = new Map<string, number>();
  const goneAt = new Map<string, number>();
  const lead = answer.isFailed && own === null ? leadOf(script.text, steps, answer) : 0;
  for (const [at, step] of steps.entries()) {
    const effect = effectOf(step.pipeline, step.folder);
    printed.push(effect.printed);
    if (effect.printed.kind === 'ranges')
      for (const { path } of effect.printed.ranges) shownAt.set(path, at);
    // One by one: thousands of actions as arguments of one call overflow the stack.
    for (const action of actionsOfStep(step, effect.actions)) {
      if (at < lead && LEADING.has(action.kind)) before.push(action);
      else done.push(isOpen ? perhaps(action) : action);
      if (action.kind === 'deleted' || action.kind === 'moved') goneAt.set(action.path, at);
    }
  }
  if (answer.isFailed) {
    const after = afterFailure(done, steps, before.length === 0);
    return { actions: [...before, ...after], folder: reset ?? start };
  }
  const hadNothing = answer.text.includes('No local changes to save');
  const effects = hadNothing ? done.filter((action) => !isStash(action)) : done;
  const actions = [...effects, ...stillThere(seenIn(printed, answer), shownAt, goneAt)];
  const isAlone = printed.filter(({ kind }) => kind !== 'nothing').length < 2;
  return { actions: isAlone ? actions : actions.map(amongOthers), folder: reset ?? end };
}

/** Without what a script has shown of files before they, or their folder, went: they are not there any more. */
function stillThere(
  shown: readonly FileAction[],
  shownAt: ReadonlyMap<string, number>,
  goneAt: ReadonlyMap<string, number>,
): readonly FileAction[] {
  if (goneAt.size === 0) return shown;
  // By folder: thousands of files may be shown that lie deep in the same one.
  const folders = new Map<string, number>();
  const wentAt = (path: string): number => {
    const own = goneAt.get(path) ?? -1;
    const end = path.lastIndexOf('/');
    if (end < 1 || path.length > LONGEST_PATH) return own;
    const folder = path.slice(0, end);
    const known = folders.get(folder) ?? wentAt(folder);
    folders.set(folder, known);
    return Math.max(own, known);
  };
  const isGone = (path: string) => wentAt(path) > (shownAt.get(path) ?? 0);
  return shown.filter((action) => action.kind !== 'seen' || !isGone(action.path));
}

function amongOthers(action: FileAction): FileAction {
  return action.kind === 'seen' ? { ...action, isAmongOthers: true } : action;
}

function withoutGit(action: FileAction): FileAction {
  if (action.kind === 'may_change') {
    const { kind, targets, by } = action;
    return { kind, targets, by };
  }
  return action.kind === 'all_changed' ? { kind: action.kind, by: action.by } : action;
}

function isStash(action: FileAction): boolean {
  return 'git' in action && action.git?.does === 'stash';
}

function isUnstash(action: FileAction): boolean {
  return 'git' in action && action.git?.does === 'unstash';
}

const POWERSHELL = /^\s{0,20}\S{0,200}(?:powershell|pwsh)(?:\.exe)?['"]?\s/i;

/** What it takes to read one character of a script, and one word, in characters looked at. */
const READING_COST = 8;
const WORD_COST = 150;
/** More words than any script that is not meant to be long. */
const MOST_WORDS = 50_000;

/** Whether the words of a script may be read, each of them in the folder where it is used. */
function isAffordable(steps: readonly Step[], effort: Effort): boolean {
  let count = 0;
  let cost = 0;
  for (const { pipeline, folder } of steps) {
    for (const { words, redirects } of pipeline.commands) {
      const own = words.length + redirects.length;
      count += own;
      cost += (1 + own) * (WORD_COST + 4 * (folder?.length ?? 0));
    }
  }
  return count <= MOST_WORDS && effort.spend(cost);
}

/** A script that takes too long to be read may have changed any file, and gone to any folder. */
function anything(script: string): ShellActions {
  const line = script.slice(0, 60).replaceAll(/\s+/g, ' ');
  return { actions: [{ kind: 'all_changed', by: `${line}…` }], folder: null };
}

function folderIn(path: string, folder: string | null): string | null {
  const whole = resolvePath(path, folder);
  return whole.length > LONGEST_PATH ? null : whole;
}

/** What commands say that have not done all that they were to do, whatever the script went on with. */
const COMPLAINT =
  /(?:^|\n)(?:(?:[^\n]{0,80}: |\(eval\):|zsh:)?(?:cd|pushd|popd|mv|cp|rm|tee|ln|mkdir|touch|sed|perl):(?:\d{1,5}:)? |(?:\(eval\)|zsh):(?:\d{1,5}:)? no matches found: |fatal: (?:[^\n]{1,80}, source=|destination|(?:No )?pathspec|renaming|not removing|not a git repository|Unable to create )|error: the following file|The system cannot find the (?:path|file) specified)/;
/** Characters that are looked at from each end: what goes wrong may be printed behind all else. */
const LOOKED_AT = 20_000;

function complains(text: string): boolean {
  return COMPLAINT.test(text.slice(0, LOOKED_AT)) || COMPLAINT.test(text.slice(-LOOKED_AT));
}

/** What commands do of which that can be told. */
const LEADING: ReadonlySet<FileAction['kind']> = new Set(['deleted', 'moved', 'copied']);
/** Commands that say so where they fail. */
const SPEAKING = /^(?:cd|mkdir|echo|printf|export|touch|rm|cp|mv)$/;
/** Those whose failure must be heard, since they need something to be there. */
const NEEDING = /\b(?:cd|mkdir|touch|cp|mv)\b/;

/** Whether a command of those throws its errors away. */
function isSilenced(script: string): boolean {
  return script.split(/[;|\n]|&(?!>)/).some((part) => {
    const at = part.search(NEEDING);
    return at !== -1 && Math.max(part.lastIndexOf('2>'), part.lastIndexOf('&>')) > at;
  });
}

/**
 * How many commands at the beginning of a script that has ended with a code have been carried out: those
 * that had nothing to complain of, in front of the one that may have failed.
 */
function leadOf(
  script: string,
  steps: readonly Step[],
  { text, isTold, isShortened }: Told,
): number {
  const isKnown = isTold || /^Exit code \d{1,3}\b/.test(text);
  if (isShortened || !isKnown || isSilenced(script)) return 0;
  return Math.max(
    0,
    steps.findIndex(({ pipeline: { commands }, isCertain }) => {
      const [command, ...others] = commands;
      const isSpeaking =
        SPEAKING.test(command?.words[0]?.text ?? '') && command?.redirects.length === 0;
      return !isCertain || !isSpeaking || others.length > 0;
    }),
  );
}

/** A command whose end has not been waited for. */
function isRunning({ text, isUnfinished }: Answer): boolean {
  return isUnfinished || /^Command running in background with ID: /.test(text);
}

function actionsOfStep(
  { isCertain, pipeline: { after } }: Step,
  actions: readonly FileAction[],
): FileAction[] {
  if (isCertain) return [...actions];
  // What is done only after a failure is no end of what the script began.
  const done = after === '||' ? actions.filter((action) => !isUnstash(action)) : actions;
  return done.map(perhaps);
}

/** The same action where it is not known whether, or how far, it was carried out. */
function perhaps(action: FileAction): FileAction {
  switch (action.kind) {
    case 'may_change':
    case 'all_changed':
      return action.git === undefined
        ? action
        : { ...action, git: { ...action.git, isCertain: false } };
    case 'seen':
    case 'named_changed':
    case 'changed_outside':
    case 'ran':
      return action;
    case 'changed':
      return { ...action, isCertain: false };
    default: {
      const by = 'a command that may not have been carried out';
      return { kind: 'may_change', targets: changedBy(action), by };
    }
  }
}

/** A script that failed somewhere: its first step was probably done, of the others nobody knows. */
function afterFailure(
  actions: readonly FileAction[],
  steps: readonly Step[],
  isFromStart: boolean,
): FileAction[] {
  const isOne = steps.length < 2;
  return actions.flatMap((action, index): FileAction[] => {
    if (action.kind === 'seen') return [];
    // A patch is applied as a whole or not at all.
    if (isOne && action.kind === 'patched') return [];
    if (index === 0 && isFromStart && action.kind === 'written') return [action];
    // What git refuses it has not done, nor what may be what has failed: a stash stays after a conflict.
    if ('git' in action && (isOne || isUnstash(action))) return [withoutGit(action)];
    return [perhaps(action)];
  });
}

/** A script of which nothing certain can be said: all that is in it may have been done. */
function unread(
  script: string,
  folder: string | null,
  answer: Answer,
  effort: Effort,
): FileAction[] {
  const patch = script.includes('apply_patch') ? patchIn(script) : undefined;
  if (patch !== undefined) {
    const actions = actionsOfPatch(patch).map((action) => resolved(action, folder));
    return answer.isFailed ? actions.map(perhaps) : actions;
  }
  const circumstances: Circumstances = { folder, hasSucceeded: false, hasComplained: true };
  const pipelines = withLoopWords(withVariables(parseLoosely(script)));
  const steps = pipelines && courseOf(pipelines, circumstances, effort).steps;
  if (!steps || !isAffordable(steps, effort)) return anything(script).actions;
  return steps.flatMap((step) => {
    const { actions } = effectOf(step.pipeline, step.folder);
    const done = actions.filter(({ kind }) => kind !== 'seen');
    return actionsOfStep({ ...step, isCertain: false }, done);
  });
}

function afterLoose(script: string, folder: string | null): string | null {
  return /(?:^|[^\w/.-])(?:cd|pushd|popd)\b/.test(script) ? null : folder;
}
