import { type ServerType, serve } from '@hono/node-server';
import type { Service } from './service.ts';

/** Requests under way may finish for this long when the service stops. */
const DRAIN_MS = 5_000;

export type Listening = { url: string; close: () => Promise<void> };

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
    const server = serve({ fetch: service.fetch, hostname: host, port }, (info) => {
      const name = host.includes(':') ? `[${host}]` : host;
      resolve({
        url: `http://${name}:${info.port}`,
        close: () => drained(server),
      });
    });
    server.on('error', reject);
  });
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
