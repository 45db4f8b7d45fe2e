import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { checkModels } from '../src/cli/doctor/check-models.ts';
import { readSettings } from '../src/config.ts';
import { startInProcess } from '../src/in-process.ts';
import { HOOK_SECRET, HookServer } from './support/hook-server.ts';
import { assistant, ofTokens, user } from './support/items.ts';
import { close, listen } from './support/listening.ts';
import { ScriptedModelServer } from './support/scripted-model-server.ts';

let folder: string;
let models: ScriptedModelServer;
let hooks: HookServer;
let proxy: Server;
let address: string;
/** The hosts that the proxy was asked for. */
const relayed: string[] = [];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'palimpsest-proxy-'));
  models = await ScriptedModelServer.start();
  hooks = await HookServer.start();
  relayed.length = 0;
  proxy = createServer((incoming, answer) => {
    const { hostname, pathname } = new URL(incoming.url ?? '');
    relayed.push(hostname);
    const behind = hostname === 'models.invalid' ? models.openaiUrl : hooks.hook('PreCompact').url;
    const { method, headers } = incoming;
    const onward = request(new URL(pathname, behind), { method, headers }, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(answer);
    });
    incoming.pipe(onward);
  });
  address = await listen(proxy);
});
afterEach(async () => {
  await close(proxy);
  await hooks.close();
  await models.close();
  rmSync(folder, { recursive: true });
});

function environmentWith(own: Record<string, string>): Record<string, string> {
  return {
    OPENAI_API_KEY: 'sk-test',
    OPENAI_BASE_URL: 'http://models.invalid/v1',
    HTTP_PROXY: address,
    ...own,
  };
}

it('models that write summaries, and hooks, are asked through the proxies of the environment', async () => {
  const config = join(folder, 'palimpsest.toml');
  const hook = `[[hooks]]\nevent = "PreCompact"\nurl = "http://hooks.invalid/PreCompact"`;
  writeFileSync(config, `${hook}\nsecret_env = "HOOK_SECRET"\n`);
  const { client, stop } = await startInProcess(
    environmentWith({ PALIMPSEST_CONFIG: config, HOOK_SECRET }),
  );
  try {
    await client.createSession({
      body: {
        id: 's',
        model: 'gpt-4o-mini',
        format: 'openai-chat',
        config: { protected_tokens: 0 },
      },
    });
    const items = [user(ofTokens(3_000)), assistant(ofTokens(3_000)), user('x'), assistant('y')];
    await client.appendItems({ id: 's', body: { items } });
    const ended = await client.compact({ id: 's', body: { mode: 'full' } }, { waitSeconds: 30 });
    expect(ended).toMatchObject({ outcome: 'full_compacted' });
    expect(models.requests).toHaveLength(1);
    expect(relayed).toEqual(['hooks.invalid', 'models.invalid']);
  } finally {
    await stop();
  }
});

it('what NO_PROXY names is asked without one', async () => {
  const environment = environmentWith({ NO_PROXY: 'models.invalid' });
  const found = await checkModels(readSettings(environment), environment);
  expect(found).toMatchObject([{ verdict: 'trouble' }]);
  expect(relayed).toEqual([]);
});

it('`doctor` asks models through them as well', async () => {
  const environment = environmentWith({});
  const found = await checkModels(readSettings(environment), environment);
  expect(found).toMatchObject([{ says: 'openai/gpt-4o-mini answers' }]);
  expect(relayed).toEqual(['models.invalid']);
});
