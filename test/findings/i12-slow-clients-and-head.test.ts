import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { longAnswers } from '../../src/api/http/long-answers.ts';

const MB = 1_000_000;
const LENGTH = 27 * MB;
const TEXT = Buffer.alloc(LENGTH, 'x').toString('latin1');

let server: Server;
let port: number;
beforeAll(async () => {
  const app = new Hono();
  const { longAnswer } = longAnswers();
  app.get('/:tenant', (c) =>
    longAnswer({ c, tenant: c.req.param('tenant') }, async () => ({ text: TEXT })),
  );
  server = createServer(getRequestListener(app.fetch));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const url = (tenant: string) => `http://127.0.0.1:${port}/${tenant}`;

async function answerTo(method: string) {
  const answer = await fetch(url('head'), { method });
  const headers = Object.fromEntries(answer.headers);
  return { status: answer.status, headers, length: (await answer.text()).length };
}

/** A client that takes 15 KB each tenth of a second, without a pause. */
function slowClient(tenant: string): Socket {
  const socket = connect(port, '127.0.0.1', () =>
    socket.write(`GET /${tenant} HTTP/1.1\r\nHost: localhost\r\n\r\n`),
  );
  socket.on('error', () => {});
  socket.pause();
  const timer = setInterval(() => socket.read(Math.min(15_000, socket.readableLength || 1)), 100);
  socket.on('close', () => clearInterval(timer));
  return socket;
}

describe('I12: clients that are slow, and those that ask for no body', () => {
  it('who reads slowly, and never stops, is not cut off for those who wait', async () => {
    let cut = 0;
    server.on('connection', (socket) => socket.on('close', () => cut++));
    const clients = Array.from({ length: 7 }, () => slowClient('slow'));
    await sleep(8_000);
    expect(cut).toBe(0);
    for (const client of clients) client.destroy();
    // Nothing is left of them: who comes next has not to wait.
    const answer = await fetch(url('slow'));
    expect((await answer.text()).length).toBeGreaterThan(LENGTH);
  });

  it('answers to HEAD have the same headers, and hold up nobody', async () => {
    const ask = async (method: string) => {
      const started = performance.now();
      const seen: string[] = [];
      for (let n = 0; n < 10; n++) {
        const { status, headers, ...answer } = await answerTo(method);
        seen.push(`${status} ${headers['content-type']} ${headers['content-length']}`);
        expect(answer.length > 0).toBe(method === 'GET');
      }
      return { seen, took_ms: performance.now() - started };
    };
    const got = await ask('GET');
    const asked = await ask('HEAD');
    expect(asked.seen).toEqual(got.seen);
    // Where each left its body unread, the fourth would wait until the first is given up.
    expect(asked.took_ms).toBeLessThan(got.took_ms + 5_000);
  });
});
