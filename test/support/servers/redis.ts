import { mkdtemp } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { aptInstall } from './apt.ts';
import { startContainer } from './docker.ts';
import { LocalServer } from './local-server.ts';
import { findOnPath, outputOf } from './programs.ts';
import { firstThatStarts, type Source } from './search.ts';
import type { TestServer } from './test-server.ts';

const IMAGE = 'redis:7.4-alpine';
const PORT = 6379;
const ADVICE =
  'Install it (apt-get install redis-server, brew install redis), start Docker, or set TEST_REDIS_URL.';

/** `persistent`: every write is on disk before its answer, so that `kill` loses nothing. */
export type RedisOptions = { persistent?: boolean };

/** A Redis of the caller's own, which may be killed and emptied. */
export function ownRedis({ persistent = false }: RedisOptions = {}): Promise<TestServer> {
  const settings = ['--save', ''];
  if (persistent) settings.push('--appendonly', 'yes', '--appendfsync', 'always');
  const onThisMachine = async (origin: string) => {
    const command = await findOnPath('redis-server', 'valkey-server');
    const folder = await mkdtemp(join(tmpdir(), 'palimpsest-redis-'));
    const version = /v=([\d.]+)/.exec(await outputOf(command, ['--version']))?.[1];
    return LocalServer.start({
      how: `${command} ${version ?? ''}${origin}`,
      command,
      folder,
      parameters: (port) => ['--port', String(port), '--bind', '127.0.0.1', ...settings],
      url: (port) => `redis://127.0.0.1:${port}`,
    });
  };
  const sources: Source[] = [
    {
      name: 'Docker',
      start: () =>
        startContainer({
          name: IMAGE,
          port: PORT,
          command: ['redis-server', ...settings],
          url: (host, port) => `redis://${host}:${port}`,
          ping: pingRedis,
        }),
    },
    { name: 'a program on PATH', start: () => onThisMachine('') },
    {
      name: 'apt',
      start: async () => {
        await aptInstall('redis-server');
        return onThisMachine(', installed with apt');
      },
    },
  ];
  return firstThatStarts('Redis', sources, ADVICE);
}

/** Throws unless a Redis at this address answers. */
export function pingRedis(url: string): Promise<void> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(port === '' ? PORT : Number(port), hostname);
    socket.once('connect', () => socket.write('PING\r\n'));
    socket.once('data', (answer) => {
      socket.destroy();
      // A Redis that asks for a password is there, too.
      if (/^(\+PONG|-NOAUTH)/.test(answer.toString())) resolve();
      else reject(new Error(`Redis answers ${answer.toString().trim()}`));
    });
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('Redis closed the connection')));
  });
}
