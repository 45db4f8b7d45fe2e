import type { JsonObject } from '../../../src/domain/json.ts';

/** What the scripted server does with one request. */
export type Behaviour =
  | { kind: 'answer'; text: string }
  /** Sends the first chunk, waits for the gate, then sends the rest. */
  | { kind: 'slow'; text: string; gate: Promise<void> }
  /** Destroys the connection after this many chunks of text. */
  | { kind: 'cut'; text: string; afterChunks: number }
  /** Ends the stream in good order, but without finish reason and usage. */
  | { kind: 'unfinished'; text: string }
  /** Stops at the token limit. */
  | { kind: 'truncated'; text: string }
  | { kind: 'status'; status: number; headers: Record<string, string> }
  | { kind: 'too_long' }
  /** An error event inside a stream that began well. */
  | { kind: 'stream_error' }
  | { kind: 'hang' }
  /** Answers a request for compaction with exactly these output items, good or bad. */
  | { kind: 'compaction'; output: JsonObject[] };

export const answer = (text: string): Behaviour => ({ kind: 'answer', text });
export const empty = (): Behaviour => answer('');
export const slow = (text: string, gate: Promise<void>): Behaviour => ({
  kind: 'slow',
  text,
  gate,
});
export const cut = (text: string, afterChunks: number): Behaviour => ({
  kind: 'cut',
  text,
  afterChunks,
});
export const unfinished = (text: string): Behaviour => ({ kind: 'unfinished', text });
export const truncated = (text: string): Behaviour => ({ kind: 'truncated', text });
export const tooLong = (): Behaviour => ({ kind: 'too_long' });
export const streamError = (): Behaviour => ({ kind: 'stream_error' });
export const hang = (): Behaviour => ({ kind: 'hang' });
export const compaction = (...output: JsonObject[]): Behaviour => ({ kind: 'compaction', output });

export function status(
  code: number,
  options: { retryAfter?: number | string; headers?: Record<string, string> } = {},
): Behaviour {
  const { retryAfter } = options;
  const headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
  return { kind: 'status', status: code, headers: { ...headers, ...options.headers } };
}

/** A gate for `slow`: `open` lets the answer go on. */
export function gate(): { promise: Promise<void>; open: () => void } {
  let open: () => void = () => {};
  const promise = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { promise, open };
}
