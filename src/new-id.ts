import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

const BYTES = 16;
/** Made of one draw: to ask for random bytes takes much longer than to write them as an id. */
const IDS = 256;
const drawn = new Uint8Array(BYTES * IDS);
let used = drawn.length;
let last = { msecs: 0, seq: 0 };

/** A UUIDv7; each is greater than the one that this thread has made before. */
export function newId(): string {
  if (used === drawn.length) {
    randomFillSync(drawn);
    used = 0;
  }
  const random = drawn.subarray(used, used + BYTES);
  used += BYTES;
  const msecs = Date.now();
  // Within a millisecond, and where the clock goes back, they are counted.
  last = msecs > last.msecs ? { msecs, seq: countFrom(random) } : { ...last, seq: last.seq + 1 };
  return v7({ random, ...last });
}

/** A random start in the lower half, so that there is room to count on. */
function countFrom(random: Uint8Array): number {
  return new DataView(random.buffer, random.byteOffset).getUint32(0) >>> 1;
}
