import { on } from 'node:events';
import { unwatchFile, watchFile } from 'node:fs';
import { type ImportFlags, type ImportPlace, importFile, importPlace } from './import-files.ts';

export type SyncFlags = ImportFlags & { watch?: boolean };

/** A file that is written to is looked at so often, in milliseconds. */
const LOOK_MS = 500;

/**
 * Brings the sessions of a transcript up to it, and with `watch` goes on until it is told to end. Where
 * the past was changed it goes on in a fork. Answers whether the last time worked.
 */
export async function syncCommand(file: string, { watch = false, ...flags }: SyncFlags) {
  const place = importPlace(flags);
  const stop = new AbortController();
  const end = () => stop.abort();
  process.once('SIGINT', end).once('SIGTERM', end);
  try {
    return await syncFile(place, file, flags, watch ? stop.signal : null);
  } finally {
    process.off('SIGINT', end).off('SIGTERM', end);
    await place.close();
  }
}

/** Syncs a file, and with a signal again whenever it has changed, until that is aborted. */
export async function syncFile(
  place: Pick<ImportPlace, 'target'>,
  file: string,
  flags: ImportFlags,
  until: AbortSignal | null,
): Promise<boolean> {
  const sync = () => importFile(place, file, flags, { on_divergence: 'fork' });
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
