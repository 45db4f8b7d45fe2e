import { existsSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The recorded transcripts lie beside the repository, never in it. */
export const DATA_FOLDER = fileURLToPath(new URL('../../../shared/data/', import.meta.url));

/** What the folder holds besides recordings. */
const ABOUT = /(^LICENSES\/|^MANIFEST\.json$|\.md$)/;

export function isDataPresent(): boolean {
  return existsSync(join(DATA_FOLDER, 'MANIFEST.json'));
}

/** Every recorded file, as sorted paths relative to the folder, whose path contains a filter. */
export function dataFiles(filters: readonly string[] = []): string[] {
  return readdirSync(DATA_FOLDER, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(DATA_FOLDER, join(entry.parentPath, entry.name)))
    .filter((path) => !ABOUT.test(path))
    .filter((path) => filters.length === 0 || filters.some((filter) => path.includes(filter)))
    .sort();
}
