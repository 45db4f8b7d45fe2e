import { chownSync, copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { stagesOf } from '../deployment/image.ts';
import { ROOT, readText } from '../house/sources.ts';
import { oldSqlite } from '../support/old-database.ts';
import { ownPostgres } from '../support/servers/postgres.ts';
import { ownRedis } from '../support/servers/redis.ts';
import { provideImages } from './base-images.ts';
import { Containers } from './containers.ts';
import { type Engine, startEngine } from './engine.ts';

const MB = 1_000_000;
const MOST_ABOVE_BASE = 250 * MB;
const IMAGE = 'palimpsest-test:current';
const NODE_USER = 1000;
/** What the tests' own Redis and PostgreSQL run where an engine answers. */
const OF_TESTS = { redis: 'redis:7.4-alpine', postgres: 'postgres:18-alpine' };

const composeSchema = z.object({
  services: z.object({
    redis: z.object({ image: z.string() }),
    postgres: z.object({ image: z.string() }),
  }),
});
const { services } = composeSchema.parse(parse(readText('docker-compose.yml'), { merge: true }));
const base = `node:${stagesOf(readText('Dockerfile'))[0]?.tag}`;

let engine: Engine;
let containers: Containers;

beforeAll(async () => {
  engine = await startEngine();
  console.log(`Docker: ${engine.how}`);
  containers = new Containers(engine);
  await provideImages(engine, {
    node: base,
    redis: [services.redis.image, OF_TESTS.redis],
    postgres: [services.postgres.image, OF_TESTS.postgres],
  });
  await engine.docker(['build', '--quiet', '--network', 'host', '--tag', IMAGE, ROOT]);
});

afterAll(async () => {
  await containers?.removeAll();
  await engine?.stop();
});

const message = (content: string) => ({ role: 'user', content });

describe('the image', () => {
  test('is at most 250 MB above its base', async () => {
    const sizeOf = async (image: string) =>
      Number(await engine.docker(['image', 'inspect', '--format', '{{.Size}}', image]));
    const above = (await sizeOf(IMAGE)) - (await sizeOf(base));
    console.log(`image: ${Math.round(above / MB)} MB above its base`);
    expect(above).toBeLessThanOrEqual(MOST_ABOVE_BASE);
  });

  test('runs read-only as another user than root, and keeps its log when it is killed', async () => {
    const service = await containers.service(IMAGE, {});
    const started = performance.now();
    await service.ready();
    console.log(`start to ready: ${Math.round(performance.now() - started)} ms`);
    expect(await service.exec('id', '-u')).toBe(String(NODE_USER));
    await expect(service.exec('touch', '/app/file')).rejects.toThrow(/Read-only file system/);
    await expect(service.exec('chown', '0', '/data')).rejects.toThrow(/not permitted/);

    const { id } = await service.client.createSession({ body: { format: 'openai-chat' } });
    await service.client.appendItems({ id, body: [message('Keep this.')] });
    await service.kill();
    await service.start();
    await service.ready();
    const { items } = await service.client.getContext({ id });
    expect(items).toEqual([message('Keep this.')]);
    expect(await service.stop()).toBe(0);
  });

  test('opens a store that an old release has left', async () => {
    const old = await oldSqlite();
    onTestFinished(old.drop);
    const folder = mkdtempSync(join(tmpdir(), 'palimpsest-volume-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    await old.execute('PRAGMA wal_checkpoint(TRUNCATE)');
    const file = join(folder, 'palimpsest.db');
    copyFileSync(old.url.replace('file:', ''), file);
    for (const path of [folder, file]) chownSync(path, NODE_USER, NODE_USER);

    const service = await containers.service(IMAGE, { volume: folder });
    await service.ready();
    const printed = await service.exec('node', '/app/dist/cli.js', 'verify');
    const [{ sessions } = { sessions: 0 }] = await old.execute(
      'SELECT count(*) AS sessions FROM sessions',
    );
    expect(sessions).toBeGreaterThan(0);
    expect(printed).toMatch(new RegExp(`\\b${sessions} sessions?\\b`));
  });
});

describe('an API and two workers, with Redis and PostgreSQL in containers', () => {
  test('each is killed and comes back, and nothing is lost', async () => {
    const redis = await containers.redis(services.redis.image);
    const postgres = await containers.postgres(services.postgres.image);
    const environment = { REDIS_URL: redis.url, DATABASE_URL: postgres.url };
    const start = (ROLE: string) => containers.service(IMAGE, { ...environment, ROLE });
    const [api, ...workers] = [await start('api'), await start('worker'), await start('worker')];
    for (const one of [api, ...workers]) await one.ready();

    const { client } = api;
    const { id } = await client.createSession({
      body: {
        format: 'openai-chat',
        context_window: 20_000,
        config: { auto_compact_enabled: false },
      },
    });
    const append = async (from: number) => {
      const items = Array.from({ length: 20 }, (_, index) => [
        message(
          `Question ${from + index}: ${'what does the reader do with this file? '.repeat(8)}`,
        ),
        { role: 'assistant', content: `Answer ${from + index}: it reads line by line.` },
      ]).flat();
      await client.appendItems({ id, body: items });
    };
    const compactTo = async (outcome: string) => {
      const compaction = await client.compact({ id, body: { mode: 'full' } });
      if (!('id' in compaction)) throw new Error('it was no dry run');
      const ended = await vi.waitFor(
        async () => {
          const now = await client.getCompaction({ id, cid: compaction.id });
          if (now.status !== 'ended') throw new Error(`the compaction is ${now.status}`);
          return now;
        },
        { timeout: 120_000, interval: 100 },
      );
      expect(ended.outcome).toBe(outcome);
      return compaction.id;
    };
    const ended: string[] = [];
    await append(0);
    ended.push(await compactTo('full_compacted'));

    // A job that nobody takes waits for a worker that comes back.
    for (const worker of workers) await worker.kill();
    await append(100);
    const waiting = compactTo('full_compacted');
    for (const worker of workers) await worker.start();
    ended.push(await waiting);

    await redis.kill();
    await append(200);
    await redis.start();
    ended.push(await compactTo('full_compacted'));

    await postgres.kill();
    await postgres.start();
    await api.ready();
    await append(300);
    await api.kill();
    await api.start();
    await api.ready();
    ended.push(await compactTo('full_compacted'));

    const session = await client.getSession({ id });
    expect(session.counts.items).toBe(160);
    expect(session.counts.compactions.full).toBe(ended.length);
    expect(await api.exec('node', '/app/dist/cli.js', 'verify')).toMatch(/\b1 session\b/);
    for (const one of [api, ...workers]) expect(await one.stop()).toBe(0);
  });
});

describe('the servers of the other tests', () => {
  test.each([
    ['Redis', ownRedis, OF_TESTS.redis],
    ['PostgreSQL', ownPostgres, OF_TESTS.postgres],
  ] as const)('%s comes from Docker where an engine answers', async (_, own, image) => {
    if (engine.host !== null) vi.stubEnv('DOCKER_HOST', engine.host);
    // Its image is not among those that can be made.
    vi.stubEnv('TESTCONTAINERS_RYUK_DISABLED', 'true');
    onTestFinished(() => void vi.unstubAllEnvs());
    const server = await own();
    onTestFinished(server.dispose);
    expect(server.how).toBe(`Docker image ${image}`);
    await server.kill();
    await server.start();
  });
});
