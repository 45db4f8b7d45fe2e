import { Readable } from 'node:stream';
import type { Dispatcher, fetch, request } from 'undici';
import { type Proxies, proxyFor } from './proxies.ts';

/** How long a model may take to begin, and between two pieces of its answer, in milliseconds. */
const PATIENCE_MS = 15 * 60_000;
const CONNECT_MS = 10_000;

type Client = {
  request: typeof request;
  fetch: typeof fetch;
  dispatcherFor: (url: string) => Dispatcher;
};
export type Connections = () => Promise<Client>;

/**
 * Connections to upstreams; they are kept open between requests. The client that holds them is loaded with
 * the first request: who does not use the gateway does without its 10 MB.
 */
export function openConnections(proxies: Proxies | null): Connections {
  let client: Promise<Client> | null = null;
  return () => {
    client ??= openClient(proxies);
    return client;
  };
}

async function openClient(proxies: Proxies | null): Promise<Client> {
  const { Agent, ProxyAgent, fetch, request } = await import('undici');
  const direct = new Agent({ connect: { timeout: CONNECT_MS } });
  const known = new Map<string | null, Dispatcher>([[null, direct]]);
  const through = (uri: string) =>
    // Tunnels to another port than that of HTTPS are what most proxies refuse.
    new ProxyAgent({ uri, proxyTunnel: false });
  for (const uri of [proxies?.http ?? null, proxies?.https ?? null]) {
    if (uri !== null && !known.has(uri)) known.set(uri, through(uri));
  }
  const dispatcherFor = (url: string) =>
    known.get(proxies === null ? null : proxyFor(proxies, new URL(url))) ?? direct;
  return { request, fetch, dispatcherFor };
}

export type UpstreamAnswer = Dispatcher.ResponseData;

type Sent = {
  url: string;
  method: string;
  headers: Record<string, string>;
  body: Buffer | string | AsyncIterable<Uint8Array> | null;
};

/** Sends a request once; redirects are not followed. Rejects when there is no answer. */
export async function send(
  connections: Connections,
  { url, method, headers, body }: Sent,
  signal: AbortSignal,
): Promise<UpstreamAnswer> {
  const { request, dispatcherFor } = await connections();
  const answer = await request(url, {
    dispatcher: dispatcherFor(url),
    headersTimeout: PATIENCE_MS,
    bodyTimeout: PATIENCE_MS,
    // What a client's method is called, the upstream knows.
    method: method as Dispatcher.HttpMethod,
    headers,
    body: isRead(body) ? body : Readable.from(body),
    signal,
  });
  // Who reads the body sees its errors. One that is given up unread would end the process by them.
  answer.body.on('error', () => {});
  return answer;
}

function isRead(body: Sent['body']): body is Buffer | string | null {
  return body === null || typeof body === 'string' || Buffer.isBuffer(body);
}
