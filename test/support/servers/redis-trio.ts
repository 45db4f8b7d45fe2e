import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { until } from '../cluster/until.ts';
import { LocalServer } from './local-server.ts';
import { findOnPath } from './programs.ts';
import type { TestServer } from './test-server.ts';

const MASTER = 'jobs';
/** A master that is silent for so long is down; an operator gives it more time. */
const DOWN_AFTER_MS = 500;

/**
 * A master, a replica that follows it, and a sentinel that promotes the replica; the URL names the
 * sentinel. To kill it is to kill the master for good, to start it again is to wait for the promotion.
 */
export class RedisTrio implements TestServer {
  readonly how: string;
  readonly #master: LocalServer;
  readonly #replica: LocalServer;
  readonly #sentinel: LocalServer;

  private constructor(master: LocalServer, replica: LocalServer, sentinel: LocalServer) {
    this.how = `${master.how}, with a replica and a sentinel`;
    this.#master = master;
    this.#replica = replica;
    this.#sentinel = sentinel;
  }

  /** Resolves when the sentinel knows the replica. Needs `redis-server` on PATH. */
  static async start(): Promise<RedisTrio> {
    const running: LocalServer[] = [];
    const begin = async (...parameters: string[]) => {
      running.push(await startServer(parameters));
      return running.at(-1) as LocalServer;
    };
    try {
      const master = await begin();
      const { port } = new URL(master.url);
      const replica = await begin('--replicaof', '127.0.0.1', port);
      const sentinel = await startSentinel(port);
      const trio = new RedisTrio(master, replica, sentinel);
      running.push(sentinel);
      await trio.#until('a replica that the sentinel knows', (redis) =>
        redis
          .call('SENTINEL', 'REPLICAS', MASTER)
          .then((found) => Array.isArray(found) && found.length > 0),
      );
      return trio;
    } catch (error) {
      await Promise.all(running.map((server) => server.dispose()));
      throw error;
    }
  }

  get url(): string {
    return `redis+sentinel://${new URL(this.#sentinel.url).host}/${MASTER}`;
  }

  kill(): Promise<void> {
    return this.#master.kill();
  }

  async start(): Promise<void> {
    const { port } = new URL(this.#replica.url);
    await this.#until('a replica that is promoted', async (redis) => {
      const address = await redis.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', MASTER);
      return Array.isArray(address) && address[1] === port;
    });
  }

  async dispose(): Promise<void> {
    const servers = [this.#sentinel, this.#replica, this.#master];
    await Promise.all(servers.map((server) => server.dispose()));
  }

  async #until(what: string, probe: (sentinel: Redis) => Promise<boolean>): Promise<void> {
    const redis = new Redis(this.#sentinel.url);
    try {
      await until(what, () => probe(redis));
    } finally {
      redis.disconnect();
    }
  }
}

async function startServer(parameters: readonly string[]): Promise<LocalServer> {
  const command = await findOnPath('redis-server', 'valkey-server');
  const folder = await mkdtemp(join(tmpdir(), 'palimpsest-redis-'));
  return LocalServer.start({
    how: command,
    command,
    folder,
    parameters: (port) => [
      ...['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', ''],
      ...parameters,
    ],
    url: (port) => `redis://127.0.0.1:${port}`,
  });
}

async function startSentinel(masterPort: string): Promise<LocalServer> {
  const command = await findOnPath('redis-server', 'valkey-server');
  const folder = await mkdtemp(join(tmpdir(), 'palimpsest-sentinel-'));
  const file = join(folder, 'sentinel.conf');
  // It writes what it learns into this file.
  const lines = [
    `sentinel monitor ${MASTER} 127.0.0.1 ${masterPort} 1`,
    `sentinel down-after-milliseconds ${MASTER} ${DOWN_AFTER_MS}`,
    `sentinel failover-timeout ${MASTER} 5000`,
  ];
  await writeFile(file, `${lines.join('\n')}\n`);
  return LocalServer.start({
    how: `${command} as a sentinel`,
    command,
    folder,
    parameters: (port) => [file, '--sentinel', '--port', String(port), '--bind', '127.0.0.1'],
    url: (port) => `redis://127.0.0.1:${port}`,
  });
}
