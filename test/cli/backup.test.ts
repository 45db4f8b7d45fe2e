import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import type { InProcess } from '../../src/in-process.ts';
import { openStore } from '../../src/open-store.ts';
import { readText } from '../house/sources.ts';
import {
  backUp,
  CLI,
  conversation,
  inShell,
  on,
  onService,
  openLab,
  restore,
  rowsIn,
  settings,
} from '../support/backup-lab.ts';
import { exampleChat } from '../support/example-chat.ts';
import { palimpsest } from '../support/palimpsest-command.ts';

const { folder, fresh, drafts, places, dispose } = openLab();
afterAll(dispose);

describe.each(['sqlite', 'postgres'] as const)('a store on %s', (kind) => {
  test('keys of requests and of the gateway come back', async () => {
    const url = await places[kind]();
    const send = async ({ fetch }: InProcess) => {
      const answer = await fetch(
        new Request('http://127.0.0.1/sessions/chat/items', {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'idempotency-key': 'once' },
          body: JSON.stringify({ role: 'user', content: 'again' }),
        }),
      );
      return answer.json();
    };
    await conversation(url);
    const first = await onService(url, send);
    const store = await openStore(settings(url), () => {});
    const ref = { tenant: 'local', session_id: 'chat' };
    await store.gatewayKeys.note(ref, [{ key: 'key-1', version: 2 }]);
    await store.close();
    const file = fresh('backup');
    await backUp(url, file);
    const target = await places[kind]();
    await restore(file, target);
    expect(await onService(target, send)).toEqual(first);
    const restored = await openStore(settings(target), () => {});
    const found = await restored.gatewayKeys.find('local', ['key-1']);
    await restored.close();
    expect(found).toEqual({ key: 'key-1', session_id: 'chat', version: 2 });
  });

  test('takes no backup in when it has sessions', async () => {
    const url = await places[kind]();
    await conversation(url);
    const file = fresh('backup');
    await backUp(url, file);
    await expect(restore(file, url)).rejects.toThrow(
      kind === 'sqlite'
        ? /^there is already something at .+\.db: stop what runs on it and move it away, or set DATABASE_URL to a new file$/
        : /^the database test_\w+ holds sessions: restore into a new one, and set DATABASE_URL to it$/,
    );
  });

  test('nothing is left of a backup that is damaged', async () => {
    const url = await places[kind]();
    await conversation(url);
    const whole = fresh('backup');
    await backUp(url, whole);
    const text = gunzipSync(readFileSync(whole)).toString();
    const broken: [Buffer, RegExp][] = [
      [readFileSync(whole).subarray(0, -30), / is cut off: copy the whole file/],
      [gzipSync(text.slice(0, text.lastIndexOf('{"rows"'))), / is cut off: /],
      [
        gzipSync(text.replace('Do not touch', 'Please touch')),
        / is damaged: its content is not what was written/,
      ],
      [gzipSync(text.replace('"columns":["', '"columns":["x')), /has an unknown column "x/],
    ];
    const target = await places[kind]();
    for (const [content, said] of broken) {
      const file = fresh('backup');
      writeFileSync(file, content);
      await expect(restore(file, target)).rejects.toThrow(said);
    }
    expect(await restore(whole, target)).toMatchObject({ sessions: 1, events: 5, problems: [] });
    expect(drafts()).toEqual([]);
  });

  test('large items are written one by one, and come back', async () => {
    const url = await places[kind]();
    const large = 'x'.repeat(600_000);
    for (let n = 0; n < 4; n++) await conversation(url, `s-${n}`, `${n}${large}`);
    const file = fresh('backup');
    await backUp(url, file);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const lines = gunzipSync(readFileSync(file)).toString().split('\n');
    expect(lines.filter((line) => line.length > 2 * large.length)).toEqual([]);
    const target = await places[kind]();
    expect(await restore(file, target)).toMatchObject({ sessions: 4, problems: [] });
    expect(await rowsIn(target)).toEqual(await rowsIn(url));
  });

  test('a backup of the first schema gets the newest one', async () => {
    const url = await places[kind]();
    await conversation(url);
    const file = fresh('backup');
    await backUp(url, file);
    writeFileSync(file, ofFirstSchema(file));
    expect(await restore(file, await places[kind]())).toMatchObject({ events: 5, problems: [] });
  });
});

/** The backup as the first release would have written it, without what migrations have added. */
function ofFirstSchema(file: string): Buffer {
  const lines = gunzipSync(readFileSync(file)).toString().trimEnd().split('\n').slice(0, -1);
  const old = lines
    .map((line) => JSON.parse(line))
    .filter(({ table }) => table !== 'head_version')
    .map((line) => {
      if (line.columns === undefined) return { ...line, schema_version: 1 };
      const isOld = line.columns.map(
        (name: string) => !/^(?:wake_at_ms|cost|archive_(?:file|head_version))$/.test(name),
      );
      const without = (row: unknown[]) => row.filter((_, place) => isOld[place]);
      return { ...line, columns: without(line.columns), rows: line.rows.map(without) };
    });
  const text = old.map((line) => `${JSON.stringify(line)}\n`).join('');
  const rows = old.reduce((sum, line) => sum + (line.rows?.length ?? 0), 0);
  const sha256 = createHash('sha256').update(text).digest('hex');
  return gzipSync(`${text}${JSON.stringify({ rows, sha256 })}\n`);
}

describe('docs/operations.md', () => {
  const section = readText('docs/operations.md').split('\n## Back up')[1]?.split('\n## ')[0] ?? '';
  const examples = [...section.matchAll(/```console\n([^`]*)```/g)].flatMap(([, block = '']) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((one) => one.trimEnd().split('\n')),
  );

  test('its commands print what it says', async () => {
    const place = join(folder, 'documented');
    mkdirSync(place);
    writeFileSync(join(place, 'chat-7.json'), exampleChat());
    const url = `file:${join(place, 'palimpsest.db')}`;
    await palimpsest(['import', join(place, 'chat-7.json')], on(url));
    const general = (line: string) =>
      line
        .replaceAll(place, '/var/lib/palimpsest')
        .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/, '2026-01-02T03:04:05.678Z')
        .replace(/\d+ kB/, '4 kB');
    expect(examples.length).toBeGreaterThan(1);
    for (const [command = '', ...output] of examples) {
      const line = command
        .replaceAll('/var/lib/palimpsest', place)
        .replace(/\bpalimpsest (?=backup|restore)/, `"${process.execPath}" "${CLI}" `);
      const { said } = await inShell(line, url, place);
      expect([command, ...said.trimEnd().split('\n').map(general)]).toEqual([command, ...output]);
    }
  });
});
