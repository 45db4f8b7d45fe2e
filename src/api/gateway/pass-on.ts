import { Slices } from '../../app/slices.ts';
import { joinedBytes } from '../http/joined-bytes.ts';

/** What is kept of an answer to be recorded, in bytes; of a longer one nothing is recorded. */
export const MOST_KEPT = 32 * 1024 * 1024;

/** The body of an answer on its way. */
export type Passing = AsyncIterable<Buffer> & { destroy: () => void };

/** What came of an answer; `pieces` null when it was too long to be kept. */
export type Passed = { pieces: readonly Buffer[] | null; isWhole: boolean };

/**
 * The body of an answer as the client reads it: piece by piece as they come, none before it is asked
 * for. `onEnd` is called once, before the client sees the end, also when it goes away or the upstream
 * breaks off; then `cut` breaks off the client's connection as well.
 */
export function passedOn(
  body: Passing,
  cut: (() => void) | null,
  onEnd: (passed: Passed) => void,
): ReadableStream<Uint8Array> {
  const pieces = body[Symbol.asyncIterator]();
  let kept: Buffer[] | null = [];
  let size = 0;
  let isOver = false;
  // What has arrived already comes without a pause for others.
  const slices = new Slices();
  const end = (isWhole: boolean) => {
    if (isOver) return;
    isOver = true;
    onEnd({ pieces: kept, isWhole });
    kept = null;
  };
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        try {
          if (slices.isOver) await slices.next();
          const { done, value } = await pieces.next();
          if (done === true) {
            end(true);
            controller.close();
            return;
          }
          const piece = value;
          size += piece.byteLength;
          if (size > MOST_KEPT) kept = null;
          kept?.push(piece);
          controller.enqueue(piece);
        } catch (error) {
          end(false);
          // The server would print what breaks a stream.
          if (cut === null) controller.error(error);
          else cut();
        }
      },
      cancel: async () => {
        end(false);
        body.destroy();
      },
    },
    { highWaterMark: 0 },
  );
}

/** All of a body that is no stream. Rejects when it breaks off, or is longer than what is kept. */
export async function wholeOf(body: Passing): Promise<Buffer> {
  const pieces: Buffer[] = [];
  const slices = new Slices();
  let size = 0;
  for await (const piece of body) {
    size += piece.byteLength;
    if (size > MOST_KEPT) throw new Error('an answer is too long to be read');
    pieces.push(piece);
    if (slices.isOver) await slices.next();
  }
  return joinedBytes(pieces);
}
