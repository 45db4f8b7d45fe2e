import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest';
import { z } from 'zod';
import type { EventStore } from '../../src/app/ports/event-store.ts';
import { SQLITE_PACKAGE } from '../../src/db/sqlite/driver.ts';
import { openSqliteStore } from '../../src/db/sqlite/sqlite-store.ts';
import { type ApiServer, send, startApi } from '../support/api-server.ts';
import { user } from '../support/items.ts';
import { shortestOf } from '../support/shortest-of.ts';

const HOLDER = `
  const [module, path] = process.argv.slice(1);
  const db = new (require(module))(path);
  db.exec('BEGIN IMMEDIATE');
  process.once('message', () => {
    db.exec('ROLLBACK');
    db.close();
    process.disconnect();
  });
  process.send('held');`;

const logged = z.array(z.object({ item: z.object({ content: z.string() }) }));

let folder: string;
let path: string;
let api: ApiServer;
let holder: ChildProcess | null = null;
let commit: MockInstance<EventStore['commit']>;

/** Another process that holds the write lock of the file; resolves when it has it. `release` ends that. */
async function hold(): Promise<{ release: () => Promise<void> }> {
  const module = fileURLToPath(import.meta.resolve(SQLITE_PACKAGE));
  const child = spawn(process.execPath, ['-e', HOLDER, module, path], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  holder = child;
  await once(child, 'message');
  return {
    release: async () => {
      const released = once(child, 'disconnect');
      child.send('release');
      await released;
    },
  };
}

/** Resolves when so many writes have been handed to the store since `api` started. */
async function handedIn(writes: number): Promise<void> {
  await expect.poll(() => commit.mock.calls.length, { interval: 5 }).toBe(writes);
}

const post = (id: string, text: string, key?: string) =>
  send(api, 'POST', `/sessions/${id}/items`, {
    body: user(text),
    ...(key === undefined ? {} : { headers: { 'idempotency-key': key } }),
  });

async function textsOf(id: string): Promise<string[]> {
  const { body } = await send(api, 'GET', `/sessions/${id}/items?limit=200`);
  return logged.parse(body.data).map(({ item }) => item.content);
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'palimpsest-i8-'));
  path = join(folder, 'store.db');
  const store = await openSqliteStore({ path });
  commit = vi.spyOn(store, 'commit');
  api = await startApi({ store });
});
afterEach(async () => {
  holder?.kill('SIGKILL');
  holder = null;
  await api.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('I8: a lock that another process holds on the file', () => {
  it('holds up writes only, which are done in their order and once when it ends', async () => {
    await post('s', 'before');
    const { release } = await hold();
    const answered: Promise<{ status: number; at: number }>[] = [];
    const texts: string[] = [];
    for (let n = 0; n < 8; n++) {
      texts.push(`write ${n}`);
      // Every other one is sent again under its key, as a client does that lost patience.
      const key = n % 2 === 0 ? `key-${n}` : undefined;
      for (let copies = key === undefined ? 1 : 2; copies > 0; copies--) {
        const reply = post('s', `write ${n}`, key);
        answered.push(reply.then(({ status }) => ({ status, at: performance.now() })));
        // One after the other reaches the store; the first write was "before".
        await handedIn(1 + answered.length);
      }
    }
    const erased = send(api, 'DELETE', '/sessions/other');
    for (const read of ['/healthz', '/readyz', '/sessions/s', '/sessions/s/context']) {
      const shortest = await shortestOf(1_000, async () => {
        expect((await send(api, 'GET', read)).status, read).toBe(200);
      });
      expect(shortest, read).toBeLessThan(1_000);
    }
    const releasedAt = performance.now();
    await release();
    for (const { status, at } of await Promise.all(answered)) {
      expect(status).toBe(201);
      // None was written before, and none is kept waiting after for as long as the lock may last.
      expect(at).toBeGreaterThan(releasedAt);
      expect(at - releasedAt).toBeLessThan(5_000);
    }
    expect((await erased).status).toBe(404);
    expect(await textsOf('s')).toEqual(['before', ...texts]);
    expect((await api.deps.store.verify()).problems).toEqual([]);
  });

  it('ends in a refusal that says what happened, and the service goes on', async () => {
    await post('s', 'before');
    const { release } = await hold();
    const started = performance.now();
    const refused = [
      post('s', 'never', 'key'),
      post('new', 'never'),
      send(api, 'DELETE', '/sessions/s'),
    ];
    const replies = Promise.all(refused);
    let rounds = 0;
    // Reads are answered all the while, until the writes are.
    for (let areRefused = false; !areRefused; rounds += 1) {
      expect((await send(api, 'GET', '/healthz')).status).toBe(200);
      expect((await send(api, 'GET', '/sessions/s')).status).toBe(200);
      areRefused = await Promise.race([replies.then(() => true), setTimeout(100, false)]);
    }
    // One that waited for the lock would be the only one.
    expect(rounds).toBeGreaterThan(3);
    for (const reply of await replies) {
      expect(reply.status).toBe(503);
      expect(reply.headers.get('retry-after')).toBe('1');
      expect(reply.body.detail).toMatch(/another writer held it .* nothing was written, try again/);
    }
    expect(performance.now() - started).toBeGreaterThan(4_500);
    // Less than two of them one after the other.
    expect(performance.now() - started).toBeLessThan(9_500);
    // One that comes later has its own time to wait, and the lock ends within it; its key is free.
    const later = post('s', 'never', 'key');
    await handedIn(commit.mock.calls.length + 1);
    await release();
    expect((await later).status).toBe(201);
    expect((await post('s', 'after')).status).toBe(201);
    expect(await textsOf('s')).toEqual(['before', 'never', 'after']);
    expect((await send(api, 'GET', '/sessions/new')).status).toBe(404);
  });

  it('is waited for when the store closes: what was handed in is written', async () => {
    const { release } = await hold();
    const { store } = api.deps;
    const committed = post('s', 'handed in');
    await handedIn(1);
    const closed = store.close();
    await release();
    await closed;
    expect((await committed).status).toBe(201);
    api = await startApi({ store: await openSqliteStore({ path }) });
    expect(await textsOf('s')).toEqual(['handed in']);
  });
});
