import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openSqlite } from '../../src/db/sqlite/driver.ts';
import { configSchema } from '../../src/domain/policy/config.ts';
import { EVENT_TYPES } from '../../src/domain/session/events.ts';
import { readText } from '../house/sources.ts';
import { oldSqlite } from '../support/old-database.ts';

const page = readText('docs/upgrade.md');
const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
const steps = [...page.matchAll(/```console\n([^`]*)```/g)].flatMap(([, block = '']) =>
  block
    .split(/^\$ /m)
    .slice(1)
    .map((one) => one.trimEnd().split('\n')),
);

/** What a store says of its own schema. */
function schemaVersion(path: string): unknown {
  const db = openSqlite(path);
  const version = db.pragma('user_version', { simple: true });
  db.close();
  return version;
}

describe('docs/upgrade.md', () => {
  let folder = '';
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'palimpsest-upgrade-page-'));
    mkdirSync(join(folder, 'data'));
    const old = await oldSqlite();
    await old.execute(`VACUUM INTO '${join(folder, 'data', 'palimpsest.db')}'`);
    await old.drop();
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('its commands bring a store of 0.1 to 0.2 and back, and print what it says', () => {
    const before = schemaVersion(join(folder, 'data', 'palimpsest.db'));
    expect(steps).toHaveLength(4);
    for (const [command = '', ...output] of steps) {
      const line = command.replace(/^palimpsest /, `"${process.execPath}" "${CLI}" `);
      const env = { PATH: process.env.PATH, DATABASE_URL: 'file:data/palimpsest.db' };
      const said = execFileSync('sh', ['-c', line], { cwd: folder, env, encoding: 'utf8' });
      expect([command, said.trimEnd()]).toEqual([command, output.join('\n')]);
    }
    expect(schemaVersion(join(folder, 'data', 'palimpsest.db'))).toBe(before);
    expect(schemaVersion(join(folder, 'data-0.2', 'palimpsest.db'))).not.toBe(before);
  });

  test('every event and field that it names as new is one', () => {
    const events = /New types: (.*?)\. Only/.exec(page)?.[1] ?? '';
    const types = [...events.matchAll(/`([^`]+)`/g)].map(([, type]) => type);
    expect(types).toHaveLength(7);
    expect(EVENT_TYPES).toEqual(expect.arrayContaining(types));
    const fields = /New fields[^:]*: (.*?) \(/.exec(page)?.[1] ?? '';
    const names = [...fields.matchAll(/`([^`]+)`/g)].map(([, name]) => name);
    expect(names).toHaveLength(10);
    expect(Object.keys(configSchema.shape)).toEqual(expect.arrayContaining(names));
  });
});
