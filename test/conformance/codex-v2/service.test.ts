import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readSettings } from '../../../src/config.ts';
import { listen } from '../../../src/listen.ts';
import { startService } from '../../../src/service.ts';
import { send } from '../../support/api-server.ts';
import { shells, TALK } from './lab.ts';

type Running = { url: string; stop: () => Promise<void> };

let folder: string;
let running: Running[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'palimpsest-codex-'));
  running = [];
});
afterEach(async () => {
  for (const { stop } of running) await stop();
  rmSync(folder, { recursive: true });
});

/** The service as it comes, with its store in this folder. */
async function start(): Promise<Running> {
  const environment = {
    DATABASE_URL: `file:${join(folder, 'palimpsest.db')}`,
    LOG_LEVEL: 'silent',
  };
  const service = await startService(readSettings(environment), environment);
  const { url, close } = await listen(service, '127.0.0.1', 0);
  const stop = async () => {
    running = running.filter((other) => other !== one);
    await close();
    await service.stop();
  };
  const one = { url, stop };
  running.push(one);
  return one;
}

/** A compaction by hand, once it has ended. */
async function compacted(service: Running, mode: string) {
  const headers = { prefer: 'wait=10' };
  const path = '/sessions/s/compact';
  const { body } = await send(service, 'POST', path, { body: { mode }, headers });
  return (await send(service, 'GET', `/sessions/s/compactions/${body.id}`)).body;
}

async function create(service: Running, items: unknown): Promise<void> {
  const body = { id: 's', profile: 'codex-v2', format: 'openai-responses' };
  await send(service, 'POST', '/sessions', { body });
  await send(service, 'POST', '/sessions/s/items', { body: items });
}

describe('in the whole service', () => {
  it('CV-25: what was cleared is known after a restart', async () => {
    const before = await start();
    await create(before, shells(30_000, 1, 1, 1));
    expect(await compacted(before, 'micro')).toMatchObject({ outcome: 'micro_compacted' });
    await before.stop();
    const after = await start();
    const again = await compacted(after, 'micro');
    expect(again).toMatchObject({ outcome: 'skipped', outcome_reason: 'not_effective' });
    const { text } = await send(after, 'GET', '/sessions/s/context');
    expect(text).toContain('[Old tool result content cleared]');
  });

  it('CV-53: the boundary has a time by RFC 3339 in UTC, and a UUID of version 7', async () => {
    const service = await start();
    await create(service, TALK);
    const began = new Date().toISOString();
    const { boundary } = await compacted(service, 'full');
    expect(boundary).toMatchObject({
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      uuid: expect.stringMatching(
        /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      ),
    });
    expect(JSON.parse(JSON.stringify(boundary)).timestamp >= began).toBe(true);
  });
});
