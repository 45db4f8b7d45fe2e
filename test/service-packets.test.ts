import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readSettings } from '../src/config.ts';
import { type Service, startService } from '../src/service.ts';
import { assistant, ofTokens, user } from './support/items.ts';

const REF = { tenant: 'local', session_id: 's' };

let folder: string;
let service: Service;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'palimpsest-packets-'));
  service = await start();
});
afterEach(async () => {
  await service.stop();
  rmSync(folder, { recursive: true });
});

function start(): Promise<Service> {
  const database = `file:${join(folder, 'palimpsest.db')}`;
  const all = { DATABASE_URL: database, LOG_LEVEL: 'silent' };
  return startService(readSettings(all), all);
}

async function post(path: string, body: unknown): Promise<number> {
  const headers = { 'content-type': 'application/json' };
  const init = { method: 'POST', headers, body: JSON.stringify(body) };
  return (await service.fetch(new Request(`http://localhost${path}`, init))).status;
}

/** Asks the agent of a session for its packet, which never comes; answers the deadline. */
async function ask(packet_timeout_seconds: number): Promise<number> {
  const config = { packet_author: 'agent', packet_timeout_seconds };
  const session = { id: 's', profile: 'rawr', context_window: 40_000, config };
  expect(await post('/sessions', session)).toBe(201);
  const items = [user('Write it.'), assistant(ofTokens(12_000)), assistant('It is done.')];
  expect(await post('/sessions/s/items', items)).toBe(201);
  expect(await post('/sessions/s/signals', { signal: 'turn_complete' })).toBe(200);
  const [asked] = await service.store.events(REF, { types: ['packet.requested'] });
  if (asked?.type !== 'packet.requested') throw new Error('no packet was asked for');
  return asked.data.deadline_ms;
}

async function lastEvents(): Promise<unknown[]> {
  const events = await service.store.events(REF);
  return events.slice(-2).map(({ type, data }) => [type, 'source' in data ? data.source : null]);
}

const DONE = [
  ['compaction.completed', null],
  ['item.appended', 'packet'],
];

it('a packet that never comes is written by the service at its deadline', async () => {
  await ask(0.2);
  await expect.poll(lastEvents).toEqual(DONE);
});

it('a packet that was awaited before a restart is written after it', async () => {
  const deadline = await ask(1);
  await service.stop();
  service = await start();
  await expect.poll(() => Date.now()).toBeGreaterThanOrEqual(deadline);
  await service.takeUpPending();
  await expect.poll(lastEvents).toEqual(DONE);
});
