import { setTimeout } from 'node:timers/promises';
import { refusalIn } from '../../domain/gateway/too-long.ts';
import { partialTextOf } from './body.ts';
import type { Passing } from './pass-on.ts';

/** What is looked at of an answer at most, in bytes, and for how long it is kept back, in milliseconds. */
const MOST_BYTES = 65_536;
const PATIENCE_MS = 1_000;

type Begun = {
  /** The answer from its first byte on. */
  body: Passing;
  /** The words in which it says that the prompt is too long; null: it does not. */
  refusal: string | null;
};

/**
 * Looks at the beginning of an answer before the client gets any of it: some providers say 200 first, and
 * then that the prompt is too long. Never waits long for what comes next.
 */
export async function begun(
  answer: Passing,
  { isStream, coding }: { isStream: boolean; coding: string | null },
): Promise<Begun> {
  const pieces = answer[Symbol.asyncIterator]();
  const held: Buffer[] = [];
  const over = new AbortController();
  const late = setTimeout(PATIENCE_MS, null, { signal: over.signal }).catch(() => null);
  let next = pieces.next();
  // Whoever reads on finds what went wrong.
  next.catch(() => {});
  const rest = (refusal: string | null): Begun => {
    over.abort();
    return { body: goneOn(answer, held, next, pieces), refusal };
  };
  for (let size = 0; size < MOST_BYTES; ) {
    const piece = await Promise.race([next.catch(() => null), late]);
    if (piece === null) return rest(null);
    if (piece.done !== true) {
      held.push(piece.value);
      size += piece.value.byteLength;
      next = pieces.next();
      next.catch(() => {});
    }
    const text = await partialTextOf(Buffer.concat(held), coding);
    const found = refusalIn(text, isStream, piece.done === true);
    if (found.kind === 'too_long') return rest(found.refusal);
    if (found.kind === 'fine' || piece.done === true) return rest(null);
  }
  return rest(null);
}

/** The beginning of an answer that is an error. `rest`: all of the answer, where there is more of it. */
export async function beginningOf(
  answer: Passing,
): Promise<{ bytes: Buffer; rest: Passing | null }> {
  const pieces = answer[Symbol.asyncIterator]();
  const held: Buffer[] = [];
  for (let size = 0; size < MOST_BYTES; ) {
    const piece = await pieces.next();
    if (piece.done === true) return { bytes: Buffer.concat(held), rest: null };
    held.push(piece.value);
    size += piece.value.byteLength;
  }
  const bytes = Buffer.concat(held);
  const next = pieces.next();
  // Whoever reads on finds what went wrong.
  next.catch(() => {});
  return { bytes, rest: goneOn(answer, held, next, pieces) };
}

function goneOn(
  answer: Passing,
  held: Buffer[],
  next: Promise<IteratorResult<Buffer>>,
  pieces: AsyncIterator<Buffer>,
): Passing {
  async function* all(): AsyncGenerator<Buffer> {
    yield* held.splice(0);
    for (let piece = await next; piece.done !== true; piece = await pieces.next()) {
      yield piece.value;
    }
  }
  return { [Symbol.asyncIterator]: all, destroy: () => answer.destroy() };
}
