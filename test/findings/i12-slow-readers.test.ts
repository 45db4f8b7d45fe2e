import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeStalled } from '../../src/close-stalled.ts';
import { type ApiServer, send, startApi } from '../support/api-server.ts';
import { cpuMs } from '../support/cpu-time.ts';
import { user } from '../support/items.ts';
import { atScale } from '../support/scale.ts';

const MB = 1_000_000;

let api: ApiServer;

async function post(id: string, body: unknown): Promise<void> {
  const reply = await send(api, 'POST', `/sessions/${id}/items`, { body });
  if (reply.status !== 201) throw new Error(reply.text);
}

beforeAll(async () => {
  api = await startApi({
    limits: {
      body_bytes: 16 * MB,
      items_per_request: 10_000,
      json_depth: 64,
      json_values: 400_000,
      rate_per_minute_per_key: null,
    },
  });
  // 60 MB of each kind: a few large items, and many small ones.
  for (let n = 0; n < 30; n++) {
    await post('large', user(`${n} ${'x'.repeat(2 * MB)}`));
  }
  for (let n = 0; n < 12; n++) {
    await post(
      'small',
      Array.from({ length: 5_000 }, (_, i) => user(`${n} ${i} ${'x'.repeat(1_000)}`)),
    );
  }
});
afterAll(() => api.close());

/** The longest time for which nothing else ran while `work` was under way; what the machine gave others is none. */
async function longestStall(work: Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = { at: performance.now(), cpu: cpuMs() };
  let isDone = false;
  const tick = () => {
    const now = { at: performance.now(), cpu: cpuMs() };
    longest = Math.max(longest, Math.min(now.at - last.at, now.cpu - last.cpu));
    last = now;
    if (!isDone) setImmediate(tick);
  };
  setImmediate(tick);
  await work;
  isDone = true;
  return longest;
}

/** Others use the machine, too: only what holds the process up each time does it by itself. */
async function shortestOf(work: () => Promise<void>): Promise<number> {
  let shortest = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 5 && shortest >= 250; round++) {
    shortest = Math.min(shortest, await longestStall(work()));
  }
  return shortest;
}

/** Reads the raw answer, which costs next to nothing, until it has so many bytes or ends. */
function read(path: string, bytes: number, headers = ''): Promise<number> {
  const { hostname, port } = new URL(api.url);
  return new Promise((resolve, reject) => {
    let seen = 0;
    const socket = connect(Number(port), hostname, () =>
      socket.write(
        `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${headers}\r\n`,
      ),
    );
    socket.on('data', (chunk) => {
      seen += chunk.length;
      if (seen >= bytes) socket.destroy();
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(seen));
  });
}

const STREAM = 'Accept: text/event-stream\r\n';

describe('I12: long answers and slow readers', () => {
  it.each(
    [
      ['the audit trail of large items', '/sessions/large/rollout', ''],
      ['the audit trail of small items', '/sessions/small/rollout', ''],
      ['a replay of large items', '/sessions/large/events', STREAM],
      ['a replay of small items', '/sessions/small/events', STREAM],
    ].slice(-atScale({ brief: 1, short: 2, long: 4 })),
  )('others are answered while somebody reads %s', async (_, path, headers) => {
    const shortest = await shortestOf(async () => {
      expect(await read(path, 60 * MB, headers)).toBeGreaterThanOrEqual(60 * MB);
    });
    expect(shortest).toBeLessThan(250);
  });

  it.each(
    [
      ['/sessions/large/rollout', ''],
      ['/sessions/large/events', STREAM],
      ['/sessions/small/events', STREAM],
    ].slice(-atScale({ brief: 1, short: 1, long: 3 })),
  )('25 clients that never read %s hold little', async (path, headers) => {
    const { hostname, port } = new URL(api.url);
    const before = process.memoryUsage();
    const sockets: Socket[] = [];
    for (let n = 0; n < 25; n++) {
      const socket = connect(Number(port), hostname);
      socket.on('error', () => {});
      socket.pause();
      socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`);
      sockets.push(socket);
    }
    await sleep(1_500);
    const after = process.memoryUsage();
    const held = after.arrayBuffers - before.arrayBuffers;
    // One event is the least that can be read: 2 MB for each, as text and as bytes, of 60 MB in all.
    expect(held).toBeLessThan(25 * 8 * MB);
    for (const socket of sockets) socket.destroy();
  });

  it('a page of large items is made in pieces', async () => {
    const shortest = await shortestOf(async () => {
      expect((await send(api, 'GET', '/sessions/large/items?limit=200')).status).toBe(200);
    });
    expect(shortest).toBeLessThan(250);
  });
});

describe('I12: who takes nothing of an answer for a while is let go', () => {
  const body = Buffer.alloc(30 * MB, 'x');
  let server: Server;
  let port: number;
  beforeAll(async () => {
    server = createServer((request, response) => {
      // An answer that takes its time is no reason to hang up.
      setTimeout(() => response.end(body), request.url === '/late' ? 2_500 : 0);
    });
    closeStalled(server, 1_500);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    ({ port } = server.address() as AddressInfo);
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  /** What the client got before the connection ended. */
  const taken = (path: string, pauseMs: number) =>
    new Promise<number>((resolve) => {
      let seen = 0;
      const socket = connect(port, '127.0.0.1', () =>
        socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`),
      );
      socket.on('data', (chunk) => {
        seen += chunk.length;
        if (pauseMs === 0) return;
        socket.pause();
        setTimeout(() => socket.resume(), pauseMs);
      });
      socket.on('error', () => {});
      socket.on('close', () => resolve(seen));
    });

  it('who reads, reads all, also what comes late', async () => {
    expect(await taken('/', 0)).toBeGreaterThan(30 * MB);
    expect(await taken('/late', 0)).toBeGreaterThan(30 * MB);
  });

  it('who reads slowly reads on', async () => {
    // Some 64 KB a time, so that the whole takes longer than the limit.
    expect(await taken('/', 5)).toBeGreaterThan(30 * MB);
  });

  it('who stops reading is cut off', async () => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    socket.pause();
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    const connections = () =>
      new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)));
    await expect.poll(connections).toBe(1);
    await expect.poll(connections).toBe(0);
    socket.destroy();
  });
});
