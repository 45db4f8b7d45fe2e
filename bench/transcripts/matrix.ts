import { type ChildProcess, fork } from 'node:child_process';
import { statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DATA_FOLDER } from './data-files.ts';
import { type Cell, type CellResult, cellResultSchema, cellsOf } from './matrix-cell.ts';

const CHILD = fileURLToPath(new URL('matrix-child.ts', import.meta.url));

/**
 * Checks every file with every profile at every window, on all processors: largest files first, so
 * that none is left alone at the end. `onResult` hears of each cell as it ends.
 */
export async function checkMatrix(
  files: readonly string[],
  onResult: (result: CellResult) => void,
): Promise<void> {
  const bySize = [...files].sort((a, b) => sizeOf(b) - sizeOf(a));
  const cells = cellsOf(bySize).values();
  await Promise.all(
    Array.from({ length: availableParallelism() }, async () => {
      const child = fork(CHILD, { execArgv: ['--import', 'tsx'] });
      try {
        for (const cell of cells) onResult(await checkedBy(child, cell));
      } finally {
        child.disconnect();
      }
    }),
  );
}

function checkedBy(child: ChildProcess, cell: Cell): Promise<CellResult> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null) =>
      reject(new Error(`the process that checked ${JSON.stringify(cell)} ended with ${code}`));
    child.once('exit', onExit);
    child.once('message', (message) => {
      child.off('exit', onExit);
      resolve(cellResultSchema.parse(message));
    });
    child.send(cell);
  });
}

function sizeOf(file: string): number {
  return statSync(join(DATA_FOLDER, file)).size;
}
