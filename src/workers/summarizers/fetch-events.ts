import { AnswerTooLongError, fetchThere } from './fetch-there.ts';

/**
 * What stands between two empty lines holds so many values at most, by its brackets and commas: an event
 * is a few words, and with some servers a whole summary. A library parses it in one go, and tens of
 * megabytes of brackets would take all the memory of the process.
 */
const MOST_MARKS = 100_000;

const LINE_FEED = 0x0a;
const RETURN = 0x0d;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const OPEN_BRACE = 0x7b;

/** `fetchThere` for streams of events that are parsed one by one: one of far too many values breaks the answer. */
export function fetchEvents(ask: typeof fetch): typeof fetch {
  const there = fetchThere(ask);
  return async (input, init) => {
    const response = await there(input, init);
    const { ok, body, status, statusText, headers } = response;
    if (!ok || body === null) return response;
    return new Response(body.pipeThrough(boundedEvents()), { status, statusText, headers });
  };
}

function boundedEvents(): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let marks = 0;
  let isLineEmpty = true;
  let last = 0;
  return new TransformStream({
    transform(chunk, controller) {
      for (const byte of chunk) {
        if (byte === LINE_FEED || byte === RETURN) {
          // A line feed behind a return ends no second line.
          const isEnd = byte === RETURN || last !== RETURN;
          if (isEnd && isLineEmpty) marks = 0;
          if (isEnd) isLineEmpty = true;
        } else {
          isLineEmpty = false;
          if (byte === COMMA || byte === OPEN_BRACKET || byte === OPEN_BRACE) marks += 1;
        }
        last = byte;
      }
      if (marks > MOST_MARKS) throw new AnswerTooLongError();
      controller.enqueue(chunk);
    },
  });
}
