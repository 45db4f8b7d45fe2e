import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../../src/db/sqlite/driver.ts';
import { openSqlite } from '../../src/db/sqlite/driver.ts';
import { openDatabase } from '../../src/db/sqlite/open-database.ts';
import { SqliteStore } from '../../src/db/sqlite/sqlite-store.ts';
import { type ApiServer, send, startApi } from '../support/api-server.ts';
import { user } from '../support/items.ts';
import { ServiceProcess } from '../support/service-process.ts';
import { mountDisk, unmountDisk } from '../support/small-disk.ts';

const folder = mkdtempSync(join(tmpdir(), 'palimpsest-i9-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const disk = mkdtempSync(join(folder, 'disk-'));
/**
 * SQLite writes back its log once that has 4 MB, and the database then needs the same room once more: smaller
 * disks stay full.
 */
const hasDisk = mountDisk(disk, 32);

describe('I9: trouble with the disk is told as what it is', () => {
  it.runIf(hasDisk)('a disk that is really full, until there is room again', async () => {
    const filler = join(disk, 'filler');
    writeFileSync(filler, Buffer.alloc(20_000_000, 1));
    const service = await ServiceProcess.start({ DATABASE_URL: `file:${join(disk, 'store.db')}` });
    try {
      const append = () =>
        send(service, 'POST', '/sessions/s/items', { body: user('x'.repeat(500_000)) });
      let reply = await append();
      let stored = 0;
      while (reply.status === 201 && stored < 40) {
        stored += 1;
        reply = await append();
      }
      expect(reply.status).toBe(507);
      expect(reply.body).toMatchObject({
        type: 'urn:palimpsest:problem:store-full',
        detail: expect.stringMatching(/disk .* is full; nothing was written\. Free some space/),
      });
      const ready = await send(service, 'GET', '/readyz');
      expect([ready.status, ready.body.detail]).toEqual([503, reply.body.detail]);
      expect((await send(service, 'GET', '/healthz')).status).toBe(200);
      // What is there can be read.
      const state = await send(service, 'GET', '/sessions/s');
      expect(state.body.counts).toMatchObject({ items: stored });
      expect((await send(service, 'GET', '/search?q=before')).status).toBe(200);
      await expect.poll(() => service.output).toMatch(/SQLITE_(FULL|IOERR)/);
      expect(service.output).not.toMatch(/a request failed/);

      rmSync(filler);
      // It tries to write, which takes its time where others use the machine.
      await expect.poll(async () => (await send(service, 'GET', '/readyz')).status).toBe(200);
      expect((await append()).status).toBe(201);
      expect((await send(service, 'GET', '/sessions/s')).body.counts).toMatchObject({
        items: stored + 1,
      });
    } finally {
      await service.dispose();
      unmountDisk(disk);
    }
  });

  describe('in a database', () => {
    let api: ApiServer;
    let db: Database;
    beforeAll(async () => {
      db = openDatabase({ path: join(folder, 'bounded.db') });
      api = await startApi({ store: new SqliteStore(db) });
      await send(api, 'POST', '/sessions/s/items', { body: user('Before.') });
    });
    afterAll(() => api.close());

    const append = (size: number) =>
      send(api, 'POST', '/sessions/s/items', { body: user('x'.repeat(size)) });

    it('that may not grow any more', async () => {
      const pages = Number(db.pragma('page_count', { simple: true }));
      db.pragma(`max_page_count = ${pages + 4}`);
      const refused = await append(200_000);
      expect(refused.status).toBe(507);
      expect(api.logged.at(-1)).toMatchObject({ fields: { code: 'SQLITE_FULL' } });
      db.pragma('max_page_count = 1000000');
      expect((await append(200_000)).status).toBe(201);
    });

    it('that can only be read', async () => {
      db.pragma('query_only = 1');
      const refused = await append(10);
      expect(refused.status).toBe(503);
      expect(refused.body.detail).toMatch(/can only be read; nothing was written/);
      expect((await send(api, 'GET', '/readyz')).status).toBe(503);
      expect((await send(api, 'GET', '/sessions/s/context')).status).toBe(200);
      db.pragma('query_only = 0');
      expect((await send(api, 'GET', '/readyz')).status).toBe(200);
      expect((await append(10)).status).toBe(201);
    });
  });

  it('verify and export name the session whose page is damaged, and go on with the others', async () => {
    const path = join(folder, 'damaged.db');
    const service = await ServiceProcess.start({ DATABASE_URL: `file:${path}` });
    try {
      for (const id of ['first', 'hurt', 'last']) {
        for (let part = 0; part < 3; part++) {
          const body = Array.from({ length: 100 }, (_, n) => user(`MARK-${id} ${part} ${n}`));
          await send(service, 'POST', `/sessions/${id}/items`, { body });
        }
      }
      await service.stop();
      const db = openSqlite(path);
      db.pragma('wal_checkpoint(TRUNCATE)');
      const pageSize = Number(db.pragma('page_size', { simple: true }));
      db.close();
      const file = readFileSync(path);
      const at = file.indexOf('MARK-hurt 1 50');
      const page = Math.floor(at / pageSize) * pageSize;
      const handle = openSync(path, 'r+');
      writeSync(handle, Buffer.alloc(16, 0xff), 0, 16, page);

      const verified = await service.command('verify');
      expect(verified.output).toMatch(
        /Session "hurt" of tenant "local": the events after version \d+ cannot be read \(SQLITE_CORRUPT/,
      );
      expect(verified.output).not.toMatch(/Session "(first|last)"/);
      expect(verified.output).toMatch(/3 sessions/);
      expect(verified.exit).toBe(1);
      const exported = await service.command('export', 'hurt');
      expect(exported.exit).toBe(1);
      expect(exported.output).toMatch(/session "hurt" cannot be exported in full/);
      expect((await service.command('export', 'last')).exit).toBe(0);

      await service.restart();
      const reply = await send(service, 'GET', '/sessions/hurt/context');
      expect(reply.status).toBe(500);
      expect(reply.body.detail).toMatch(/damaged .* `palimpsest verify` names the sessions/);
      expect((await send(service, 'GET', '/sessions/last/context')).status).toBe(200);
    } finally {
      await service.dispose();
    }
  });
});
