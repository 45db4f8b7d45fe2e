import { setImmediate as nextTurn } from 'node:timers/promises';

/** What is copied without a pause for others, in bytes. */
const PORTION = 4_000_000;

/** The pieces as one. To copy many megabytes takes its time, above all in memory that is new. */
export async function joinedBytes(pieces: readonly Uint8Array[]): Promise<Buffer<ArrayBuffer>> {
  const size = pieces.reduce((sum, { byteLength }) => sum + byteLength, 0);
  const bytes = new Uint8Array(size);
  let at = 0;
  let since = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.byteLength;
    since += piece.byteLength;
    if (since < PORTION) continue;
    since = 0;
    await nextTurn();
  }
  return Buffer.from(bytes.buffer);
}
