import type { RecallRounds } from '../../app/gateway/recall-rounds.ts';
import { within } from '../../app/gateway/within.ts';
import { answerJson } from '../../domain/gateway/answer-json.ts';
import type { Answer } from '../../domain/gateway/answers/answer.ts';
import { answerReader } from '../../domain/gateway/answers/readers.ts';
import type { SsePiece } from '../../domain/gateway/event-stream.ts';
import type { JsonObject } from '../../domain/json.ts';
import { decoded, partialTextOf, textOf } from './body.ts';
import { type Passing, wholeOf } from './pass-on.ts';
import { headerOf, isEventStream } from './relay.ts';
import type { UpstreamAnswer } from './send.ts';
import { ssePieces, sseText } from './sse.ts';

/** Of one round; of a longer one nothing is recorded, and no call in it is answered here. */
const MOST_CHARACTERS = 32 * 1024 * 1024;
/** The same of its events: models say less than half of it, one for each token. */
const MOST_EVENTS = 400_000;
/** How long a connection may stay open behind the end of an answer, in milliseconds. */
const LINGERING_MS = 250;

/** Asks the model again, with another body; null where the upstream cannot be reached. */
export type Again = (text: string) => Promise<UpstreamAnswer | null>;

type Splicing = { rounds: RecallRounds; again: Again };

/** The answers of all rounds as one stream, and what is to be recorded of it. */
type Spliced = { body: Passing; answer: (isWhole: boolean) => Promise<Answer> };

/**
 * The stream of an answer in which calls of our tools are answered here: everything else goes on as it
 * comes (SPEC 2, section 23).
 */
export function splicedStream(
  first: Passing,
  coding: string | null,
  { rounds, again }: Splicing,
): Spliced {
  const { protocol, own, isOwn } = rounds.turn;
  const splice = own.splice(isOwn);
  const reader = answerReader(protocol);
  let current = decoded(first, coding);
  let isOpen = true;
  let isFirst = true;
  let isLong = false;
  let pending: Promise<unknown> = Promise.resolve();
  let isEnded = false;
  const taken = (isWhole: boolean) => {
    const { events, waits } = splice.round();
    const read = reader.ofEvents(events);
    isOpen = false;
    const next = rounds.next({ ...read, isWhole: read.isWhole && isWhole }, waits);
    pending = next;
    return next;
  };
  async function* pieces(): AsyncGenerator<string> {
    for (;;) {
      let size = 0;
      let events = 0;
      try {
        const isClosed = () => splice.round().isClosed;
        for await (const piece of soonEnded(ssePieces(current), isClosed)) {
          if (piece.kind === 'comment') {
            yield `:${piece.text}\n\n`;
            continue;
          }
          if (piece.kind === 'line') {
            // In one that is no stream, an error may stand. Behind a beginning nobody would read it.
            if (isFirst) yield `${piece.text}\n`;
            continue;
          }
          size += piece.event.data.length;
          events += 1;
          const isOver = size > MOST_CHARACTERS || events > MOST_EVENTS;
          if (isOver && !isFirst) throw new Error('an answer is too long to be read');
          isLong ||= isOver;
          for (const event of isLong ? [piece.event] : splice.take(piece.event)) {
            yield sseText(event);
          }
        }
      } catch (error) {
        // What breaks off behind its end is whole.
        if (isLong || !splice.round().isOver) throw error;
        current.destroy();
      }
      if (isLong) return;
      const { isOver } = splice.round();
      const next = await taken(isOver);
      if (next.kind === 'over') {
        if (next.isStopped && !splice.round().hasSpoken) {
          for (const event of splice.say(rounds.stopped())) yield sseText(event);
        }
        for (const event of splice.end()) yield sseText(event);
        isEnded = isOver;
        return;
      }
      const answer = await again(next.text);
      if (answer === null || !goesOn(answer)) {
        const refusal = answer === null ? null : await refusalOf(answer);
        for (const event of splice.refused(refusal)) yield sseText(event);
        return;
      }
      splice.next();
      isFirst = false;
      isOpen = true;
      current = decoded(answer.body, headerOf(answer, 'content-encoding'));
    }
  }
  return {
    body: bytesOf(pieces(), () => current.destroy()),
    answer: async (isWhole) => {
      await pending;
      if (isOpen && !isLong) await taken(false);
      return rounds.answer(isWhole && isEnded);
    },
  };
}

/** Some providers say with a status of 200, and in one body, what is wrong. */
function goesOn(answer: UpstreamAnswer): boolean {
  return answer.statusCode === 200 && isEventStream(headerOf(answer, 'content-type'));
}

/**
 * The pieces of a stream, whose upstream need not end it: behind what says that nothing follows, it is not
 * waited for long. Rejects then.
 */
async function* soonEnded(
  pieces: AsyncGenerator<SsePiece>,
  isClosed: () => boolean,
): AsyncGenerator<SsePiece> {
  try {
    for (;;) {
      const next = pieces.next();
      const { done, value } = await (isClosed() ? within(LINGERING_MS, next) : next);
      if (done === true) return;
      yield value;
    }
  } finally {
    // Lets go of the upstream where it is still there; it may take as long as that likes.
    pieces.return(null).catch(() => {});
  }
}

/** What an upstream has said when it was asked again. */
type Came = Pick<UpstreamAnswer, 'statusCode' | 'headers'> & { bytes: Buffer };

/** Whole answers as one; or the upstream has refused to go on: `refusal` null where it has said nothing. */
type Joined =
  | { kind: 'joined'; text: string; answer: Answer }
  | { kind: 'refused'; refusal: Came | null; answer: Answer };

/** The same of an answer that is no stream. Null: there is no call of ours in it, or it is no answer. */
export async function joinedBody(
  bytes: Buffer,
  coding: string | null,
  { rounds, again }: Splicing,
): Promise<Joined | null> {
  const { protocol, own, isOwn } = rounds.turn;
  const reader = answerReader(protocol);
  const bodies: JsonObject[] = [];
  let body = answerJson((await textOf(bytes, coding)) ?? '');
  let came: Came | null = null;
  for (;;) {
    const isRefused = came !== null && came.statusCode !== 200;
    const read = body === null || isRefused ? null : reader.ofBody(body);
    if (body === null || read === null) {
      if (bodies.length === 0) return null;
      return { kind: 'refused', refusal: came, answer: rounds.answer(false) };
    }
    bodies.push(body);
    const next = await rounds.next(read, own.waits(body));
    if (next.kind === 'over') {
      const isPlain = bodies.length === 1 && !rounds.hasHidden;
      if (isPlain) return null;
      const isSilent = next.isStopped && !rounds.hasSpoken;
      const note = isSilent ? rounds.stopped() : null;
      const text = JSON.stringify(own.joined(bodies, isOwn, note));
      return { kind: 'joined', text, answer: rounds.answer(true) };
    }
    const answer = await again(next.text);
    came = answer === null ? null : await cameOf(answer);
    body = came === null ? null : await bodyOf(came);
  }
}

/** Null for what breaks off: what was found before is kept all the same. */
async function cameOf({ statusCode, headers, body }: UpstreamAnswer): Promise<Came | null> {
  try {
    return { statusCode, headers, bytes: await wholeOf(body) };
  } catch {
    return null;
  }
}

/** Null for what is no JSON object. */
async function bodyOf(came: Came): Promise<JsonObject | null> {
  const text = await textOf(came.bytes, headerOf(came, 'content-encoding'));
  return answerJson(text ?? '');
}

async function refusalOf(answer: UpstreamAnswer): Promise<JsonObject | null> {
  try {
    return answerJson(
      await partialTextOf(await wholeOf(answer.body), headerOf(answer, 'content-encoding')),
    );
  } catch {
    return null;
  }
}

function bytesOf(texts: AsyncGenerator<string>, destroy: () => void): Passing {
  async function* all(): AsyncGenerator<Buffer> {
    for await (const text of texts) yield Buffer.from(text);
  }
  return { [Symbol.asyncIterator]: all, destroy };
}
