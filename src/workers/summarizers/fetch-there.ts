/** Far more than a summary, or a window of compacted items, comes to; in bytes, unpacked. */
const MOST_BYTES = 64 * 1024 * 1024;

/** A provider has answered without an end, or far too much. */
export class AnswerTooLongError extends Error {
  override readonly name = 'AnswerTooLongError';

  constructor() {
    super(`the answer is longer than ${MOST_BYTES} bytes`);
  }
}

/**
 * `fetch` for calls to providers: the key and the conversation go where the operator says, and nowhere
 * else, and an answer that does not end takes no more memory than its bound. Reading on from there throws
 * AnswerTooLongError.
 */
export const fetchThere: typeof fetch = async (input, init) => {
  const response = await fetch(input, { ...init, redirect: 'manual' });
  if (response.body === null) return response;
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(bounded()), { status, statusText, headers });
};

function bounded(): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let size = 0;
  return new TransformStream({
    transform(chunk, controller) {
      size += chunk.byteLength;
      if (size > MOST_BYTES) throw new AnswerTooLongError();
      controller.enqueue(chunk);
    },
  });
}
