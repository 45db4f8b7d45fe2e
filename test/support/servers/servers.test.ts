import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { Client } from 'pg';
import { afterEach, describe, expect, test } from 'vitest';
import { ownPostgres, pingPostgres } from './postgres.ts';
import { ownRedis, pingRedis } from './redis.ts';
import type { TestServer } from './test-server.ts';
import { untilItWorks } from './waiting.ts';

const servers: TestServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.dispose();
});

async function kept(starting: Promise<TestServer>): Promise<TestServer> {
  const server = await starting;
  servers.push(server);
  return server;
}

async function query(url: string, statement: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  // The query that is under way then fails, too, and that is what the tests look at.
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}

async function redis<T>(url: string, use: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis(url);
  try {
    return await use(client);
  } finally {
    client.disconnect();
  }
}

describe('a PostgreSQL of our own', () => {
  test('keeps what was committed over a kill and a start, on the same address', async () => {
    const server = await kept(ownPostgres());
    const { url } = server;
    await query(url, 'CREATE TABLE kept AS SELECT 1 AS one');
    await server.kill();
    await expect(pingPostgres(url)).rejects.toThrow(/ECONNREFUSED/);
    await server.start();
    expect(server.url).toBe(url);
    expect(await query(url, 'SELECT one FROM kept')).toEqual([{ one: 1 }]);
  });

  test('is killed together with the queries that it is working on', async () => {
    const server = await kept(ownPostgres());
    const busy = expect(query(server.url, 'SELECT pg_sleep(3600)')).rejects.toThrow();
    await untilItWorks(async () => {
      const running = "SELECT 1 FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep%'";
      if ((await query(server.url, running)).length === 0) throw new Error('not running yet');
    }, 60_000);
    await server.kill();
    await busy;
    await server.start();
    await pingPostgres(server.url);
  });
});

describe('a Redis of our own', () => {
  test('is empty and at the same address after a kill and a start', async () => {
    const server = await kept(ownRedis());
    const { url } = server;
    await redis(url, (client) => client.set('key', 'value'));
    await server.kill();
    await expect(pingRedis(url)).rejects.toThrow(/ECONNREFUSED/);
    await server.start();
    expect(server.url).toBe(url);
    expect(await redis(url, (client) => client.get('key'))).toBeNull();
  });

  test('keeps its keys when it is told to', async () => {
    const server = await kept(ownRedis({ persistent: true }));
    await redis(server.url, (client) => client.set('key', 'value'));
    await server.kill();
    await server.start();
    expect(await redis(server.url, (client) => client.get('key'))).toBe('value');
  });

  test('is one of many', async () => {
    const [one, other] = await Promise.all([kept(ownRedis()), kept(ownRedis())]);
    expect(one.url).not.toBe(other.url);
    await one.dispose();
    await expect(pingRedis(one.url)).rejects.toThrow(/ECONNREFUSED/);
    await pingRedis(other.url);
  });

  test('does not outlive a process that was killed', async () => {
    const marker = randomUUID();
    const script = `
      import { ownRedis } from ${JSON.stringify(new URL('./redis.ts', import.meta.url).href)};
      console.log('${marker}', (await ownRedis()).url);`;
    const owner = spawn(
      process.execPath,
      ['--import', 'tsx', '--input-type=module', '--eval', script],
      {
        cwd: fileURLToPath(new URL('../../..', import.meta.url)),
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    const [line]: [Buffer] = (await once(owner.stdout, 'data')) as [Buffer];
    const url = line.toString().replace(marker, '').trim();
    await pingRedis(url);
    owner.kill('SIGKILL');
    await untilItWorks(() => expect(pingRedis(url)).rejects.toThrow(/ECONNREFUSED/), 60_000);
  });
});
