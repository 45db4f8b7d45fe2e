import type { Server } from 'node:http';

/**
 * Closes connections whose client takes nothing of an answer for so many milliseconds: what the answer
 * still holds would stay in memory for as long as the client likes. An answer that is not there yet may
 * take longer, and so may a client that reads slowly.
 */
export function closeStalled(server: Pick<Server, 'on'>, ms: number): void {
  server.on('request', (_request, response) => {
    response.setTimeout(ms, () => {
      const { socket } = response;
      if (socket === null) return;
      if (socket.writableLength > 0) socket.destroy();
      // Nothing to take: it is the service that lets the client wait. The timer runs once.
      else socket.setTimeout(ms);
    });
  });
}
