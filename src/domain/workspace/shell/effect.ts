import type { FileAction } from '../action.ts';
import { mayWrite } from '../file-book.ts';
import { actionsOfPatch, patchIn } from '../patch.ts';
import { isInside, lastSegment, resolvePath } from '../paths.ts';
import type { Command, Pipeline } from './lex.ts';
import { baseOf, narrowed, type Range, rangesOf } from './read-range.ts';

/** What a pipeline prints: parts of files, a text that the script holds, nothing, or something else. */
export type Printed =
  | { kind: 'ranges'; ranges: Range[] }
  | { kind: 'says'; text: string }
  | { kind: 'nothing' }
  | { kind: 'other' };

export type Effect = { printed: Printed; actions: FileAction[] };

const NOTHING: Effect = { printed: { kind: 'nothing' }, actions: [] };
const OTHER: Effect = { printed: { kind: 'other' }, actions: [] };

const SILENT = new Set([
  'cd',
  'true',
  ':',
  'mkdir',
  'export',
  'set',
  'unset',
  'test',
  '[',
  'sleep',
  'chmod',
  'touch',
  'pushd',
  'popd',
  'umask',
  'wait',
  'source',
  '.',
]);
/** Programs that rewrite the files they are given. */
const CHANGES =
  /^(?:sed .*(?:^| )-\w*i|perl .*-\w*i|gofmt .*-\w*w|goimports .*-w|prettier .*(?:--write|-w)|eslint .*--fix|biome .*--(?:write|fix)|black|isort|rustfmt|ruff (?:format|check .*--fix)|clang-format .*-i|ed|ex|truncate|dos2unix|yq .*-i|npx .*(?:--write|--fix))(?: |$)/;
const INTERPRETERS = /^(?:python[\d.]*|node|ruby|perl|php|deno|bun|tsx|bash|sh)$/;
const GIT_CHANGES =
  /^git (?:-\S+ \S+ )?(?:reset --hard|stash|pull|merge|rebase|revert|apply|am|cherry-pick|switch|clean|checkout(?! -[bB] )|restore)(?: |$)/;

/** What one pipeline of a script prints and does. `folder` is where it runs, where that is known. */
export function effectOf(pipeline: Pipeline, folder: string | null): Effect {
  const [first, ...others] = pipeline.commands.map(withoutAssignments);
  if (first === undefined) return NOTHING;
  const name = baseOf(first.words[0]?.text ?? '');
  // What stands behind `||` ran only if what is in front of it had failed.
  if (pipeline.after === '||') return SILENT.has(name) || name === 'exit' ? NOTHING : OTHER;
  const last = others.at(-1) ?? first;
  const target = last.redirects.find(({ operator }) => operator !== '<');
  if (target !== undefined) return writtenBy(first, others, last, folder);
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

function withoutAssignments(command: Command): Command {
  const start = command.words.findIndex(
    ({ text }) => !/^[A-Za-z_]\w*=/.test(text) && text !== 'sudo',
  );
  return start <= 0 ? command : { ...command, words: command.words.slice(start) };
}

/** What `echo` and `printf` print, when the script says it. */
function saidBy({ words, heredoc }: Command): string | null {
  const [name = '', ...args] = words.map(({ text }) => text);
  if (words.some(({ isPlain }) => !isPlain)) return null;
  if (name === 'cat' && args.length === 0 && heredoc?.isPlain) return heredoc.text;
  if (name === 'echo') {
    if (args[0] === '-n') return args.slice(1).join(' ');
    return args[0]?.startsWith('-') && /^-[neE]+$/.test(args[0]) ? null : `${args.join(' ')}\n`;
  }
  const [format] = args;
  if (name !== 'printf' || format === undefined || args.length > 1 || format.includes('%'))
    return null;
  return format.replaceAll('\\n', '\n').replaceAll('\\t', '\t');
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
  for (const { operator, target } of last.redirects) {
    if (operator === '<' || target.text === '/dev/null' || target.text.startsWith('&')) continue;
    if (!target.isPlain) {
      actions.push({ kind: 'named_changed', script: target.text, by: clipped(first) });
      continue;
    }
    const path = resolvePath(target.text, folder);
    const [only] = ranges ?? [];
    if (operator === '>>') {
      if (text !== null) actions.push({ kind: 'appended', path, text });
      else actions.push({ kind: 'changed', path, by: clipped(first), isCertain: true });
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
  return { printed: { kind: 'nothing' }, actions: [...own, ...actions] };
}

/** What a command does to files besides what its output is sent to. */
function actionsOf(command: Command, folder: string | null): FileAction[] {
  const { words, heredoc } = command;
  const [name = '', ...args] = words.map(({ text }) => text);
  const line = words
    .map(({ text }) => text)
    .join(' ')
    .slice(0, 2_000);
  const files = args.filter((arg) => !arg.startsWith('-'));
  const isPlain = words.every((word) => word.isPlain);
  const by = clipped(command);
  switch (baseOf(name)) {
    case 'apply_patch':
    case 'applypatch': {
      const patch = patchIn(heredoc?.text ?? args.join('\n'));
      return actionsOfPatch(patch ?? '').map((action) => resolved(action, folder));
    }
    case 'rm':
      return isPlain
        ? files.map((path) => ({ kind: 'deleted', path: resolvePath(path, folder) }))
        : [{ kind: 'named_changed', script: line, by }];
    case 'mv':
      return moves(files, isPlain, folder, 'moved');
    case 'cp':
      return moves(files, isPlain, folder, 'copied');
    case 'git':
      if (args[0] === 'mv') return moves(files.slice(1), isPlain, folder, 'moved');
      if (args[0] === 'rm') {
        return files.slice(1).map((path) => ({ kind: 'deleted', path: resolvePath(path, folder) }));
      }
      if (args[0] === 'apply') return [patchRun(command, folder, by)];
      if (!GIT_CHANGES.test(line) || /^git stash (?:list|show)/.test(line)) return [];
      return /^git (?:checkout|restore) .*\.\w+$/.test(line)
        ? [{ kind: 'named_changed', script: line, by }]
        : [{ kind: 'all_changed', by }];
    case 'tee':
      return files.map((path): FileAction => {
        const target = resolvePath(path, folder);
        if (!heredoc?.isPlain || args.length !== 1) return { kind: 'rewritten', path: target };
        return { kind: 'written', path: target, text: heredoc.text };
      });
    case 'patch':
      return [patchRun(command, folder, by)];
    case 'sed': {
      const edited = isPlain ? editedBySed(args) : null;
      if (edited === null)
        return CHANGES.test(line) ? [{ kind: 'named_changed', script: line, by }] : [];
      return edited.map((path) => {
        return { kind: 'changed', path: resolvePath(path, folder), by, isCertain: true };
      });
    }
    default:
      if (CHANGES.test(line)) return [{ kind: 'named_changed', script: line, by }];
      if (name.startsWith('./')) return [programRun(name, folder, by)];
      if (!INTERPRETERS.test(baseOf(name))) return [];
      return [
        ...programChanges(`${heredoc?.text ?? ''}\n${args.join('\n')}`, by),
        ...files.slice(0, 1).map((path) => programRun(path, folder, by)),
      ];
  }
}

/** The files that `sed -i` is given; null when it does not edit in place. */
function editedBySed(args: readonly string[]): string[] | null {
  if (!args.some((arg) => /^(?:-[nErsz]*i|--in-place)/.test(arg))) return null;
  const files: string[] = [];
  let hasScript = false;
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? '';
    if (arg === '-e' || arg === '-f' || arg === '--expression') {
      hasScript = true;
      at++;
    } else if (/^(?:-e|--expression=)/.test(arg)) hasScript = true;
    // BSD's `-i ''` keeps no copy.
    else if (arg === '' || arg.startsWith('-')) continue;
    else if (hasScript) files.push(arg);
    else hasScript = true;
  }
  return files;
}

function programRun(path: string, folder: string | null, by: string): FileAction {
  return { kind: 'ran', path: resolvePath(path, folder), by, isPatch: false };
}

/** `patch` and `git apply` name the file with the patch, or read it. */
function patchRun(
  { words, redirects, heredoc }: Command,
  folder: string | null,
  by: string,
): FileAction {
  if (heredoc !== null) return { kind: 'named_changed', script: heredoc.text, by };
  const named = words
    .map(({ text }) => text)
    .findLast((text) => /\.(?:patch|diff|txt)$/.test(text));
  const path = redirects.find(({ operator }) => operator === '<')?.target.text ?? named;
  if (path === undefined) return { kind: 'all_changed', by };
  return { kind: 'ran', path: resolvePath(path, folder), by, isPatch: true };
}

function programChanges(program: string, by: string): FileAction[] {
  const script = program.slice(0, 50_000);
  return mayWrite(script) ? [{ kind: 'named_changed', script, by }] : [];
}

function moves(
  files: readonly string[],
  isPlain: boolean,
  folder: string | null,
  kind: 'moved' | 'copied',
): FileAction[] {
  const target = files.at(-1);
  if (target === undefined || files.length < 2) return [];
  if (!isPlain) return [{ kind: 'named_changed', script: files.join(' '), by: 'mv' }];
  const to = resolvePath(target, folder);
  return files.slice(0, -1).map((file) => {
    const path = resolvePath(file, folder);
    const isFolder = files.length > 2 || target.endsWith('/') || target === '.';
    return { kind, path, to: isFolder ? `${to}/${lastSegment(path)}` : to };
  });
}

/** The same action with its paths resolved against a folder. */
export function resolved(action: FileAction, folder: string | null): FileAction {
  if (action.kind === 'named_changed' || action.kind === 'all_changed') return action;
  const path = resolvePath(action.path, folder);
  if (!('to' in action) || action.to === null) return { ...action, path };
  return { ...action, path, to: resolvePath(action.to, folder) };
}

/** The folder that a pipeline goes to; the same when it stays. */
export function folderAfter(pipeline: Pipeline, folder: string | null): string | null {
  const [command] = pipeline.commands;
  const [name, target] = command?.words ?? [];
  if (name?.text !== 'cd' || pipeline.commands.length > 1) return folder;
  if (target === undefined || !target.isPlain || target.text === '-') return null;
  const next = resolvePath(target.text, folder);
  return folder === null && !isInside(next, '/') ? null : next;
}

function clipped({ words }: Command): string {
  const line = words
    .map(({ text }) => text)
    .join(' ')
    .replaceAll(/\s+/g, ' ')
    .slice(0, 61);
  return line.length > 60 ? `${line.slice(0, 59)}…` : line;
}
