import { baseName } from '../names.ts';
import type { FileAction } from './action.ts';

/** No system has longer paths: no file is known under one. */
export const LONGEST_PATH = 4_096;
/** A `.`, a `..` or an empty part between two slashes. */
const UNRESOLVED = /(?:^|\/)\.{0,2}(?:\/|$)/;

/** The start of a path on a drive of Windows, with either slash. */
const DRIVE = /^[A-Za-z]:[\\/]/;

/** How Git Bash writes folders that only Windows has. */
const DRIVE_IN_BASH = /^\/[A-Za-z]\/(?:Users|Windows|ProgramData|Program Files(?: \(x86\))?)\//;

/** Whether a path can only be one of Windows. */
export function isOnWindows(path: string): boolean {
  return DRIVE.test(path) || DRIVE_IN_BASH.test(path);
}

/** Whether a path begins at the root, a home or a drive. */
export function isAnchored(path: string): boolean {
  return /^(?:[/~\\]|[A-Za-z]:[\\/])/.test(path);
}

/**
 * A path without `.`, `..` and doubled slashes, resolved against a folder where one is known. On Windows
 * both slashes divide, and drives have no case; elsewhere a backslash is a character like others.
 */
export function resolvePath(path: string, folder: string | null): string {
  const written = path.startsWith('file://') ? path.slice('file://'.length) : path;
  const onWindows = isOnWindows(written) || (folder !== null && isOnWindows(folder));
  const own = onWindows ? ofWindows(written) : written;
  const base = onWindows && folder !== null ? ofWindows(folder) : folder;
  const whole = isAnchored(own) || base === null ? own : `${base}/${own}`;
  const isAbsolute = whole.startsWith('/');
  if (!UNRESOLVED.test(isAbsolute ? whole.slice(1) : whole)) return whole;
  const parts: string[] = [];
  for (const part of whole.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else if (part !== '..' || !isAbsolute) parts.push(part);
  }
  return (isAbsolute ? '/' : '') + parts.join('/');
}

/** The same path as this program writes those of Windows: `C:/a/b`. Git Bash writes `/c/a/b`. */
function ofWindows(path: string): string {
  const slashed = path.replaceAll('\\', '/').replace(/^\/([A-Za-z])(?=\/)/, '$1:');
  return DRIVE.test(slashed) ? slashed.charAt(0).toUpperCase() + slashed.slice(1) : slashed;
}

/** The same action with its paths resolved against a folder. */
export function resolved(action: FileAction, folder: string | null): FileAction {
  if (action.kind === 'may_change') {
    return { ...action, targets: action.targets.map((target) => resolvePath(target, folder)) };
  }
  if (!('path' in action)) return action;
  const path = resolvePath(action.path, folder);
  if (!('to' in action) || action.to === null) return { ...action, path };
  return { ...action, path, to: resolvePath(action.to, folder) };
}

/** The action without what no file can be: paths that are longer than those of any system. */
export function withinReach(action: FileAction): FileAction[] {
  const isPossible = (path: string) => path.length <= LONGEST_PATH;
  if (action.kind === 'may_change') {
    return action.targets.every(isPossible)
      ? [action]
      : [{ ...action, targets: action.targets.filter(isPossible) }];
  }
  if (!('path' in action)) return [action];
  const paths = 'to' in action && action.to !== null ? [action.path, action.to] : [action.path];
  if (paths.every(isPossible)) return [action];
  const by = 'a command with a path of more than 4096 characters';
  return paths.filter(isPossible).map((path) => ({ kind: 'changed', path, by, isCertain: false }));
}

export function isInside(path: string, folder: string): boolean {
  return path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}

/** The folder that a message of the program names as the one that the session works in. */
export function folderNamedIn(text: string): string | null {
  const tagged = /<cwd>([^<\n]{1,4096})<\/cwd>/.exec(text)?.[1];
  if (tagged !== undefined) return tagged;
  // Found quickly, where the pattern looks at each beginning of a line.
  if (!text.includes('orking directory: ')) return null;
  const said =
    /^\s{0,4}-? ?(?:Primary w|Current w|W)orking directory: ((?:\/|[A-Za-z]:[\\/])[^\n]{0,4095})$/m.exec(
      text,
    );
  return said?.[1]?.replace(WAS, '').trimEnd() ?? null;
}

/** How Claude Code tells where it worked before it went into a worktree, or out of one. */
const WAS = / \(was [^\n]*\)\s{0,4}$/;

/** A name without an ending, where a file with one goes: it may be a folder that nobody has named. */
export function isPerhapsFolder(to: string, path: string): boolean {
  const [name, own] = [baseName(to), baseName(path)];
  return !name.includes('.') && own.includes('.') && name !== own;
}

/** Whether one of the paths ends in the name of this file. */
export function isNamedIn(path: string, paths: readonly string[]): boolean {
  const name = baseName(path);
  return paths.some((other) => baseName(other) === name);
}
