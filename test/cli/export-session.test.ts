import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { EventStore } from '../../src/app/ports/event-store.ts';
import { exportCommand } from '../../src/cli/export-session.ts';
import { openSqlite } from '../../src/db/sqlite/driver.ts';
import { openSqliteStore } from '../../src/db/sqlite/sqlite-store.ts';
import { createSession } from '../../src/domain/session/create-session.ts';
import { append } from '../contracts/session-events.ts';
import { AT, appended, SESSION, WORLD } from '../support/given.ts';
import { user } from '../support/items.ts';

const REF = { tenant: 'local', session_id: 's' };

let folder: string;
let store: EventStore;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'palimpsest-export-'));
  const path = join(folder, 'test.db');
  vi.stubEnv('DATABASE_URL', `file:${path}`);
  store = await openSqliteStore({ path });
  await store.commit(REF, createSession(WORLD, SESSION), { at: AT });
  // More than is read at once.
  const items = Array.from({ length: 1_200 }, (_, n) => appended(user(`Message ${n}`)));
  await store.commit(REF, append(...items), { at: AT });
});
afterEach(async () => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  await store.close();
  rmSync(folder, { recursive: true });
});

/** Erases the session while the first line is on its way, and answers the lines that came. */
async function exportWhileErased(rollout: boolean): Promise<number> {
  let lines = 0;
  vi.spyOn(process.stdout, 'write').mockImplementation(() => {
    if (++lines > 1) return true;
    void store.erase(REF).then(() => process.stdout.emit('drain'));
    return false;
  });
  await expect(exportCommand('s', { tenant: 'local', rollout })).rejects.toThrow(
    'session "s" was erased while it was exported: what was written so far is incomplete',
  );
  return lines;
}

it('an export of a session that is erased meanwhile fails', async () => {
  expect(await exportWhileErased(false)).toBe(1);
});

it('so does its audit trail', async () => {
  expect(await exportWhileErased(true)).toBeLessThan(1_200);
});

it('an export of a damaged session says what to do', async () => {
  const db = openSqlite(join(folder, 'test.db'));
  db.exec(`UPDATE events SET data = '{' WHERE version = 7`);
  db.close();
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  await expect(exportCommand('s', { tenant: 'local' })).rejects.toThrow(
    /^session "s" cannot be exported in full: .* damaged .* `palimpsest verify` names the sessions/,
  );
});
