import { Server } from 'node:http';
import { type ServerType, serve } from '@hono/node-server';
import { ProblemError, problemResponse } from './api/http/problem.ts';
import { closeStalled } from './close-stalled.ts';
import type { Service } from './service.ts';

/** Requests under way may finish for this long when the service stops. */
const DRAIN_MS = 5_000;
/**
 * How long a connection may stay idle. Longer than with common clients and proxies (Go 90 s, load
 * balancers 60 s): whoever closes first must be the client, since a request that is on its way into a
 * connection that the server closes is lost.
 */
const KEEP_ALIVE_MS = 95_000;

/** How long a client may take nothing of an answer. */
const STALLED_MS = 60_000;

type Listening = { url: string; close: () => Promise<void> };

/**
 * Listens on a socket; port 0 takes a free one. Answers once connections are accepted and pending
 * compactions are under way again, in this order: a second process that was started by mistake fails
 * on its port before it touches them. Stops the service and throws when it cannot listen.
 */
export async function listen(service: Service, host: string, port: number): Promise<Listening> {
  let listening: Listening | null = null;
  try {
    listening = await openSocket(service, host, port);
    await service.takeUpPending();
    return listening;
  } catch (error) {
    await listening?.close();
    await service.stop();
    throw error;
  }
}

function openSocket(service: Service, host: string, port: number): Promise<Listening> {
  return new Promise((resolve, reject) => {
    const options = {
      // The address has the host of a header, which may be none.
      fetch: (request: Request, bindings?: object) =>
        URL.canParse(request.url) ? service.fetch(request, bindings) : noHost(),
      hostname: host,
      port,
      serverOptions: { keepAliveTimeout: KEEP_ALIVE_MS },
    };
    const server = serve(options, (info) => {
      const name = host.includes(':') ? `[${host}]` : host;
      resolve({
        url: `http://${name}:${info.port}`,
        close: () => drained(server),
      });
    });
    if (server instanceof Server) closeStalled(server, STALLED_MS);
    server.on('error', (error) => reject(listenError(error, host, port)));
  });
}

function noHost(): Response {
  return problemResponse(
    new ProblemError(
      'invalid_request',
      'the header "Host" names no host: send the one of the address',
    ),
  );
}

/** What the system says of the address, and what to do. */
export function listenError(error: Error, host: string, port: number): Error {
  const code = 'code' in error ? error.code : null;
  const cause = { cause: error };
  switch (code) {
    case 'EADDRINUSE':
      return new Error(
        `port ${port} of ${host} is in use by another process: stop that one, or set PORT to ` +
          'another port (PORT=0 picks a free one)',
        cause,
      );
    case 'EACCES':
      return new Error(
        `this user may not open port ${port} of ${host}: set PORT to one above 1023`,
        cause,
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new Error(
        `HOST=${host} is not an address of this machine: set HOST to 127.0.0.1, or to 0.0.0.0 for all`,
        cause,
      );
    default:
      return error;
  }
}

/** Takes no new connection; resolves when the requests under way are answered, or cut off after a while. */
function drained(server: ServerType): Promise<void> {
  // Clients that keep their connection go on elsewhere, after the answer that they wait for.
  server.prependListener('request', (_request, response) => {
    response.setHeader('Connection', 'close');
  });
  return new Promise((resolve) => {
    const cutOff = setTimeout(() => {
      if ('closeAllConnections' in server) server.closeAllConnections();
    }, DRAIN_MS);
    server.close(() => {
      clearTimeout(cutOff);
      resolve();
    });
  });
}
