import { Readable } from 'node:stream';
import { Agent, type Dispatcher, request as undiciRequest } from 'undici';

/** How long a model may take to begin, and between two pieces of its answer, in milliseconds. */
const PATIENCE_MS = 15 * 60_000;
const CONNECT_MS = 10_000;

/** Connections to upstreams; they are kept open between requests. */
export function openConnections(): Dispatcher {
  return new Agent({
    headersTimeout: PATIENCE_MS,
    bodyTimeout: PATIENCE_MS,
    connect: { timeout: CONNECT_MS },
  });
}

export type UpstreamAnswer = Dispatcher.ResponseData;

type Sent = {
  url: string;
  method: string;
  headers: Record<string, string>;
  body: Buffer | string | AsyncIterable<Uint8Array> | null;
};

/** Sends a request once; redirects are not followed. Rejects when there is no answer. */
export function send(
  dispatcher: Dispatcher,
  { url, method, headers, body }: Sent,
  signal: AbortSignal,
): Promise<UpstreamAnswer> {
  return undiciRequest(url, {
    dispatcher,
    // What a client's method is called, the upstream knows.
    method: method as Dispatcher.HttpMethod,
    headers,
    body: isRead(body) ? body : Readable.from(body),
    signal,
  });
}

function isRead(body: Sent['body']): body is Buffer | string | null {
  return body === null || typeof body === 'string' || Buffer.isBuffer(body);
}
