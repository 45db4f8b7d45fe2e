import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { send } from '../support/api-server.ts';
import { call, result, user } from '../support/items.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import { startService } from '../support/start-service.ts';
import { AgentModel } from './agent-model.ts';
import { documented, installClients, runClaude, runCodex } from './programs.ts';

/**
 * The real Codex and Claude Code, as their packages come from npm: a scripted model calls `recall`, and is
 * sent the original. They are configured by the lines that docs/mcp.md shows.
 */

const ORIGINAL = 'The original: E_CONN_42 in prompts.go';

let service: ServiceProcess;
let model: AgentModel;
let folder = '';
beforeAll(async () => {
  await installClients();
  service = await startService();
  const body = [user('Read.'), call('toolu_12', 'Read'), result('toolu_12', ORIGINAL)];
  await send(service, 'POST', '/sessions/kept/items', { body });
}, 300_000);
afterAll(() => service.dispose());
beforeEach(async () => {
  model = await AgentModel.start({ tool: 'recall', input: { tool_use_id: 'toolu_12' } });
  folder = mkdtempSync(join(tmpdir(), 'palimpsest-client-'));
  const program = join(folder, 'bin/palimpsest');
  mkdirSync(join(folder, 'bin'));
  const cli = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${cli}" "$@"\n`);
  chmodSync(program, 0o755);
});
afterEach(async () => {
  await model.stop();
  rmSync(folder, { recursive: true, force: true });
});

const prompt = 'What did the tool say?';

it.each([
  ['over HTTP', 0],
  ['by a program', 1],
])('Codex, connected %s, gets the original', { retry: 2 }, async (_, block) => {
  // It begins without a server that is slow to start: on a loaded machine a program is.
  const lines = documented('toml', service.url, 'kept')[block] ?? '';
  const printed = await runCodex({ folder, model: model.origin, prompt }, lines);
  expect(model.results.join('\n'), printed).toContain(ORIGINAL);
  expect(printed).toContain('Done.');
});

it.each([
  ['over HTTP', 0],
  ['by a program', 1],
])('Claude Code, connected %s, gets the original', async (_, block) => {
  const servers = documented('json', service.url, 'kept')[block] ?? '';
  const printed = await runClaude({ folder, model: model.origin, prompt }, servers);
  expect(model.results.join('\n'), printed).toContain(ORIGINAL);
  expect(printed).toContain('Done.');
});
