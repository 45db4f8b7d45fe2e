import { setImmediate as nextTurn } from 'node:timers/promises';

/** What is handed to the connection at once, in bytes. */
export const CHUNK_BYTES = 65_536;

/**
 * A body of which only the next part is ever in memory: `next` is asked when the client has taken what
 * came before, until it answers null. Other requests get their turn between two parts, however fast the
 * client reads. `onEnd` is called once, also when the client goes or `next` throws.
 */
export function textStream(
  next: () => Promise<string | Uint8Array<ArrayBuffer> | null>,
  onEnd: () => void = () => {},
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let rest = new Uint8Array();
  let isOver = false;
  const end = () => {
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
        }
        if (isOver) return;
        controller.enqueue(rest.subarray(0, CHUNK_BYTES));
        rest = rest.subarray(CHUNK_BYTES);
      },
      cancel: end,
    },
    // Nothing is read before the client asks.
    { highWaterMark: 0 },
  );
}
