import type { OpenAPIHono } from '@hono/zod-openapi';
import type { ContentfulStatusCode } from 'hono/utils/http-status';

/** A request and its answer as they go from thread to thread: texts, and bytes that are not copied. */
export type SentRequest = {
  method: string;
  url: string;
  headers: [string, string][];
  body: ArrayBuffer | null;
};
export type SentAnswer = {
  status: ContentfulStatusCode;
  headers: Record<string, string>;
  body: Uint8Array<ArrayBuffer>;
};

/** Answers a request of a tenant in another thread. */
export type Elsewhere = (
  request: SentRequest,
  signal: AbortSignal,
  tenant: string,
) => Promise<SentAnswer>;

/** What was read of requests that are not answered yet: one that is answered elsewhere takes it along. */
const bodies = new WeakMap<Request, Uint8Array>();

export function keepBody(request: Request, body: Uint8Array): void {
  bodies.set(request, body);
}

export function sentRequest(request: Request, method: string): SentRequest {
  const body = bodies.get(request);
  return {
    method,
    url: withoutWait(request.url),
    headers: [...request.headers],
    body: body === undefined ? null : bufferOf(body),
  };
}

/** What is held while a compaction is under way was held before it was found to be for elsewhere. */
function withoutWait(address: string): string {
  const url = new URL(address);
  if (!url.searchParams.has('wait')) return address;
  url.searchParams.delete('wait');
  return url.href;
}

/** A copy where it is a part of a larger piece of memory, which others use. */
function bufferOf(body: Uint8Array): ArrayBuffer {
  const { buffer, byteLength } = body;
  const isWhole = buffer instanceof ArrayBuffer && buffer.byteLength === byteLength;
  return isWhole ? buffer : new Uint8Array(body).buffer;
}

/** What an app answers to a request that another thread has sent. */
export async function answerSent(
  app: OpenAPIHono,
  { url, method, headers, body }: SentRequest,
  signal: AbortSignal,
): Promise<SentAnswer> {
  const answer = await app.fetch(new Request(url, { method, headers, body, signal }));
  return {
    // Answers that cannot have a body, such as 304, come with an empty one.
    status: answer.status as ContentfulStatusCode,
    headers: Object.fromEntries(answer.headers),
    body: new Uint8Array(await answer.arrayBuffer()),
  };
}
