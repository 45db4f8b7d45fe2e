import type { Server } from 'node:http';

/**
 * Closes connections whose client takes nothing of an answer, or sends nothing more of a body, for so many
 * milliseconds: what the answer still holds, or has come of the body, would stay in memory for as long as
 * the client likes. An answer that is not there yet may take longer, and so may a client that reads or sends
 * slowly.
 */
export function closeStalled(server: Pick<Server, 'on'>, ms: number): void {
  server.on('request', (request, response) => {
    response.setTimeout(ms, () => {
      const { socket } = response;
      if (socket === null) return;
      // What has come and is not read yet is for the service to read.
      const isAwaited = !request.complete && request.readableLength === 0;
      if (socket.writableLength > 0 || isAwaited) socket.destroy();
      // Nothing to take: it is the service that lets the client wait. The timer runs once.
      else socket.setTimeout(ms);
    });
  });
}
