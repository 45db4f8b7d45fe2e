import { randomUUID } from 'node:crypto';
import { onServer } from '../test/support/servers/on-server.ts';
import { ownPostgres } from '../test/support/servers/postgres.ts';
import { ownRedis } from '../test/support/servers/redis.ts';
import type { TestServer } from '../test/support/servers/test-server.ts';

/**
 * Redis and PostgreSQL for one run, found or started as the tests do it, each when it is first asked
 * for. PostgreSQL syncs every commit to the disk, as it does by default.
 */
export class Servers {
  #redis: Promise<TestServer> | null = null;
  #postgres: Promise<TestServer> | null = null;

  async redisUrl(): Promise<string> {
    this.#redis ??= announced('Redis', ownRedis());
    return (await this.#redis).url;
  }

  /** The address of an empty database. */
  async newDatabase(): Promise<string> {
    this.#postgres ??= announced('PostgreSQL', ownPostgres({ durable: true }));
    const server = (await this.#postgres).url;
    const name = `bench_${randomUUID().replaceAll('-', '')}`;
    await onServer(server, (client) => client.query(`CREATE DATABASE ${name}`));
    const url = new URL(server);
    url.pathname = `/${name}`;
    return url.href;
  }

  async dispose(): Promise<void> {
    for (const server of [this.#redis, this.#postgres]) await (await server)?.dispose();
  }
}

async function announced(name: string, starting: Promise<TestServer>): Promise<TestServer> {
  const server = await starting;
  console.error(`${name}: ${server.how}`);
  return server;
}
