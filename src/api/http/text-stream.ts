import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Held } from './tenant-room.ts';

/** What is handed to the connection at once, in bytes. */
export const CHUNK_BYTES = 65_536;

type Options = {
  /** Called once, also when the client goes or `next` throws. */
  onEnd?: () => void;
  /** Told of each part that takes more than one piece, as long as the client has not read it. */
  hold?: (bytes: number) => Held;
};

/**
 * A body of which only the next part is ever in memory: `next` is asked when the client has taken what
 * came before, until it answers null. Other requests get their turn between two parts, however fast the
 * client reads.
 */
export function textStream(
  next: () => Promise<string | Uint8Array<ArrayBuffer> | null>,
  { onEnd = () => {}, hold }: Options = {},
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let rest = new Uint8Array();
  let held: Held | null = null;
  let isOver = false;
  const letGo = () => {
    held?.end();
    held = null;
  };
  const end = () => {
    rest = new Uint8Array();
    letGo();
    if (!isOver) onEnd();
    isOver = true;
  };
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        await nextTurn();
        while (rest.length === 0 && !isOver) {
          const text = await next().catch((error: unknown) => {
            // A stream that breaks is not cancelled: nobody else would do it.
            end();
            throw error;
          });
          // Cancelled meanwhile: a stream that is closed cannot be closed again.
          if (isOver) return;
          if (text === null) {
            end();
            controller.close();
            return;
          }
          rest = typeof text === 'string' ? encoder.encode(text) : text;
          if (rest.length > CHUNK_BYTES) held = hold?.(rest.length) ?? null;
        }
        if (isOver) return;
        if (held?.isCut) {
          end();
          throw new Error('the answer was not read');
        }
        controller.enqueue(rest.subarray(0, CHUNK_BYTES));
        rest = rest.subarray(CHUNK_BYTES);
        held?.left(rest.length);
        // A view of what was read would keep all of it.
        if (rest.length === 0) {
          rest = new Uint8Array();
          letGo();
        }
      },
      cancel: end,
    },
    // Nothing is read before the client asks.
    { highWaterMark: 0 },
  );
}
