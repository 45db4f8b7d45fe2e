import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { atScale } from '../support/scale.ts';
import { ServiceProcess } from '../support/service-process.ts';

const MB = 1_000_000;
/** Each asks for 20 MB. */
const CLIENTS = atScale({ brief: 45, short: 45, long: 100 });
/** Of the process, in bytes: less than what these ask for. */
const MOST_MEMORY = 700 * MB;

let service: ServiceProcess;
let sockets: Socket[];
beforeEach(async () => {
  // What docs/operations.md calls comfortable.
  service = await ServiceProcess.start({ NODE_OPTIONS: '--max-old-space-size=512' });
  sockets = [];
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await service.dispose();
});

async function post(path: string, body: object): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const init = { method: 'POST', headers, body: JSON.stringify(body) };
  expect((await fetch(`${service.url}${path}`, init)).status).toBe(201);
}

/** What the service takes, in bytes. */
async function memory(): Promise<number> {
  const metrics = await (await fetch(`${service.url}/metrics`)).text();
  return Number(/^process_resident_memory_bytes (\S+)/m.exec(metrics)?.[1]);
}

/** Asks for an answer and takes nothing of it. */
function askWithoutReading(path: string): void {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  socket.pause();
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  sockets.push(socket);
}

describe('I12: what clients do not read of their answers is bounded', { timeout: 600_000 }, () => {
  it.each(
    ['context', 'items?limit=200', 'events?limit=200'].slice(
      0,
      atScale({ brief: 1, short: 1, long: 3 }),
    ),
  )(`${CLIENTS} clients that ask for /%s and do not read`, async (path) => {
    await post('/sessions', { id: 's', context_window: 20_000_000 });
    const item = { role: 'user', content: 'x '.repeat(MB / 2) };
    for (let n = 0; n < 20; n++) await post('/sessions/s/items', item);
    for (let n = 0; n < CLIENTS; n++) askWithoutReading(`/sessions/s/${path}`);
    await sleep(500);
    // Its turn comes after all of theirs.
    const answer = await fetch(`${service.url}/sessions/s/${path}`);
    expect(answer.status).toBe(200);
    expect((await answer.text()).length).toBeGreaterThan(7 * MB);
    expect(await memory()).toBeLessThan(MOST_MEMORY);
    expect(service.output).not.toContain('heap');
    expect(service.isRunning).toBe(true);
  });

  it('a client that reads slowly, and alone, gets all of an answer of any length', async () => {
    await post('/sessions', { id: 's', context_window: 100_000_000 });
    const item = { role: 'user', content: 'x '.repeat(3 * MB) };
    for (let n = 0; n < 20; n++) await post('/sessions/s/items', item);
    askWithoutReading('/sessions/s/context');
    const [socket] = sockets;
    if (socket === undefined) throw new Error('there is no client');
    await sleep(6_000);
    let seen = 0;
    socket.on('data', (chunk) => {
      seen += chunk.length;
    });
    socket.resume();
    while (seen < 120 * MB && !socket.closed) await sleep(50);
    expect(seen).toBeGreaterThan(120 * MB);
  });
});
