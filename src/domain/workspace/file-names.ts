import { baseName } from '../names.ts';
import type { Effort } from './effort.ts';
import { isAnchored, LONGEST_PATH } from './paths.ts';

/** Longer and deeper paths are those of no system: files with such paths are not followed. */
const MOST_FOLDERS = 100;
/** Names that stand in a program as one word. */
const WORD = /[\w.@+~-]+/g;
const IS_WORD = /^[\w.@+~-]+$/;

/** The paths of files, found by their last segment and by the folders that they lie in. */
export class FileNames {
  private readonly byName = new Map<string, Set<string>>();
  /** Those of them whose folder is not known. */
  private readonly floating = new Map<string, Set<string>>();
  private readonly folders = new Map<string, number>();
  private readonly oddNames = new Set<string>();
  private readonly effort: Effort;

  constructor(effort: Effort) {
    this.effort = effort;
  }

  /** Whether the path was taken up: not when it is too long, or the effort is spent. */
  add(path: string): boolean {
    const name = baseName(path);
    const namesakes = this.byName.get(name);
    if (namesakes?.has(path)) return true;
    const folders = foldersOf(path);
    if (folders === null || !this.effort.spend(path.length * (folders.length + 1))) return false;
    for (const folder of folders) this.folders.set(folder, (this.folders.get(folder) ?? 0) + 1);
    if (!IS_WORD.test(name)) this.oddNames.add(name);
    put(this.byName, name, path);
    if (!isAnchored(path)) put(this.floating, name, path);
    return true;
  }

  remove(path: string): void {
    const name = baseName(path);
    const namesakes = this.byName.get(name);
    if (!namesakes?.delete(path)) return;
    this.floating.get(name)?.delete(path);
    if (namesakes.size === 0) {
      this.byName.delete(name);
      this.floating.delete(name);
      this.oddNames.delete(name);
    }
    for (const folder of foldersOf(path) ?? []) {
      const count = (this.folders.get(folder) ?? 0) - 1;
      if (count > 0) this.folders.set(folder, count);
      else this.folders.delete(folder);
    }
  }

  /** Whether a file lies somewhere in this folder. */
  isFolder(path: string): boolean {
    return this.folders.has(path);
  }

  /**
   * Files that a path may mean besides the one that has it: one of the two was written without its
   * folder. Null when there are too many to look at.
   */
  namesakes(path: string): string[] | null {
    const others = (isAnchored(path) ? this.floating : this.byName).get(baseName(path));
    if (others === undefined || others.size === 0) return [];
    if (!this.effort.spend(others.size * 8)) return null;
    return [...others].filter((other) =>
      other.length < path.length ? path.endsWith(`/${other}`) : other.endsWith(`/${path}`),
    );
  }

  /** Files whose last segment stands in a text; null when there are too many to look at. */
  namedIn(text: string): string[] | null {
    const named: string[] = [];
    if (!this.effort.spend(this.oddNames.size * text.length)) return null;
    const odd = [...this.oddNames].filter((name) => text.includes(name));
    for (const name of new Set([...(text.match(WORD) ?? []), ...odd])) {
      for (const path of this.byName.get(name) ?? []) {
        if (!this.effort.spend(1)) return null;
        named.push(path);
      }
    }
    return named;
  }
}

function put(paths: Map<string, Set<string>>, name: string, path: string): void {
  const own = paths.get(name);
  if (own === undefined) paths.set(name, new Set([path]));
  else own.add(path);
}

/** The folders that a path lies in; null when there are too many. */
function foldersOf(path: string): string[] | null {
  if (path.length > LONGEST_PATH) return null;
  const folders: string[] = [];
  for (let at = path.indexOf('/', 1); at >= 0; at = path.indexOf('/', at + 1)) {
    folders.push(path.slice(0, at));
    if (folders.length > MOST_FOLDERS) return null;
  }
  if (path.startsWith('/')) folders.push('/');
  return folders;
}
