import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeStalled } from '../src/close-stalled.ts';

describe('who sends nothing more of a body for a while is let go', () => {
  let server: Server;
  let port: number;
  beforeAll(async () => {
    server = createServer((request, response) => {
      const read = () => request.resume().once('end', () => response.end('read'));
      // What waits to be read for longer than the limit is for the service to read.
      if (request.url === '/later') setTimeout(read, 6_000);
      else read();
    });
    closeStalled(server, 2_000);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    ({ port } = server.address() as AddressInfo);
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  /** What the client gets whose body of 1,000 bytes comes in these pieces, with a pause after each. */
  async function answered(path: string, pieces: readonly number[], pauseMs: number) {
    const socket = connect(port, '127.0.0.1');
    let got = '';
    const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()));
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      got += chunk;
    });
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 1000\r\n\r\n`,
    );
    for (const length of pieces) {
      socket.write('x'.repeat(length));
      await sleep(pauseMs);
    }
    await closed;
    return got;
  }

  it('cuts off who stops', async () => {
    expect(await answered('/', [999], 0)).toBe('');
  });

  it('reads on what comes slowly', async () => {
    expect(await answered('/', new Array(10).fill(100), 300)).toMatch(/read$/);
  });

  it('cuts off nobody whose body is not read yet', async () => {
    expect(await answered('/later', [900, 100], 3_000)).toMatch(/read$/);
  });
});
