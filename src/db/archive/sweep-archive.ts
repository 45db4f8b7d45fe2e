import type { Archive } from '../../app/ports/archive.ts';
import type { SearchableStore } from '../../app/ports/search-index.ts';

const FILES_AT_A_TIME = 100;
/** Nobody works so long on one file: who began it has been killed. */
const ABANDONED_MS = 3_600_000;

/**
 * Removes the files that no session has: of those that came back or were erased, and of processes that were
 * killed while they archived. `onLeft` is told of one that cannot be removed; the next sweep tries again.
 */
export async function sweepArchive(
  { archived }: Pick<SearchableStore, 'archived'>,
  archive: Archive,
  onLeft: (error: unknown) => void,
  nowMs = Date.now(),
): Promise<void> {
  const begunBefore = new Date(nowMs - ABANDONED_MS).toISOString();
  try {
    for (;;) {
      const files = await archived.unneeded(begunBefore, FILES_AT_A_TIME);
      for (const file of files) {
        await archive.remove(file);
        await archived.forget(file);
      }
      if (files.length < FILES_AT_A_TIME) return;
    }
  } catch (error) {
    onLeft(error);
  }
}
