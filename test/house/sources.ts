import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

/** A text file of the repository; `path` is relative to its root, with forward slashes. */
export type Source = { path: string; text: string };

/** What is built, fetched or stored, and never part of the repository. */
const NOT_OURS = new Set(['node_modules', 'dist', 'data', 'coverage', '.git']);
const NOT_TEXT = /\.(?:db|db-shm|db-wal|gz|png|ico)$/;

/** Every text file under a folder of the repository, in a stable order. */
export function filesUnder(folder: string): Source[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry): Source[] => {
      const path = join(ROOT, folder, entry.name);
      if (entry.isDirectory()) {
        return NOT_OURS.has(entry.name) ? [] : filesUnder(relative(ROOT, path));
      }
      if (!entry.isFile() || NOT_TEXT.test(entry.name)) return [];
      return [
        { path: relative(ROOT, path).replaceAll('\\', '/'), text: readFileSync(path, 'utf8') },
      ];
    });
}

export function readText(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}
