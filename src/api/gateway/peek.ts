import { setTimeout } from 'node:timers/promises';
import { Slices } from '../../app/slices.ts';
import { type Beginning, refusalInBody, refusalInEvent } from '../../domain/gateway/too-long.ts';
import { joinedBytes } from '../http/joined-bytes.ts';
import { decoded, isDecoded } from './body.ts';
import type { Passing } from './pass-on.ts';
import { ssePieces } from './sse.ts';

/** What is looked at of an answer at most, in bytes, and for how long it is kept back, in milliseconds. */
const MOST_BYTES = 65_536;
const KEPT_BACK_MS = 1_000;
/** The same of what was packed. */
const MOST_PLAIN = 1_000_000;

type Begun = {
  /** The answer from its first byte on. */
  body: Passing;
  /** The words in which it says that the prompt is too long; null: it does not. */
  refusal: string | null;
};

/**
 * Looks at the beginning of an answer before the client gets any of it: some providers say 200 first, and
 * then that the prompt is too long. Never waits long for what comes next, nor reads anything twice, however
 * small the pieces are that it comes in.
 */
export async function begun(
  answer: Passing,
  { isStream, coding }: { isStream: boolean; coding: string | null },
  patienceMs = KEPT_BACK_MS,
): Promise<Begun> {
  const pieces = answer[Symbol.asyncIterator]();
  const held: Buffer[] = [];
  const over = new AbortController();
  let next = pieces.next();
  // Whoever reads on finds what went wrong.
  next.catch(() => {});
  async function* beginning(): AsyncGenerator<Buffer> {
    for (let size = 0; size < MOST_BYTES; ) {
      const piece = await next;
      if (over.signal.aborted || piece.done === true) return;
      held.push(piece.value);
      size += piece.value.byteLength;
      next = pieces.next();
      next.catch(() => {});
      yield piece.value;
    }
    throw new Error('the beginning says nothing');
  }
  const plain = decoded({ [Symbol.asyncIterator]: beginning, destroy: () => {} }, coding);
  const late = setTimeout(patienceMs, null, { signal: over.signal }).catch(() => null);
  const found = isDecoded(coding) ? refusalOf(plain, isStream) : null;
  const refusal = await Promise.race([found, late]).catch(() => null);
  over.abort();
  plain.destroy();
  return { body: goneOn(answer, held, next, pieces), refusal };
}

async function refusalOf(plain: Passing, isStream: boolean): Promise<string | null> {
  const found = await (isStream ? inEvents(plain) : inBody(plain));
  return found.kind === 'too_long' ? found.refusal : null;
}

async function inEvents(plain: Passing): Promise<Beginning> {
  for await (const piece of ssePieces(plain, MOST_PLAIN)) {
    const found = piece.kind === 'event' ? refusalInEvent(piece.event.data) : null;
    if (found !== null && found.kind !== 'more') return found;
  }
  return { kind: 'more' };
}

async function inBody(plain: Passing): Promise<Beginning> {
  const decoder = new TextDecoder('utf-8');
  let text = '';
  for await (const piece of plain) {
    text += decoder.decode(piece, { stream: true });
    if (text.length > MOST_PLAIN) return { kind: 'more' };
  }
  return refusalInBody(text + decoder.decode());
}

/**
 * The beginning of an answer, up to so many bytes: by default what is looked at of an error. `rest`: all of
 * the answer, where there is more of it.
 */
export async function beginningOf(
  answer: Passing,
  most = MOST_BYTES,
): Promise<{ bytes: Buffer; rest: Passing | null }> {
  const pieces = answer[Symbol.asyncIterator]();
  const held: Buffer[] = [];
  // What has arrived already comes without a pause for others.
  const slices = new Slices();
  for (let size = 0; size < most; ) {
    const piece = await pieces.next();
    if (piece.done === true) return { bytes: await joinedBytes(held), rest: null };
    held.push(piece.value);
    size += piece.value.byteLength;
    if (slices.isOver) await slices.next();
  }
  const bytes = await joinedBytes(held);
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
