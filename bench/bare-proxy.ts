import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { Agent, request } from 'undici';

/*
 * A proxy with the least work: what comes in goes on as it comes, and so does what is answered; nothing
 * is understood, kept or changed. What it adds is added by any proxy. A process of its own. The upstream
 * is the first argument.
 */

const [upstream = ''] = process.argv.slice(2);
const dispatcher = new Agent();

const server = createServer(async (incoming, response) => {
  const answer = await request(upstream + (incoming.url ?? ''), {
    dispatcher,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: incoming,
  });
  response.writeHead(answer.statusCode, { 'content-type': 'text/event-stream' });
  await pipeline(answer.body, response);
});
// Who measures may be busy for longer than usual between two requests.
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  console.log(`listening on http://127.0.0.1:${port}`);
});
process.once('SIGTERM', () => process.exit());
