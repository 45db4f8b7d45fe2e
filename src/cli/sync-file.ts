import { on } from 'node:events';
import { unwatchFile, watchFile } from 'node:fs';
import { type ImportFlags, importFile, openImport } from './import-files.ts';
import type { ImportOptions } from './import-transcript.ts';
import type { Target } from './target.ts';

export type SyncFlags = ImportFlags & { watch?: boolean };

/** A file that is written to is looked at so often, in milliseconds. */
const LOOK_MS = 500;

/**
 * Brings the sessions of a transcript up to it, and with `watch` goes on until it is told to end. Where
 * the past was changed it goes on in a fork. Answers whether the last time worked.
 */
export async function syncCommand(file: string, { watch = false, ...flags }: SyncFlags) {
  const { target, options } = await openImport(flags);
  const stop = new AbortController();
  const end = () => stop.abort();
  process.once('SIGINT', end).once('SIGTERM', end);
  try {
    return await syncFile(target, file, { flags, options }, watch ? stop.signal : null);
  } finally {
    process.off('SIGINT', end).off('SIGTERM', end);
    await target.close();
  }
}

/** Syncs a file, and with a signal again whenever it has changed, until that is aborted. */
export async function syncFile(
  target: Target,
  file: string,
  { flags, options }: { flags: ImportFlags; options: ImportOptions },
  until: AbortSignal | null,
): Promise<boolean> {
  const sync = () => importFile(target, file, flags, { ...options, on_divergence: 'fork' });
  if (until === null) return sync();
  // Before the first look: what comes during it must not be missed.
  const changes = on(
    watchFile(file, { interval: LOOK_MS }, () => {}),
    'change',
    { signal: until },
  );
  try {
    let worked = await sync();
    try {
      for await (const _ of changes) worked = await sync();
    } catch (error) {
      if (!until.aborted) throw error;
    }
    return worked;
  } finally {
    unwatchFile(file);
  }
}
