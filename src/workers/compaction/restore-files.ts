import { open, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { isExcluded, withinBudget } from '../../domain/compaction/restore.ts';
import type { Config } from '../../domain/policy/config.ts';
import type { TextCounter } from '../../domain/tokens/count.ts';
import { wholeText } from '../../domain/workspace/known-text.ts';
import { type RestoredFile, restoredFile } from '../../domain/workspace/restored-lines.ts';

/** No file is read further than this; a restored file is cut to far less anyway. */
const MOST_BYTES = 1024 * 1024;

/**
 * The files to restore with their content on disk, for files inside the operator's workspace (SPEC
 * section 9). A file that is not there, not text, or outside the workspace after resolving links
 * keeps the content that the session knows; one that is excluded by its real name is left out. `root`
 * may have gone since the start: then nothing is read.
 */
export async function refreshFromWorkspace(
  files: readonly RestoredFile[],
  root: string,
  config: Config,
  count: TextCounter,
): Promise<RestoredFile[]> {
  const realRoot = await withoutSystemErrors(realpath(root));
  if (realRoot === null) return [...files];
  const refreshed: (() => RestoredFile | null)[] = [];
  for (const file of files) {
    const inside = await pathInside(realRoot, file.path);
    if (inside !== null && isExcluded(inside, config.restore_exclude)) continue;
    const text =
      inside === null ? null : await withoutSystemErrors(readText(join(realRoot, inside)));
    if (text === null) refreshed.push(() => file);
    else {
      const onDisk = { path: file.path, text: wholeText(text), changedBy: null, posted: null };
      refreshed.push(() => restoredFile(onDisk, config.restore_tokens_per_file, count));
    }
  }
  return withinBudget(refreshed, config, count);
}
/** The path below the root that a posted path leads to, links resolved; null when there is none. */
async function pathInside(realRoot: string, path: string): Promise<string | null> {
  const real = await withoutSystemErrors(realpath(resolve(realRoot, path)));
  if (real === null) return null;
  const inside = relative(realRoot, real);
  return inside === '' || inside.startsWith('..') || isAbsolute(inside) ? null : inside;
}

/** Null for what is no text. Throws what the system refuses. */
async function readText(path: string): Promise<string | null> {
  // Before it is opened: opening a named pipe waits for somebody to write.
  if (!(await stat(path)).isFile()) return null;
  const file = await open(path, 'r');
  try {
    const buffer = Buffer.alloc(MOST_BYTES);
    const { bytesRead } = await file.read(buffer, 0, MOST_BYTES, 0);
    const text = buffer.subarray(0, bytesRead).toString('utf8');
    return text.includes('\u0000') ? null : text;
  } finally {
    await file.close();
  }
}

/** Null when the system refuses: the file is missing, may not be read, has a name that is too long. */
async function withoutSystemErrors<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Error && 'code' in error) return null;
    throw error;
  }
}
