import { closeSync, constants, openSync, readFileSync, readSync, statSync } from 'node:fs';

/** How long nothing may come through a pipe, in milliseconds, and what may come of it, in bytes. */
const PATIENCE_MS = 5_000;
const MOST_BYTES = 16 * 1024 * 1024;
const PAUSE_MS = 10;

/**
 * The text of a file that settings name, or of a pipe, as shells make one for `<(…)`. Throws what reading
 * throws, and an Error for what would never end.
 */
export function readSetting(path: string, patience_ms = PATIENCE_MS): string {
  const found = statSync(path);
  if (found.isFIFO()) return textOfPipe(path, patience_ms);
  if (found.isFile() || found.isDirectory()) return readFileSync(path, 'utf8');
  throw new Error('it is neither a file nor a pipe');
}

function textOfPipe(path: string, patience_ms: number): string {
  // Else opening it would wait for somebody to write, for ever.
  const pipe = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const pieces: Buffer[] = [];
    let size = 0;
    for (let waited = 0; waited < patience_ms; ) {
      const piece = nextPiece(pipe);
      if (piece !== null && piece.length > 0) {
        pieces.push(piece);
        size += piece.length;
        waited = 0;
        if (size > MOST_BYTES) throw new Error(`more than ${MOST_BYTES} bytes come through it`);
        continue;
      }
      // Without a writer it is at its end, also before there was one.
      if (piece !== null && pieces.length > 0) return Buffer.concat(pieces).toString('utf8');
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
      waited += PAUSE_MS;
    }
  } finally {
    closeSync(pipe);
  }
  throw new Error(`it is a pipe, and nothing came through it for ${patience_ms / 1000} seconds`);
}

/** Null where somebody may still write. */
function nextPiece(pipe: number): Buffer | null {
  const piece = Buffer.alloc(65_536);
  try {
    return piece.subarray(0, readSync(pipe, piece));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') return null;
    throw error;
  }
}
