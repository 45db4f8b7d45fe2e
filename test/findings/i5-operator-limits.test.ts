import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readSettings } from '../../src/config.ts';
import { isJsonObject, type Json, type JsonObject } from '../../src/domain/json.ts';
import { startService } from '../../src/service.ts';
import { assistant, call, ofTokens, result, user } from '../support/items.ts';

let folder: string;
let service: Awaited<ReturnType<typeof startService>>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'palimpsest-i5-'));
  for (const name of ['.env', 'a.ts', 'b.ts', 'own.key']) {
    writeFileSync(join(folder, name), `on disk: ${name}\n`);
  }
  const environment = {
    DATABASE_URL: `file:${join(folder, 'test.db')}`,
    LOG_LEVEL: 'silent',
    PALIMPSEST_WORKSPACE_ROOT: folder,
    PALIMPSEST_RESTORE_EXCLUDE: '.env',
    PALIMPSEST_RESTORE_MAX_FILES: '2',
    PALIMPSEST_REMOTE_COMPACTION: 'false',
  };
  service = await startService(readSettings(environment), environment);
});
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true });
});

async function ask(method: string, path: string, body?: Json): Promise<JsonObject> {
  const headers = { 'content-type': 'application/json' };
  const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
  const response = await service.fetch(new Request(`http://localhost${path}`, init));
  const answer = (await response.json()) as Json;
  if (!isJsonObject(answer)) throw new Error('no object was answered');
  return answer;
}

const reads = (path: string) => [
  call(path, 'Read', { file_path: path }),
  result(path, '     1→as the session says'),
];

describe('I5: the limits of the operator are limits', () => {
  it.each<[string, JsonObject]>([
    ['emptied', { restore_exclude: [] }],
    ['replaced', { restore_exclude: ['*.ts'], restore_max_files: 100 }],
  ])(
    'restore_exclude is not %s by a session, neither when made nor later',
    async (name, config) => {
      for (const when of ['made', 'later']) {
        const id = `${name}-${when}`;
        // Nothing is kept at the end, so that all of it is compacted.
        const all = { protected_tokens: null };
        const first = when === 'made' ? { ...all, ...config } : all;
        await ask('POST', '/sessions', { id, format: 'anthropic', config: first });
        if (when === 'later') await ask('PATCH', `/sessions/${id}`, { config });
        const items = [
          user('Read.'),
          assistant(ofTokens(3_000)),
          ...reads('.env'),
          ...reads('own.key'),
        ];
        await ask('POST', `/sessions/${id}/items`, items);
        await ask('POST', `/sessions/${id}/compact`, { mode: 'full' });
        await ask('GET', `/sessions/${id}/context?wait=compaction`);
        const context = JSON.stringify(await ask('GET', `/sessions/${id}/context`));
        expect(context).toContain('on disk: own.key');
        expect(context).not.toContain('on disk: .env');
      }
    },
  );

  it('a session can leave out more, and less comes back; never the other way round', async () => {
    const config = { restore_exclude: ['own.key'], restore_max_files: 9, remote_compaction: true };
    await ask('POST', '/sessions', { id: 'narrow', format: 'anthropic', config });
    const { config: inForce } = await ask('GET', '/sessions/narrow');
    expect(inForce).toMatchObject({
      restore_exclude: ['.env', 'own.key'],
      restore_max_files: 2,
      remote_compaction: false,
    });
    await ask('PATCH', '/sessions/narrow', { config: { restore_max_files: 1 } });
    const { config: narrower } = await ask('GET', '/sessions/narrow');
    expect(narrower).toMatchObject({ restore_max_files: 1 });
  });
});
