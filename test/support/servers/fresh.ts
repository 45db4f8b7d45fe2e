import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { inject } from 'vitest';
import { onServer } from './on-server.ts';
import type {} from './provided.ts';

/** An empty database on the shared PostgreSQL; `drop` removes it, whoever is still connected. */
export async function freshDatabase(): Promise<{ url: string; drop: () => Promise<void> }> {
  const server = inject('postgresUrl');
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await onServer(server, (client) => client.query(`CREATE DATABASE ${name}`));
  const url = new URL(server);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    drop: async () => {
      const drop = `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`;
      await onServer(server, (client) => client.query(drop));
    },
  };
}

/** The shared Redis and a key prefix that nobody else uses there; `drop` removes its keys. */
export function freshQueue(): { url: string; prefix: string; drop: () => Promise<void> } {
  const url = inject('redisUrl');
  const prefix = `test-${randomUUID()}`;
  return { url, prefix, drop: () => removeKeys(url, `${prefix}*`) };
}

async function removeKeys(url: string, pattern: string): Promise<void> {
  const client = new Redis(url);
  try {
    let cursor = '0';
    do {
      const [next, keys] = await client.scan(cursor, 'MATCH', pattern, 'COUNT', 1000);
      if (keys.length > 0) await client.unlink(...keys);
      cursor = next;
    } while (cursor !== '0');
  } finally {
    client.disconnect();
  }
}
