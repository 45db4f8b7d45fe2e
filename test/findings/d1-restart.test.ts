import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import OpenAI from 'openai';
import type { ResponseInputItem } from 'openai/resources/responses/responses';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ServiceProcess, type Variables } from '../support/service-process.ts';

const INPUT: ResponseInputItem[] = [
  { role: 'user', content: 'Remember the code word heliotrope.' },
  { type: 'message', role: 'assistant', content: 'I will.' },
];

describe('D1: compaction items outlive a restart', () => {
  let folder: string;
  let running: ServiceProcess[] = [];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'palimpsest-d1-'));
  });
  afterEach(async () => {
    for (const service of running) await service.dispose();
    running = [];
    await rm(folder, { recursive: true });
  });

  async function start(variables: Variables = {}): Promise<ServiceProcess> {
    const database = `file:${join(folder, 'test.db')}`;
    const service = await ServiceProcess.start({ DATABASE_URL: database, ...variables });
    running.push(service);
    return service;
  }

  const compact = (service: ServiceProcess, input: ResponseInputItem[], apiKey = 'any') =>
    new OpenAI({ baseURL: `${service.url}/v1`, apiKey, maxRetries: 0 }).responses.compact({
      model: 'gpt-5.4',
      input,
    });

  /** Items of the first service as input of the second. */
  async function carriedOver(
    first: ServiceProcess,
    second: () => Promise<ServiceProcess>,
    key?: string,
  ) {
    const { output } = await compact(first, INPUT, key);
    const service = await second();
    // The SDK types outputs and inputs apart, although the API takes one as the other.
    const input = [
      ...(output as ResponseInputItem[]),
      { role: 'user', content: 'Go on.' } as const,
    ];
    return compact(service, input, key);
  }

  const SECRET_FILE = 'test.db.compaction-secret';

  it('without keys and without a secret: one is for the owner only, and in no log', async () => {
    const service = await start({ LOG_LEVEL: 'trace' });
    const { output } = await carriedOver(service, async () => {
      await service.stop();
      await service.restart();
      return service;
    });
    expect(output.at(-1)?.type).toBe('compaction');
    const path = join(folder, SECRET_FILE);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const secret = (await readFile(path, 'utf8')).trim();
    expect(secret.length).toBeGreaterThanOrEqual(43);
    expect(service.output).not.toContain(secret);
    expect((await readdir(folder)).filter((name) => name.includes('secret'))).toEqual([
      SECRET_FILE,
    ]);
  });

  it('of several processes that start at once all have the same', async () => {
    const services = await Promise.all([start(), start(), start()]);
    const [first] = services;
    if (first === undefined) throw new Error('none started');
    for (const other of services) await carriedOver(first, async () => other);
  });

  it('when the operator sets a secret or keys later', async () => {
    const first = await start();
    const secret = { PALIMPSEST_COMPACTION_SECRET: 'a secret of thirty-two characters' };
    const { output } = await carriedOver(first, () => start(secret));
    expect(output.at(-1)?.type).toBe('compaction');
    const keys = { PALIMPSEST_API_KEYS: 'local:key-of-the-only-tenant' };
    await carriedOver(first, () => start({ ...keys, ...secret }), 'key-of-the-only-tenant');
  });

  it('a configured secret is what seals: no file is made then', async () => {
    await start({ PALIMPSEST_COMPACTION_SECRET: 'a secret of thirty-two characters' });
    expect(await readdir(folder)).not.toContain(SECRET_FILE);
  });

  it('a file with something else in it is refused with words', async () => {
    const path = join(folder, SECRET_FILE);
    await writeFile(path, 'short');
    await chmod(path, 0o600);
    await expect(start()).rejects.toThrow(/does not hold the secret/);
  });
});
