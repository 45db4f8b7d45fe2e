import { Readable } from 'node:stream';
import type { Dispatcher, request } from 'undici';

/** How long a model may take to begin, and between two pieces of its answer, in milliseconds. */
const PATIENCE_MS = 15 * 60_000;
const CONNECT_MS = 10_000;

/** The proxies on the way to upstreams, by the scheme of these. */
export type Proxies = {
  http: string | null;
  https: string;
  /** Hosts that are asked without one, separated by commas. */
  past: string;
};

type Client = { request: typeof request; dispatcher: Dispatcher };
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
  const { Agent, EnvHttpProxyAgent, request } = await import('undici');
  const options = {
    headersTimeout: PATIENCE_MS,
    bodyTimeout: PATIENCE_MS,
    connect: { timeout: CONNECT_MS },
  };
  if (proxies === null) return { request, dispatcher: new Agent(options) };
  const dispatcher = new EnvHttpProxyAgent({
    ...options,
    // Empty is none; without it the environment would be asked.
    httpProxy: proxies.http ?? '',
    httpsProxy: proxies.https,
    noProxy: proxies.past,
  });
  return { request, dispatcher };
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
  const { request, dispatcher } = await connections();
  const answer = await request(url, {
    dispatcher,
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
