import { mkdtempSync, rmSync, statSync, truncateSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openSqlite } from '../../src/db/sqlite/driver.ts';
import { startApi } from '../support/api-server.ts';
import { longAgo } from '../support/archive-lab.ts';
import { palimpsest } from '../support/palimpsest-command.ts';
import { ScriptedModelServer } from '../support/scripted-model-server.ts';
import { ServiceProcess } from '../support/service-process.ts';

let folder: string;
const servers: Server[] = [];
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'palimpsest-doctor-'));
});
afterAll(() => {
  for (const server of servers) server.close();
  rmSync(folder, { recursive: true });
});

const report = z.object({
  is_well: z.boolean(),
  findings: z.array(
    z.object({
      check: z.string(),
      verdict: z.enum(['ok', 'note', 'trouble']),
      says: z.string(),
      advice: z.string().nullable(),
    }),
  ),
});

/** What it finds on this machine with these settings; a port that is free unless they name one. */
async function findings(settings: Record<string, string>, ...args: string[]) {
  const environment = { DATABASE_URL: `file:${join(folder, 'none.db')}`, PORT: '0', ...settings };
  const { code, stdout } = await palimpsest(['doctor', ...args], environment);
  const { is_well, findings } = report.parse(JSON.parse(stdout));
  expect(code).toBe(is_well ? 0 : 1);
  return { is_well, findings };
}

/** An address at which something answers every path with this. */
async function serverOf(body: string): Promise<AddressInfo> {
  const server = createServer((_request, response) => response.end(body));
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  return server.address() as AddressInfo;
}

describe('doctor', () => {
  it('finds a machine well on which nothing has run yet', async () => {
    const { is_well, findings: found } = await findings({});
    expect(is_well).toBe(true);
    expect(found.map(({ check, verdict }) => `${verdict} ${check}`)).toEqual([
      'ok settings',
      'note port',
      'ok disk',
      'note store',
      'ok queue',
      'note model',
    ]);
  });

  it('finds a service that runs, its store, its index and its threads', async () => {
    const service = await ServiceProcess.start();
    const { port } = new URL(service.url);
    const { exit, output } = await service.command('doctor');
    expect(exit).toBe(0);
    const { findings: found } = report.parse(JSON.parse(output));
    expect(found).toContainEqual(
      expect.objectContaining({
        check: 'search',
        verdict: 'ok',
        says: expect.stringContaining('0 sessions'),
      }),
    );
    expect(found).toContainEqual({
      check: 'threads',
      verdict: 'ok',
      says: 'one starts and answers',
      advice: null,
    });
    const beside = await findings({ PORT: port });
    expect(beside.findings[1]).toMatchObject({
      verdict: 'ok',
      says: `the service listens at http://127.0.0.1:${port} and is ready`,
    });
    await service.dispose();
  });

  it('finds an event that was changed, and a file that was cut off', async () => {
    const path = join(folder, 'hurt.db');
    await longAgo(`file:${path}`, 'hurt');
    const { findings: before } = await findings({ DATABASE_URL: `file:${path}` });
    expect(before).toContainEqual({
      check: 'events',
      verdict: 'ok',
      says: '1 session, 6 events: as they were written',
      advice: null,
    });
    openSqlite(path).exec(`UPDATE events SET data = replace(data, 'four', 'five')`).close();
    const { findings: changed } = await findings({ DATABASE_URL: `file:${path}` });
    expect(changed.filter(({ verdict }) => verdict === 'trouble')).toMatchObject([
      {
        check: 'events',
        says: expect.stringContaining('version 5 (item.appended) does not match'),
      },
    ]);
    truncateSync(path, statSync(path).size / 2);
    const { findings: cut } = await findings({ DATABASE_URL: `file:${path}` });
    expect(cut.filter(({ verdict }) => verdict === 'trouble')).toMatchObject([
      { check: 'store', advice: expect.stringContaining('restore a backup') },
    ]);
  });

  it.each([
    [
      'a setting that is none',
      { PORT: 'http' },
      'settings',
      'PORT: must be a whole number',
      'configuration.md',
    ],
    ['an open door', { HOST: '0.0.0.0' }, 'settings', 'without keys', 'configuration.md'],
    [
      'a host that is elsewhere',
      { HOST: '192.0.2.1', PORT: '8787', PALIMPSEST_API_KEYS: 'a:b' },
      'port',
      'is not an address of this machine',
      'set HOST to 127.0.0.1',
    ],
    [
      'PostgreSQL that is away',
      { DATABASE_URL: 'postgres://u:hunter2@127.0.0.1:1/d' },
      'store',
      'ECONNREFUSED',
      'start PostgreSQL',
    ],
    [
      'a file that is no database',
      { DATABASE_URL: 'file:package.json' },
      'store',
      'package.json cannot be opened',
      'check DATABASE_URL',
    ],
    [
      'Redis that is away',
      { REDIS_URL: 'redis://:hunter2@127.0.0.1:1' },
      'queue',
      'Redis at 127.0.0.1:1',
      'start Redis',
    ],
    [
      'a provider that is away',
      { OPENAI_API_KEY: 'hunter2', OPENAI_BASE_URL: 'http://127.0.0.1:1/v1' },
      'model',
      'openai/gpt-4o-mini: openai: ',
      'check its key',
    ],
    [
      'a model without a key',
      { PALIMPSEST_SUMMARIZATION_MODEL: 'anthropic/claude-haiku-4-5' },
      'model',
      'ANTHROPIC_API_KEY',
      'set what is missing',
    ],
  ])('%s', async (_name, settings, check, says, advice) => {
    const { is_well, findings: found } = await findings(settings);
    expect(is_well).toBe(false);
    const troubles = found.filter(({ verdict }) => verdict === 'trouble');
    expect(troubles).toEqual([
      {
        check,
        verdict: 'trouble',
        says: expect.stringContaining(says),
        advice: expect.stringContaining(advice),
      },
    ]);
    expect(JSON.stringify(found)).not.toContain('hunter2');
  });

  it('a port that another program has, or another release', async () => {
    const foreign = await serverOf('<html>');
    const { findings: taken } = await findings({ PORT: String(foreign.port) });
    expect(taken[1]).toMatchObject({
      verdict: 'trouble',
      says: expect.stringContaining('in use by another program'),
    });
    const older = await serverOf('{"status":"ok","version":"0.0.1"}');
    const { findings: old } = await findings({ PORT: String(older.port) });
    expect(old[1]).toMatchObject({
      verdict: 'trouble',
      says: expect.stringContaining('Palimpsest 0.0.1 listens'),
    });
    expect(old).toContainEqual(
      expect.objectContaining({
        check: 'store',
        verdict: 'note',
        says: expect.stringContaining('not opened'),
      }),
    );
  });

  it('asks the model for one word', async () => {
    const model = await ScriptedModelServer.start();
    const { findings: found } = await findings({
      OPENAI_API_KEY: 'key',
      OPENAI_BASE_URL: model.openaiUrl,
    });
    expect(found.at(-1)).toMatchObject({
      check: 'model',
      verdict: 'ok',
      says: 'openai/gpt-4o-mini answers',
    });
    await model.close();
  });

  it('looks at a service from outside', async () => {
    const api = await startApi({ keys: [{ name: 'a', key: 'SECRET' }] });
    const troubled = await findings({}, '--url', api.url);
    expect(troubled.findings.map(({ check, verdict }) => `${verdict} ${check}`)).toEqual([
      // The API under test is of no release.
      'trouble service',
      'ok ready',
      'trouble key',
      'trouble search',
      'note machine',
    ]);
    const known = await findings({ PALIMPSEST_URL: api.url, PALIMPSEST_API_KEY: 'SECRET' });
    expect(known.findings.slice(1, 4).map(({ verdict }) => verdict)).toEqual(['ok', 'ok', 'ok']);
    await api.close();
    const { findings: gone } = await findings({}, '--url', api.url);
    expect(gone).toMatchObject([
      {
        verdict: 'trouble',
        says: expect.stringContaining('cannot be reached'),
        advice: expect.stringContaining('palimpsest serve'),
      },
    ]);
    const foreign = await serverOf('<html>\u001b[2J');
    const { findings: strange } = await findings({}, '--url', `http://127.0.0.1:${foreign.port}`);
    expect(strange).toMatchObject([
      { verdict: 'trouble', says: expect.stringContaining('is no Palimpsest service') },
    ]);
  });
});
