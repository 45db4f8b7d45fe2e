import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { readSettings } from '../../../src/config.ts';
import { type Service, startService } from '../../../src/service.ts';
import { HOOK_SECRET, HookServer, replies } from '../../support/hook-server.ts';
import { assistant, ofTokens, user } from '../../support/items.ts';

let folder: string;
let hooks: HookServer;
let service: Service;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'palimpsest-hooks-'));
  hooks = await HookServer.start();
});
afterEach(async () => {
  await service.stop();
  await hooks.close();
  rmSync(folder, { recursive: true });
});

const jsonObject = z.record(z.string(), z.json());

async function post(path: string, body: object, headers: Record<string, string> = {}) {
  const response = await service.fetch(
    new Request(`http://localhost${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    }),
  );
  return jsonObject.parse(await response.json());
}

async function detailOf(id: string) {
  const path = `http://localhost/sessions/s/compactions/${id}`;
  return jsonObject.parse(await (await service.fetch(new Request(path))).json());
}

it('hooks of the TOML file are called, and the compaction shows their runs', async () => {
  const before = hooks.hook('PreCompact', [
    replies({ new_custom_instructions: 'Keep ports.', user_display_message: 'Tidying up' }),
  ]);
  const after = hooks.hook('PostCompact', [replies({ items: [user('Welcome back.')] })]);
  const config = join(folder, 'palimpsest.toml');
  const table = ({ event, url }: typeof before) =>
    `[[hooks]]\nevent = "${event}"\nurl = "${url}"\nsecret_env = "HOOK_SECRET"\n`;
  writeFileSync(config, table(before) + table(after));
  const environment = {
    DATABASE_URL: `file:${join(folder, 'palimpsest.db')}`,
    LOG_LEVEL: 'silent',
    PALIMPSEST_CONFIG: config,
    HOOK_SECRET,
  };
  service = await startService(readSettings(environment), environment);
  const items = [user(ofTokens(3_000)), assistant(ofTokens(3_000)), user('x'), assistant('y')];
  await post('/sessions', { id: 's', config: { protected_tokens: 0 } });
  await post('/sessions/s/items', { items });
  const wait = { Prefer: 'wait=30' };
  const { id } = await post('/sessions/s/compact', { mode: 'full' }, wait);
  // It runs after the end that the request waits for.
  await hooks.received(2);
  await expect.poll(async () => (await detailOf(String(id))).hook_runs).toHaveLength(2);
  const detail = await detailOf(String(id));
  expect(detail).toMatchObject({
    outcome: 'full_compacted',
    user_display_message: 'Tidying up',
    hook_runs: [
      {
        hook: 'PreCompact-1',
        event: 'PreCompact',
        ok: true,
        status: 200,
        result: { new_custom_instructions: 'Keep ports.', user_display_message: 'Tidying up' },
      },
      {
        hook: 'PostCompact-2',
        event: 'PostCompact',
        ok: true,
        result: { items: [user('Welcome back.')] },
      },
    ],
  });
  const log = await service.fetch(new Request('http://localhost/sessions/s/events?limit=500'));
  expect(await log.text()).not.toContain(HOOK_SECRET);
});
