import { open, realpath } from 'node:fs/promises';
import { isAbsolute, relative, resolve } from 'node:path';
import type { RestoredFile } from '../domain/compaction/restore.ts';
import type { Config } from '../domain/policy/config.ts';
import type { TextCounter } from '../domain/tokens/count.ts';
import { truncateMiddle } from '../domain/tokens/truncate.ts';

/** No file is read further than this; a restored file is cut to far less anyway. */
const MOST_BYTES = 1024 * 1024;

/**
 * The files to restore with their content on disk, for files inside the operator's workspace (SPEC
 * section 9). A file that is not there, not text, or outside the workspace after resolving links
 * keeps the content that the session knows.
 */
export async function refreshFromWorkspace(
  files: readonly RestoredFile[],
  root: string,
  config: Config,
  count: TextCounter,
): Promise<RestoredFile[]> {
  const realRoot = await realpath(root);
  const refreshed: RestoredFile[] = [];
  let budget = config.restore_total_file_budget;
  for (const file of files) {
    const text = await readInside(realRoot, file.path);
    const content =
      text === null ? file.content : truncateMiddle(text, config.restore_tokens_per_file, count);
    const tokens = count(content);
    if (tokens > budget) continue;
    budget -= tokens;
    refreshed.push({ path: file.path, content });
  }
  return refreshed;
}

/** Null for everything that may not or cannot be read as text. */
async function readInside(realRoot: string, path: string): Promise<string | null> {
  try {
    const real = await realpath(resolve(realRoot, path));
    const inside = relative(realRoot, real);
    if (inside === '' || inside.startsWith('..') || isAbsolute(inside)) return null;
    const file = await open(real, 'r');
    try {
      if (!(await file.stat()).isFile()) return null;
      const buffer = Buffer.alloc(MOST_BYTES);
      const { bytesRead } = await file.read(buffer, 0, MOST_BYTES, 0);
      const text = buffer.subarray(0, bytesRead).toString('utf8');
      return text.includes('\u0000') ? null : text;
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error) return null;
    throw error;
  }
}
