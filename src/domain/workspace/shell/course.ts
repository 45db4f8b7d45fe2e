import { baseName } from '../../names.ts';
import type { Effort } from '../effort.ts';
import { LONGEST_PATH, resolvePath } from '../paths.ts';
import type { Pipeline } from './lex.ts';

/** A pipeline with what is known of its run: whether it was certainly carried out, and where. */
export type Step = { pipeline: Pipeline; isCertain: boolean; folder: string | null };
/** How a script went, as far as its text and its exit tell. `folder`: where it ends. */
type Course = { steps: Step[]; folder: string | null };

export type Circumstances = {
  folder: string | null;
  /** It ended, and its last command succeeded. */
  hasSucceeded: boolean;
  /** It said that a folder or a file was not there. */
  hasComplained: boolean;
};

/** Commands that fail only where nothing after them matters. */
const RELIABLE =
  /^(?:cd|pushd|popd|mkdir|echo|printf|export|set|true|:|sleep|touch|umask|cat|rm|cp|mv)$/;
/** More folders than anyone has on the stack of a shell. */
const DEEPEST = 100;

/**
 * Follows a row of commands. What stands after `&&` ran only if what is in front of it succeeded: that
 * is certain in the last list of a script that succeeded, and after commands that hardly fail. What
 * stands after `||`, or runs in the background, is never certain.
 */
export function courseOf(
  pipelines: readonly Pipeline[],
  given: Circumstances,
  effort: Effort,
): Course {
  const steps: Step[] = [];
  let { folder } = given;
  const stack: (string | null)[] = [];
  const isStrict = pipelines.some(({ commands: [command] }) => {
    const [name, option] = command?.words ?? [];
    return name?.text === 'set' && /^-\w*e/.test(option?.text ?? '');
  });
  for (const list of listsIn(pipelines)) {
    const isLast = list.at(-1) === pipelines.at(-1);
    const hasSucceeded = given.hasSucceeded && (isLast || isStrict);
    const isBackground = list.at(-1)?.isBackground ?? false;
    const alternative = list.findIndex(({ after }, at) => at > 0 && after === '||');
    let isReliable = true;
    for (const [at, pipeline] of list.entries()) {
      const isOpen = alternative !== -1 && at < alternative;
      const runs = at === 0 || isReliable || (hasSucceeded && alternative === -1);
      const isSafe = isReliablePipeline(pipeline) && !(isCd(pipeline) && given.hasComplained);
      const isCertain =
        !isBackground && runs && (alternative === -1 || (isOpen && isSafe)) && !given.hasComplained;
      steps.push({ pipeline, isCertain: isCertain || (at === 0 && isCd(pipeline)), folder });
      if (!isBackground) {
        const next = folderAfter(pipeline, folder, stack, effort);
        folder = next === folder || (isCertain && isSafe) ? next : null;
      }
      isReliable &&= isSafe;
    }
  }
  return { steps, folder };
}

/** The pipelines between `;`, line ends and `&`. */
function listsIn(pipelines: readonly Pipeline[]): Pipeline[][] {
  const lists: Pipeline[][] = [];
  for (const [at, pipeline] of pipelines.entries()) {
    const isNext = pipeline.after === '&&' || pipeline.after === '||';
    if (at > 0 && isNext) lists.at(-1)?.push(pipeline);
    else lists.push([pipeline]);
  }
  return lists;
}

function isReliablePipeline({ commands: [command, ...others] }: Pipeline): boolean {
  const [name, word] = command?.words ?? [];
  const isMove = name?.text === 'git' && /^(?:mv|rm)$/.test(word?.text ?? '');
  return others.length === 0 && (isMove || RELIABLE.test(baseName(name?.text ?? '')));
}

function isCd({ commands: [command] }: Pipeline): boolean {
  return /^(?:cd|pushd|popd)$/.test(command?.words[0]?.text ?? '');
}

/** The folder that a pipeline goes to; the same when it stays, null when it cannot be told. */
function folderAfter(
  { commands: [command, ...others] }: Pipeline,
  folder: string | null,
  stack: (string | null)[],
  effort: Effort,
): string | null {
  if (command === undefined || others.length > 0) return folder;
  const [name, ...rest] = command.words;
  const [target] = rest.filter(({ text }) => text !== '--' && !/^-[LPen]+$/.test(text));
  switch (name?.text) {
    case 'popd':
      return target === undefined ? (stack.pop() ?? null) : null;
    case 'pushd':
      if (stack.length < DEEPEST) stack.push(folder);
      break;
    case 'cd':
      break;
    default:
      return folder;
  }
  if (target === undefined || !target.isPlain || /^[-+]/.test(target.text)) return null;
  if (!effort.spend(2 * (target.text.length + (folder?.length ?? 0)))) return null;
  const next = resolvePath(target.text, folder);
  if (next.length > LONGEST_PATH) return null;
  return folder === null && !/^[/~]/.test(next) ? null : next;
}
