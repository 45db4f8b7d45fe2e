import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Contest } from './append-throughput.ts';
import { startOurs, startScript } from './processes.ts';
import { postgresCpu } from './server-cpu.ts';
import type { Servers } from './servers.ts';

/** Both servers on SQLite files in a temporary folder, which is removed after `use`. */
export async function withSqliteContest<T>(use: (contest: Contest) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-bench-'));
  try {
    return await use({
      where: '',
      startOurs: () => startOurs({ DATABASE_URL: `file:${join(folder, 'ours.db')}` }),
      startBaseline: () => startScript('baseline-sqlite.ts', join(folder, 'baseline.db')),
      baseline: 'bare Hono + zod + insert',
      atLeast: { one: null, many: 0.9 },
      // It is part of the server's process.
      databaseCpu: async () => null,
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Both servers on databases of the same PostgreSQL. */
export async function postgresContest(servers: Servers): Promise<Contest> {
  const database = await servers.newDatabase();
  const bare = await servers.newDatabase();
  return {
    where: ' (PostgreSQL)',
    startOurs: () => startOurs({ DATABASE_URL: database }),
    startBaseline: () => startScript('baseline-postgres.ts', bare),
    baseline: 'bare Hono + zod + INSERT',
    atLeast: { one: 0.7, many: 1 },
    databaseCpu: () => postgresCpu(database),
  };
}
