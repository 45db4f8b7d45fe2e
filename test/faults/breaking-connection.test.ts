import { createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Hosts } from '../../src/db/postgres/hosts.ts';
import { onConnection, openPool } from '../../src/db/postgres/open-pool.ts';

/** One message of PostgreSQL's protocol: type, length, body. */
function message(type: string, body: string): Buffer {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, Buffer.from(body)]);
}

/** In one packet: you are in, I am ready, I am going. A server that is killed may say just that. */
const FAREWELL = Buffer.concat([
  message('R', '\0\0\0\0'),
  message('Z', 'I'),
  message('E', 'SFATAL\0C57P01\0Mterminating connection\0\0'),
]);

describe('a connection that breaks in the moment in which it is made', () => {
  let server: Server;
  beforeAll(async () => {
    server = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.write(FAREWELL));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => {
    server.close();
  });

  // An error event that nobody listens to ends a process, and here the test run.
  it('fails the work and not the process', async () => {
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('no TCP address');
    const url = `postgres://postgres@127.0.0.1:${address.port}/any`;
    const pool = openPool(new Hosts(url), 1, () => {});
    const work = onConnection(pool, (client) => client.query('SELECT 1'));
    await expect(work).rejects.toThrow('connection error');
    await pool.end();
  });
});
