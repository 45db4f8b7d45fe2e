import type { FileAction, GitWork } from '../action.ts';
import { resolvePath } from '../paths.ts';
import { GIT_READS } from './programs.ts';

type Some = (words: readonly string[]) => FileAction[];

/** The words of git after the options in front of its command, and the folder that `-C` names. */
function commandIn(args: readonly string[]): { words: readonly string[]; folder: string | null } {
  let at = 0;
  let folder: string | null = null;
  while (at < args.length && /^[-+]/.test(args[at] ?? '')) {
    if (args[at] === '-C') folder = args[at + 1] ?? null;
    at += /^-[Cc]$/.test(args[at] ?? '') ? 2 : 1;
  }
  return { words: args.slice(at), folder };
}

/**
 * What git may have done to files of the work tree, and what it certainly does to edits that were made
 * there: takes them back, puts them aside, or takes them in.
 */
export function gitDoubts(args: readonly string[], given: Some, by: string): FileAction[] {
  const { words, folder } = commandIn(args);
  const [name = '', ...rest] = words;
  const some: Some = (paths) =>
    given(folder === null ? paths : paths.map((path) => resolvePath(path, folder)));
  const work = workOf(name, rest);
  const actions = doubtsBy(name, rest, some, [{ kind: 'all_changed', by }]);
  if (work === null) return actions;
  if (actions.length === 0) return [{ kind: 'may_change', targets: [], by, git: work }];
  return actions.map((action) =>
    action.kind === 'may_change' || action.kind === 'all_changed'
      ? { ...action, git: work }
      : action,
  );
}

function doubtsBy(
  name: string,
  rest: readonly string[],
  some: Some,
  all: FileAction[],
): FileAction[] {
  if (name === '' || GIT_READS.has(name)) return [];
  const given = rest.filter((arg) => !/^[-+]/.test(arg));
  switch (name) {
    case 'stash':
    case 'bisect':
    case 'submodule':
    case 'lfs':
    case 'notes':
      return /^(?:list|show|drop|status|log|clear)$/.test(given[0] ?? '') ? [] : all;
    case 'reset':
      return isHard(rest) ? all : [];
    case 'checkout':
    case 'switch':
    case 'restore': {
      const isNew = /^-[bcBC]$|^--(?:orphan|create)$/.test(rest[0] ?? '');
      if (isNew && given.length < 2) return [];
      if (rest.includes('--staged') && !rest.includes('--worktree')) return [];
      const files = filesOf(name, rest);
      return files === null ? all : some(files);
    }
    default:
      return all;
  }
}

/** The files that are checked out or restored; null when it is a branch, or cannot be told. */
function filesOf(name: string, rest: readonly string[]): readonly string[] | null {
  const dashes = rest.indexOf('--');
  if (dashes !== -1) return rest.slice(dashes + 1);
  const given = rest.filter((arg) => !/^[-+]/.test(arg));
  const last = given.at(-1) ?? '';
  const isFile = /\.(?:[A-Za-z]\w+|[chmrd])$|^\.\/?$/.test(last);
  return name === 'restore' || (name === 'checkout' && isFile) ? given : null;
}

function isHard(rest: readonly string[]): boolean {
  return rest.some((arg) => /^--(?:hard|merge|keep)$/.test(arg));
}

/** What git does to edits that were made before; null where it leaves them as they are. */
function workOf(name: string, rest: readonly string[]): GitWork | null {
  const given = rest.filter((arg) => !/^[-+]/.test(arg));
  const [word = ''] = given;
  const certain = (does: GitWork['does']): GitWork => ({ does, isCertain: true });
  const perhaps = (does: GitWork['does']): GitWork => ({ does, isCertain: false });
  const isChosen = rest.some((arg) => /^(?:-p|--patch|--ours|--theirs|-m|--merge)$/.test(arg));
  switch (name) {
    case 'add': {
      const isAll = rest.some((arg) => /^(?:-[^\WAu]*[Au]\w*|--all|--update|\.)$/.test(arg));
      return isAll && !isChosen ? { ...certain('stage'), isAll } : certain('stage');
    }
    case 'rm':
    case 'mv':
      return certain('stage');
    case 'commit': {
      const isAll = rest.some((arg) => /^(?:-[b-z]*a[a-z]*|--all)$/.test(arg));
      return isAll ? { ...certain('commit'), isAll } : certain('commit');
    }
    case 'am':
    case 'merge':
    case 'pull':
    case 'rebase':
    case 'cherry-pick':
      return certain('commit');
    case 'restore':
      if (rest.includes('--staged') && !rest.includes('--worktree')) return null;
      return isChosen ? perhaps('restore') : certain('restore');
    case 'checkout':
      if (filesOf(name, rest) !== null) return isChosen ? perhaps('restore') : certain('restore');
      return rest.some((arg) => /^(?:-f|--force)$/.test(arg)) ? perhaps('reset') : null;
    case 'reset':
      if (!isHard(rest)) return null;
      return word === '' || word === 'HEAD' ? certain('reset') : perhaps('reset');
    case 'revert':
      return perhaps('reset');
    case 'clean':
      return rest.some((arg) => /^-\w*n|^--dry-run$/.test(arg)) ? null : perhaps('clean');
    case 'stash':
      if (/^(?:pop|apply)$/.test(word)) return certain('unstash');
      return /^(?:push|save)?$/.test(word) ? perhaps('stash') : null;
    default:
      return null;
  }
}
