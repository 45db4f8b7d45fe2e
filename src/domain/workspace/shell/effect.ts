import { baseName } from '../../names.ts';
import type { FileAction } from '../action.ts';
import { resolvePath } from '../paths.ts';
import { clipped, targetsOf } from './doubt.ts';
import { actionsOf } from './file-commands.ts';
import type { Command, Pipeline } from './lex.ts';
import { narrowed, type Range, rangesOf } from './read-range.ts';
import { saidBy } from './said.ts';
import { withoutAssignments } from './wrappers.ts';

/** What a pipeline prints: parts of files, a text that the script holds, nothing, or something else. */
export type Printed =
  | { kind: 'ranges'; ranges: Range[] }
  | { kind: 'says'; text: string }
  | { kind: 'nothing' }
  | { kind: 'other' };

type Effect = { printed: Printed; actions: FileAction[] };

const NOTHING: Effect = { printed: { kind: 'nothing' }, actions: [] };

const SILENT = new Set(
  'cd true : mkdir export set unset test [ sleep chmod touch umask wait source .'.split(' '),
);
/** What one pipeline of a script prints and does. `folder` is where it runs, where that is known. */
export function effectOf(pipeline: Pipeline, folder: string | null): Effect {
  const [first, ...others] = pipeline.commands.map(plainCommand);
  if (first === undefined) return NOTHING;
  const name = baseName(first.words[0]?.text ?? '');
  const last = others.at(-1) ?? first;
  const isWriting = [first, ...others].some(({ redirects }) =>
    redirects.some(({ operator }) => operator !== '<'),
  );
  if (isWriting) return writtenBy(first, others, last, folder);
  if (others.length === 0 && SILENT.has(name)) return NOTHING;
  const ranges = rangesOf(first)?.map((range) => ({
    ...range,
    path: resolvePath(range.path, folder),
  }));
  if (ranges !== undefined && ranges.length > 0) {
    const printed = pipedRanges(ranges, others);
    if (printed.kind === 'ranges') return { printed, actions: [] };
    // What is left of it cannot be told, only that it was read.
    const read = ranges.map(({ path }): FileAction => ({ kind: 'seen', path, text: null }));
    return { printed, actions: [...read, ...others.flatMap((each) => actionsOf(each, folder))] };
  }
  const actions = [first, ...others].flatMap((command) => actionsOf(command, folder));
  const said = others.length === 0 ? saidBy(first) : null;
  if (said !== null) return { printed: { kind: 'says', text: said }, actions };
  const isQuiet =
    others.length === 0 && /^(?:rm|mv|cp|tee|patch)$/.test(name) && first.heredoc === null;
  return { printed: isQuiet ? { kind: 'nothing' } : { kind: 'other' }, actions };
}

/** The command itself, without what only says how it is run. */
function plainCommand(command: Command): Command {
  const own = withoutAssignments(command);
  const isWrapped = /^(?:sudo|command)$/.test(own.words[0]?.text ?? '');
  return isWrapped ? { ...own, words: own.words.slice(1) } : own;
}

function pipedRanges(ranges: Range[], others: readonly Command[]): Printed {
  if (others.length === 0) return { kind: 'ranges', ranges };
  let [range] = ranges;
  if (range === undefined || ranges.length > 1) return { kind: 'other' };
  for (const command of others) {
    const next = narrowed(range, command);
    if (next === null) return { kind: 'other' };
    range = next;
  }
  return { kind: 'ranges', ranges: [range] };
}

/** A pipeline whose output goes into a file. */
function writtenBy(
  first: Command,
  others: readonly Command[],
  last: Command,
  folder: string | null,
): Effect {
  const actions: FileAction[] = [];
  const text = others.length === 0 ? saidBy(first) : null;
  const ranges = others.length === 0 ? rangesOf({ ...first, redirects: [] }) : null;
  const redirects = [first, ...others].flatMap((command) =>
    command.redirects.map((redirect) => ({ ...redirect, isLast: command === last })),
  );
  for (const { operator, target, isLast } of redirects) {
    if (operator === '<' || target.text === '/dev/null' || target.text.startsWith('&')) continue;
    const by = clipped(first);
    if (!target.isPlain) {
      const targets = targetsOf([target.text], folder);
      actions.push(
        targets.length === 0 ? { kind: 'all_changed', by } : { kind: 'may_change', targets, by },
      );
      continue;
    }
    const path = resolvePath(target.text, folder);
    const [only] = ranges ?? [];
    if (operator === '>>') {
      if (text !== null) actions.push({ kind: 'appended', path, text });
      else actions.push({ kind: 'changed', path, by, isCertain: true });
    } else if (!isLast) {
      actions.push({ kind: 'rewritten', path });
    } else if (text !== null) actions.push({ kind: 'written', path, text });
    else if (
      ranges?.length === 1 &&
      only?.last === null &&
      only.first === 1 &&
      only.tail === null
    ) {
      actions.push({ kind: 'copied', path: resolvePath(only.path, folder), to: path });
    } else actions.push({ kind: 'rewritten', path });
  }
  const own = [first, ...others].flatMap((command) => actionsOf(command, folder));
  const isQuiet = last.redirects.some(({ operator }) => operator !== '<');
  return { printed: { kind: isQuiet ? 'nothing' : 'other' }, actions: [...own, ...actions] };
}
