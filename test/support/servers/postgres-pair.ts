import { execFile } from 'node:child_process';
import { appendFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { until } from '../cluster/until.ts';
import { LocalServer } from './local-server.ts';
import { onServer } from './on-server.ts';
import {
  type NewDatabase,
  NOT_DURABLE,
  newDatabase,
  postgresProgram,
  SETTINGS,
} from './postgres.ts';
import { npmBinaries } from './postgres-binaries.ts';
import type { TestServer } from './test-server.ts';

const run = promisify(execFile);

/** `synchronous`: a commit is answered when the standby has it, too. */
export type Replication = 'synchronous' | 'asynchronous';

/**
 * A primary and a standby that follows it; the URL names both, the standby first. To kill it is to
 * kill the primary for good, to start it again is to promote the standby: once.
 */
export class PostgresPair implements TestServer {
  readonly how: string;
  readonly #primary: LocalServer;
  readonly #standby: LocalServer;

  private constructor(primary: LocalServer, standby: LocalServer) {
    this.how = `${primary.how}, with a standby`;
    this.#primary = primary;
    this.#standby = standby;
  }

  /** Resolves when the standby follows. */
  static async start(replication: Replication): Promise<PostgresPair> {
    const first = await newDatabase(await npmBinaries());
    const second = await copyOf(first);
    const settings = [...SETTINGS, ...NOT_DURABLE];
    const primary = await LocalServer.start(postgresProgram(first, settings));
    try {
      await writeFile(join(second.data, 'standby.signal'), '');
      const from = `primary_conninfo = '${conninfoOf(primary.url)}'\n`;
      await appendFile(join(second.data, 'postgresql.conf'), from);
      const standby = await LocalServer.start(postgresProgram(second, settings));
      await onServer(primary.url, async (client) => {
        await until('a standby that follows', async () => {
          const { rowCount } = await client.query(
            "SELECT 1 FROM pg_stat_replication WHERE state = 'streaming'",
          );
          return rowCount === 1;
        });
        if (replication === 'asynchronous') return;
        await client.query("ALTER SYSTEM SET synchronous_standby_names = '*'");
        await client.query('SELECT pg_reload_conf()');
      });
      return new PostgresPair(primary, standby);
    } catch (error) {
      await primary.dispose();
      throw error;
    }
  }

  get url(): string {
    const [primary, standby] = [new URL(this.#primary.url), new URL(this.#standby.url)];
    return `postgres://postgres@${standby.host},${primary.host}/postgres`;
  }

  /** From now on the standby gets nothing that the primary commits. */
  async cutOff(): Promise<void> {
    await onServer(this.#standby.url, async (client) => {
      await client.query("ALTER SYSTEM SET primary_conninfo = ''");
      await client.query('SELECT pg_reload_conf()');
    });
    await onServer(this.#primary.url, (client) =>
      until('a standby that has gone', async () => {
        const { rowCount } = await client.query('SELECT 1 FROM pg_stat_replication');
        return rowCount === 0;
      }),
    );
  }

  kill(): Promise<void> {
    return this.#primary.kill();
  }

  async start(): Promise<void> {
    await onServer(this.#standby.url, (client) => client.query('SELECT pg_promote()'));
  }

  async dispose(): Promise<void> {
    await Promise.all([this.#primary.dispose(), this.#standby.dispose()]);
  }
}

async function copyOf(database: NewDatabase): Promise<NewDatabase> {
  const folder = `${database.folder}-standby`;
  // With its owner, who alone may read it.
  await run('cp', ['-a', database.folder, folder]);
  return { ...database, folder, data: join(folder, basename(database.data)) };
}

function conninfoOf(url: string): string {
  const { hostname, port, username } = new URL(url);
  return `host=${hostname} port=${port} user=${username} application_name=standby`;
}
