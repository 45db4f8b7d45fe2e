/** Deeper folders than people have. */
const DEEPEST = 40;

/** How many files are known in each folder, so that it need not be looked for among all of them. */
export class Folders {
  private readonly counts = new Map<string, number>();

  add(path: string): void {
    for (const folder of above(path)) this.counts.set(folder, (this.counts.get(folder) ?? 0) + 1);
  }

  remove(path: string): void {
    for (const folder of above(path)) {
      const left = (this.counts.get(folder) ?? 0) - 1;
      if (left > 0) this.counts.set(folder, left);
      else this.counts.delete(folder);
    }
  }

  has(folder: string): boolean {
    return this.counts.has(folder);
  }
}

/** The folders that a path lies in. */
function above(path: string): string[] {
  const folders: string[] = [];
  let at = path.indexOf('/', 1);
  for (; at > 0 && folders.length < DEEPEST; at = path.indexOf('/', at + 1)) {
    folders.push(path.slice(0, at));
  }
  return folders;
}
