import type { FileAction, GitWork } from '../workspace/action.ts';
import { isInside } from '../workspace/paths.ts';
import { matcherOf } from '../workspace/targets.ts';
import type { File, GitState } from './ledger.ts';
import { isSameFile } from './same-file.ts';

const LONGEST_BY = 60;

/** A change of files by git, as far as it concerns edits that were made before. */
export type GitAction = { git: GitWork; by: string; targets: readonly string[] | null };

/** What git does in an action; null where none of its business is known. */
export function gitActionOf(action: FileAction): GitAction | null {
  if (!('git' in action) || action.git === undefined) return null;
  const { git, by } = action;
  return { git, by, targets: action.kind === 'may_change' ? action.targets : null };
}

/** What git has taken in after so many items. */
export function gitStateAfter(state: GitState, { git }: GitAction, at: number): GitState {
  if (git.does !== 'stage' && git.does !== 'commit') return state;
  const isAll = git.isAll === true && git.isCertain;
  const all_staged_at = isAll ? at : state.all_staged_at;
  const staged = { ...state, staged_at: at, all_staged_at };
  if (git.does === 'stage') return staged;
  return {
    ...staged,
    committed_at: at,
    all_committed_at: git.isCertain ? all_staged_at : state.all_committed_at,
  };
}

/**
 * What becomes of what is known of a file: its edits are `gone`, perhaps gone (`doubtful`), or `back`;
 * null where git leaves them as they are. Edits since the last commit are gone for certain; those that
 * were taken in before, and those put aside, perhaps. `seq`: the item that says so.
 */
export function fateOf(
  file: File,
  { git, targets }: GitAction,
  state: GitState,
  seq: number,
): 'gone' | 'doubtful' | 'back' | null {
  // What is taken back already stays so.
  if (file.edits === 0 || file.edited_from === 0) return null;
  const isTracked = !file.is_created || file.edited_from <= state.staged_at;
  const isUncommitted = file.edited_from > state.committed_at;
  const isUnstaged = file.edited_from > state.staged_at;
  switch (git.does) {
    case 'stage':
    case 'commit':
      return null;
    case 'restore':
      if (targets === null || !isTracked || !isMeant(file, targets)) return null;
      if (file.changed_at <= state.all_staged_at) return null;
      return git.isCertain && isUnstaged && isNamed(file, targets) ? 'gone' : 'doubtful';
    case 'reset':
      if (!isTracked) return null;
      if (git.isCertain && file.changed_at <= state.all_committed_at) return null;
      return git.isCertain && isUncommitted && !file.is_created ? 'gone' : 'doubtful';
    case 'clean':
      return isTracked ? null : 'doubtful';
    case 'stash':
      if (targets !== null && !isMeant(file, targets)) return null;
      return isTracked && file.changed_at > state.all_committed_at ? 'doubtful' : null;
    case 'unstash':
      if (file.taken_back?.is_aside !== true) return null;
      // A script that put them aside gives them back: neither is certain where it has loops.
      return git.isCertain || file.taken_back.seq === seq ? 'back' : null;
    default:
      return git.does satisfies never;
  }
}

/** The file without what was taken back, or with the note that it may have been. */
export function takenBack(
  file: File,
  { git, by }: GitAction,
  fate: 'gone' | 'doubtful' | 'back',
  { seq, at }: { seq: number; at: number },
): void {
  if (fate === 'back') {
    delete file.taken_back;
    return;
  }
  file.last_seq = seq;
  const what = by.slice(0, LONGEST_BY);
  if (fate === 'doubtful') {
    const isAside = git.does === 'stash';
    // What is perhaps gone for good does not come back with a stash.
    if (file.taken_back?.is_certain === false && !file.taken_back.is_aside && isAside) return;
    file.taken_back = { seq, by: what, is_certain: false, is_aside: isAside };
    return;
  }
  file.taken_back = { seq, by: what, is_certain: true, is_aside: false };
  file.state = 'present';
  file.added = [];
  file.removed = [];
  delete file.is_rewritten;
  file.edited_from = 0;
  delete file.undoable;
  file.changed_at = at;
  delete file.line;
  delete file.moved_to;
}

/** Whether a file is, or lies in, what a command was given; a pattern may match too much. */
function isMeant({ path }: File, targets: readonly string[]): boolean {
  return targets.some(
    (target) => isSameFile(path, target) || (matcherOf(target, () => true)?.(path) ?? false),
  );
}

/** Whether a target is this file, or a folder with its whole path that it lies in. */
function isNamed({ path }: File, targets: readonly string[]): boolean {
  return targets.some((target) => {
    return target !== '' && (isSameFile(path, target) || isInside(path, target));
  });
}

/** In words, where and by what edits of a file were, or may have been, taken back; '' where they were not. */
export function takenBackText({ taken_back }: File): string {
  if (taken_back === undefined) return '';
  const { seq, by, is_certain } = taken_back;
  return `${is_certain ? '' : 'may have been '}taken back by \`${by}\` (item ${seq})`;
}
