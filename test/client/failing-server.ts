import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { close, listen } from '../support/listening.ts';

/** What stands between client and service does to the next request. */
type Trouble =
  | { kind: 'status'; status: number; headers?: Record<string, string>; body?: string }
  /** The service answers, and the client never learns of it. */
  | { kind: 'cut_after' }
  | { kind: 'cut_before' }
  /** The answer breaks off after so many bytes. */
  | { kind: 'cut_within'; bytes: number }
  | { kind: 'hang' }
  | { kind: 'pass' };

/** A proxy in front of a service that does what the script says, and is transparent otherwise. */
export async function failingServer(target: string) {
  const script: Trouble[] = [];
  const requests: { method: string; path: string; headers: IncomingMessage['headers'] }[] = [];
  const server = createServer((request, response) => {
    requests.push({
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
    });
    answer(request, response, script.shift()).catch(() => response.destroy());
  });

  async function answer(request: IncomingMessage, response: ServerResponse, trouble?: Trouble) {
    if (trouble?.kind === 'hang') return;
    if (trouble?.kind === 'cut_before') return request.socket.destroy();
    if (trouble?.kind === 'status') {
      response.writeHead(trouble.status, trouble.headers).end(trouble.body);
      return;
    }
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const passed = ['content-type', 'idempotency-key', 'last-event-id', 'accept', 'prefer'];
    const headers = passed.flatMap((name) => {
      const value = request.headers[name];
      return typeof value === 'string' ? [[name, value] as [string, string]] : [];
    });
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const answered = await fetch(`${target}${request.url}`, {
      method: request.method ?? 'GET',
      headers,
      signal: gone.signal,
      ...(parts.length > 0 && { body: Buffer.concat(parts) }),
    });
    if (trouble?.kind === 'cut_after') {
      await answered.arrayBuffer();
      return request.socket.destroy();
    }
    response.writeHead(answered.status, {
      'content-type': answered.headers.get('content-type') ?? 'text/plain',
    });
    let left = trouble?.kind === 'cut_within' ? trouble.bytes : Number.POSITIVE_INFINITY;
    for await (const chunk of answered.body ?? []) {
      response.write(chunk.subarray(0, left));
      left -= chunk.length;
      if (left <= 0) return request.socket.destroy();
    }
    response.end();
  }

  const url = await listen(server);
  return {
    url,
    requests,
    script: (...troubles: Trouble[]) => script.push(...troubles),
    forget: () => {
      script.length = 0;
      requests.length = 0;
    },
    close: () => close(server),
  };
}
