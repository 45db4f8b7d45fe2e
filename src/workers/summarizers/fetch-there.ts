/** Far more than a summary, or a window of compacted items, comes to; in bytes, unpacked. */
const MOST_BYTES = 64 * 1024 * 1024;
/** Why a call failed stands at the beginning; whoever parses megabytes of brackets is held up by them. */
const MOST_OF_ERROR = 64 * 1024;

/** A provider has answered without an end, or far more than may be read. */
export class AnswerTooLongError extends Error {
  override readonly name = 'AnswerTooLongError';

  constructor() {
    super('the answer is longer than may be read');
  }
}

/**
 * `fetch` for calls to providers: the key and the conversation go where the operator says, and nowhere
 * else, and an answer that does not end takes no more memory than its bound. Reading on from there throws
 * AnswerTooLongError. Of an answer that is no success the beginning is read.
 */
export function fetchThere(ask: typeof fetch): typeof fetch {
  return async (input, init) => {
    const response = await ask(input, { ...init, redirect: 'manual' });
    if (response.body === null) return response;
    const { ok, status, statusText, headers } = response;
    const body = ok ? response.body.pipeThrough(bounded()) : beginningOf(response.body);
    return new Response(body, { status, statusText, headers });
  };
}

type Body = ReadableStream<Uint8Array<ArrayBuffer>>;

function beginningOf(body: Body): Body {
  const reader = body.getReader();
  let left = MOST_OF_ERROR;
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await reader.read();
      const chunk = value?.subarray(0, left);
      if (chunk !== undefined) controller.enqueue(chunk);
      left -= chunk?.byteLength ?? 0;
      if (!done && left > 0) return;
      controller.close();
      await reader.cancel();
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

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
