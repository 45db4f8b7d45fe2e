import type { Block, KnownText, Replacement, Substitution } from './known-text.ts';

/** One change of a patch: lines to look for after the lines of `context`, and what replaces them. */
export type Hunk = { context: string[]; before: string[]; after: string[] };

/**
 * What git does to edits that were made before: `restore` takes back those of the files named, `reset`
 * those of all files, `clean` those of files that are new, `stash` puts them aside and `unstash` gives
 * them back; `stage` and `commit` take them in.
 */
export type GitWork = {
  does: 'restore' | 'reset' | 'clean' | 'stash' | 'unstash' | 'stage' | 'commit';
  /** It was carried out, and does so in full. */
  isCertain: boolean;
  /** Of what is taken in: all that was changed, whatever it is given. */
  isAll?: true;
};

/**
 * What a tool call has done to a file, or shown of it. Paths are as the tool was given them, resolved
 * against its folder where that is known.
 */
export type FileAction =
  /**
   * The content that a call has shown, in whole or in part. Nothing new: it is as it was.
   * `isAmongOthers`: the call has printed more than that.
   */
  | { kind: 'seen'; path: string; text: KnownText | null; isAmongOthers?: true }
  | { kind: 'written'; path: string; text: string }
  | { kind: 'replaced'; path: string; replacements: Replacement[] }
  | { kind: 'inserted'; path: string; after: number; text: string }
  | { kind: 'appended'; path: string; text: string }
  | { kind: 'patched'; path: string; hunks: Hunk[]; to: string | null }
  | { kind: 'moved'; path: string; to: string }
  | { kind: 'copied'; path: string; to: string }
  | { kind: 'deleted'; path: string }
  /** Written anew with content that the log does not have. */
  | { kind: 'rewritten'; path: string }
  | { kind: 'undone'; path: string }
  /**
   * Changed in a way that the log does not show, certainly or perhaps; `by` names the cause, `text` what
   * was put in at a place that is not known, `substitutions` all that was done.
   */
  | {
      kind: 'changed';
      path: string;
      by: string;
      isCertain: boolean;
      text?: string;
      substitutions?: readonly Substitution[];
    }
  /** Changed by somebody else; `lines` are all that have changed, as they are now, where they are shown. */
  | { kind: 'changed_outside'; path: string; lines: readonly Block[] | null; by: string }
  /** Perhaps changed: every file whose name stands in a script that changes files. */
  | { kind: 'named_changed'; script: string; by: string }
  /** Perhaps changed: the files that these paths and patterns name, and those in such folders. */
  | { kind: 'may_change'; targets: readonly string[]; by: string; git?: GitWork }
  /**
   * A program or a patch in a file was run. Perhaps changed: every file whose name stands in it, and
   * what it was given (`args`). A patch whose content is not known may have changed any file.
   */
  | { kind: 'ran'; path: string; by: string; isPatch: boolean; args: readonly string[] }
  /** Perhaps changed: any file. */
  | { kind: 'all_changed'; by: string; git?: GitWork };

/** The paths whose content an action changes; what is copied stays as it is. */
export function changedBy(action: Extract<FileAction, { path: string }>): string[] {
  const to = 'to' in action ? action.to : null;
  if (to === null) return [action.path];
  return action.kind === 'copied' ? [to] : [action.path, to];
}

type ChangesNamed = Exclude<Extract<FileAction, { path: string }>, { kind: 'seen' | 'ran' }>;

/** Whether it changes a file that it names, and does not only look at one or run it. */
export function changesNamed(action: FileAction): action is ChangesNamed {
  return 'path' in action && action.kind !== 'seen' && action.kind !== 'ran';
}

/** Whether it puts text into a file, which the log has. */
export function writesText(
  action: FileAction,
): action is Extract<
  FileAction,
  { kind: 'written' | 'replaced' | 'inserted' | 'appended' | 'patched' }
> {
  switch (action.kind) {
    case 'written':
    case 'replaced':
    case 'inserted':
    case 'appended':
    case 'patched':
      return true;
    default:
      return false;
  }
}
