import { baseName } from '../../names.ts';
import type { FileAction } from '../action.ts';
import { actionsOfPatch, patchIn } from '../patch.ts';
import { resolved, resolvePath } from '../paths.ts';
import { clipped, doubtsOf, isRemover, sedRewrites, targetsOf } from './doubt.ts';
import type { Command } from './lex.ts';
import { sedWork } from './sed.ts';
import { unwrapped } from './wrappers.ts';

/** What a command does to files besides what its output is sent to. */
export function actionsOf(whole: Command, folder: string | null): FileAction[] {
  const { command, isFed } = unwrapped(whole);
  const { words, heredoc } = command;
  const [name = '', ...args] = words.map(({ text }) => text);
  const by = clipped(whole);
  const program = baseName(name);
  if (isFed && isRemover(program)) return [{ kind: 'all_changed', by }];
  const files = args.filter((arg) => !arg.startsWith('-'));
  const isPlain = words.every((word) => word.isPlain);
  switch (program) {
    case 'apply_patch':
    case 'applypatch': {
      const patch = patchIn(heredoc?.text ?? args.join('\n'));
      return actionsOfPatch(patch ?? '').map((action) => resolved(action, folder));
    }
    case 'rm':
    case 'unlink':
      return isPlain ? deletions(files, folder) : perhaps(args, folder, by);
    case 'mv':
    case 'cp':
      return moves(command, args, folder, program === 'mv' ? 'moved' : 'copied', by);
    case 'git':
      if (args[0] === 'mv') return moves(command, args.slice(1), folder, 'moved', by);
      if (args[0] === 'rm' && !args.includes('--cached')) {
        return isPlain ? deletions(files.slice(1), folder) : perhaps(args.slice(1), folder, by);
      }
      if (args[0] === 'rm') return [];
      if (args[0] === 'apply' || args[0] === 'am') {
        const isCheck = args.some((arg) => /^--(?:check|stat|numstat|summary)$/.test(arg));
        return isCheck ? [] : patchRun(command, folder, by);
      }
      return doubtsOf(whole, folder);
    case 'tee':
      if (!isPlain || args.some((arg) => /^(?:-\w*a|--append)/.test(arg))) {
        return perhaps(args, folder, by);
      }
      return files.map((path): FileAction => {
        const target = resolvePath(path, folder);
        if (!heredoc?.isPlain || args.length !== 1) return { kind: 'rewritten', path: target };
        return { kind: 'written', path: target, text: heredoc.text };
      });
    case 'patch':
      return args.includes('--dry-run') ? [] : patchRun(command, folder, by);
    case 'sed': {
      if (isFed || !sedRewrites(args)) return doubtsOf(whole, folder);
      const { files: given, substitutions } = sedWork(words.slice(1));
      const isOpen = given.some(({ text }) => text.startsWith('`'));
      if (isOpen || (!isPlain && given.every((word) => word.isPlain))) {
        return doubtsOf(whole, folder);
      }
      const others = given.filter((word) => !word.isPlain).map(({ text }) => text);
      const known = given
        .filter((word) => word.isPlain)
        .map(({ text }): FileAction => {
          const changed = { kind: 'changed', by, isCertain: true } as const;
          const path = resolvePath(text, folder);
          return { ...changed, path, ...(substitutions !== null && { substitutions }) };
        });
      return others.length === 0 ? known : [...known, ...perhaps(others, folder, by)];
    }
    default:
      return doubtsOf(whole, folder);
  }
}

function deletions(files: readonly string[], folder: string | null): FileAction[] {
  return files.map((path) => ({ kind: 'deleted', path: resolvePath(path, folder) }));
}

/** Words that the shell puts other words in the place of. */
function perhaps(words: readonly string[], folder: string | null, by: string): FileAction[] {
  const isAny = words.some((word) => /^\$[\w{(@*][^/]*$/.test(word));
  if (isAny) return [{ kind: 'all_changed', by }];
  return [{ kind: 'may_change', targets: targetsOf(words, folder), by }];
}

/** `patch` and `git apply` name the file with the patch, or read it. */
function patchRun(
  { words, redirects, heredoc }: Command,
  folder: string | null,
  by: string,
): FileAction[] {
  if (heredoc !== null) return [{ kind: 'named_changed', script: heredoc.text, by }];
  const named = words
    .map(({ text }) => text)
    .findLast((text) => /\.(?:patch|diff|txt)$/.test(text));
  const path = redirects.find(({ operator }) => operator === '<')?.target.text ?? named;
  if (path === undefined) return [{ kind: 'all_changed', by }];
  return [{ kind: 'ran', path: resolvePath(path, folder), by, isPatch: true, args: [] }];
}

/** What `cp` changes: its target, and in a folder what has the name of a source. */
function targetsOfCopy(args: readonly string[], files: readonly string[]): string[] {
  const at = args.findIndex((arg) => /^(?:-\w*t|--target-directory)$/.test(arg));
  const said = args.find((arg) => arg.startsWith('--target-directory='));
  const named = said?.slice(said.indexOf('=') + 1) ?? (at === -1 ? undefined : args[at + 1]);
  const target = named ?? files.at(-1) ?? '';
  // What a command puts in may have any name, and a choice may be one of folders.
  const isOpen = files.some((file) => /\$\(|`|\{[^{}]*\//.test(file));
  return target.endsWith('/') && !isOpen && !args.some((arg) => /^-\w*[rRa]/.test(arg))
    ? files.filter((file) => file !== target).map((file) => `${target}${baseName(file)}`)
    : [target];
}

/** `mv` and `cp`; with options that leave files as they are, or name the folder first, only perhaps. */
function moves(
  { words }: Command,
  args: readonly string[],
  folder: string | null,
  kind: 'moved' | 'copied',
  by: string,
): FileAction[] {
  const files = args.filter((arg) => !arg.startsWith('-'));
  const target = files.at(-1);
  const hasTarget = args.some((arg) => arg.startsWith('--target-directory='));
  if (target === undefined || (files.length < 2 && !hasTarget)) return [];
  // A copy there only tries whether a file can be read.
  if (kind === 'copied' && target === '/dev/null') return [];
  const isPlain = words.every((word) => word.isPlain);
  const isSimple = args.every((arg) => !arg.startsWith('-') || /^-[fvrRapP]+$/.test(arg));
  if (!isPlain || !isSimple) {
    return perhaps(kind === 'copied' ? targetsOfCopy(args, files) : args, folder, by);
  }
  const to = resolvePath(target, folder);
  // The files of a folder that nobody has seen take the places of those that are known.
  const isDeep = kind === 'copied' && args.some((arg) => /^-\w*[rRa]/.test(arg));
  const under = isDeep ? perhaps([target], folder, by) : [];
  const moved = files.slice(0, -1).map((file): FileAction => {
    const path = resolvePath(file, folder);
    const isFolder = files.length > 2 || /(?:^|\/)(?:\.{0,2}|)$/.test(target);
    return { kind, path, to: isFolder ? `${to}/${baseName(path)}` : to };
  });
  return [...moved, ...under];
}
