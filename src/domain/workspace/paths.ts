import type { FileAction } from './action.ts';

/** A path without `.`, `..` and doubled slashes, resolved against a folder where one is known. */
export function resolvePath(path: string, folder: string | null): string {
  const written = path.startsWith('file://') ? path.slice('file://'.length) : path;
  const isAnchored = /^(?:[/~\\]|[A-Za-z]:[\\/])/.test(written);
  const whole = isAnchored || folder === null ? written : `${folder}/${written}`;
  const isAbsolute = whole.startsWith('/');
  const parts: string[] = [];
  for (const part of whole.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else if (part !== '..' || !isAbsolute) parts.push(part);
  }
  return (isAbsolute ? '/' : '') + parts.join('/');
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

export function isInside(path: string, folder: string): boolean {
  return path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}

export function lastSegment(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The folder that a message of the program names as the one that the session works in. */
export function folderNamedIn(text: string): string | null {
  const tagged = /<cwd>([^<\n]{1,4096})<\/cwd>/.exec(text)?.[1];
  if (tagged !== undefined) return tagged;
  const said = /^\s{0,4}-? ?(?:Primary w|Current w|W)orking directory: (\/[^\n]{0,4095})$/m.exec(
    text,
  );
  return said?.[1]?.trimEnd() ?? null;
}
