import { baseName } from '../names.ts';

export type FileUse = 'read' | 'edited' | 'written' | 'deleted' | 'named in commands';
type FileMention = { path: string; use: FileUse };

/** What happened to one file over the covered part; `to`: the path that it was moved to last. */
export type FileFact = {
  path: string;
  uses: Map<FileUse, number>;
  to: string | null;
  last: number;
};

/** Files with one base name that are compared with each other. */
const MAX_NAMESAKES = 50;

/** The files of the covered part, one entry for a file however its path was written. */
export class FileTable {
  private readonly byBase = new Map<string, FileFact[]>();

  add(mention: FileMention, index: number, times = 1): void {
    const fact = this.factOf(mention.path);
    fact.uses.set(mention.use, (fact.uses.get(mention.use) ?? 0) + times);
    fact.last = Math.max(fact.last, index);
  }

  move(path: string, to: string, index: number): void {
    const fact = this.factOf(path);
    fact.to = to;
    fact.last = Math.max(fact.last, index);
  }

  /** A file that an earlier summary names without saying what happened to it. */
  note(path: string): void {
    this.factOf(path);
  }

  private factOf(written: string): FileFact {
    const path = written.startsWith('./') ? written.slice(2) : written;
    const namesakes = this.byBase.get(baseName(path)) ?? [];
    let fact = namesakes.slice(-MAX_NAMESAKES).find((other) => isSameFile(other.path, path));
    if (fact === undefined) {
      fact = { path, uses: new Map(), to: null, last: -1 };
      namesakes.push(fact);
      this.byBase.set(baseName(path), namesakes);
    }
    if (path.length > fact.path.length) fact.path = path;
    return fact;
  }

  /** Changed files first, then by the last use, newest first. */
  ranked(): FileFact[] {
    return [...this.byBase.values()]
      .flat()
      .sort((a, b) => Number(isChanged(b)) - Number(isChanged(a)) || b.last - a.last);
  }
}

function isChanged({ uses, to }: FileFact): boolean {
  return to !== null || uses.has('edited') || uses.has('written') || uses.has('deleted');
}

/** Deeper folders than people have: each takes the characters of all above it. */
const DEEPEST = 50;

/** The folder that most absolute paths share, so that it need be written once only; else ''. */
export function commonFolder(paths: readonly string[]): string {
  const absolute = paths.filter((path) => path.startsWith('/'));
  const first = absolute[0];
  if (first === undefined || absolute.length < 3) return '';
  const counts = new Map<string, number>();
  for (const path of absolute) {
    let i = path.indexOf('/', 1);
    for (let depth = 0; i > 0 && depth < DEEPEST; depth++) {
      const folder = path.slice(0, i + 1);
      counts.set(folder, (counts.get(folder) ?? 0) + 1);
      i = path.indexOf('/', i + 1);
    }
  }
  let best = '';
  for (const [folder, times] of counts) {
    if (times >= absolute.length * 0.6 && folder.length > best.length) best = folder;
  }
  return best;
}

function isSameFile(one: string, other: string): boolean {
  return one === other || one.endsWith(`/${other}`) || other.endsWith(`/${one}`);
}
