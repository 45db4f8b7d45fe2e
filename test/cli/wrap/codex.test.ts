import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { codexLaunch, codexSetup, codexUpstreams } from '../../../src/cli/wrap/codex.ts';

const OPEN = { url: 'http://127.0.0.1:8787', key: null };
const WITH_KEY = { ...OPEN, key: 'secret' };
const CHATGPT = '{"tokens":{"access_token":"t"}}';
const MINE =
  'model_provider = "mine"\n[model_providers.mine]\nbase_url = "https://llm.example/v1"\n';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'palimpsest-codex-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** What is found in the files of Codex, and in its environment. */
function setupOf(
  files: { [name: string]: string },
  environment: Record<string, string> = {},
  own: string[] = [],
) {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return codexSetup({ CODEX_HOME: folder, ...environment }, own);
}

const SERVER = 'mcp_servers.palimpsest.url="http://127.0.0.1:8787/mcp"';
const UPSTREAM = 'PALIMPSEST_UPSTREAM_OPENAI';

describe('Codex', () => {
  test.each<[string, Record<string, string>, Record<string, string>, object, string[]]>([
    [
      'with a key of its own',
      {},
      { OPENAI_API_KEY: 'k' },
      {},
      ['model_provider="openai"', 'openai_base_url="http://127.0.0.1:8787/v1"'],
    ],
    [
      'with a ChatGPT login',
      { 'auth.json': CHATGPT },
      {},
      { PALIMPSEST_UPSTREAM_CHATGPT: 'https://chatgpt.com/backend-api/codex' },
      ['model_provider="openai"', 'openai_base_url="http://127.0.0.1:8787/u/chatgpt/v1"'],
    ],
    [
      'with a login and a key, which wins',
      { 'auth.json': CHATGPT },
      { OPENAI_API_KEY: 'k' },
      {},
      ['model_provider="openai"', 'openai_base_url="http://127.0.0.1:8787/v1"'],
    ],
    [
      'with an address in its configuration',
      { 'config.toml': 'openai_base_url = "https://proxy.example/v1"\n', 'auth.json': CHATGPT },
      {},
      { [UPSTREAM]: 'https://proxy.example/v1' },
      ['model_provider="openai"', 'openai_base_url="http://127.0.0.1:8787/v1"'],
    ],
    [
      'with an address in its environment',
      {},
      { OPENAI_BASE_URL: 'https://env.example/v1' },
      { [UPSTREAM]: 'https://env.example/v1' },
      ['model_provider="openai"', 'openai_base_url="http://127.0.0.1:8787/v1"'],
    ],
    [
      'with a provider of the user',
      { 'config.toml': MINE },
      {},
      { [UPSTREAM]: 'https://llm.example/v1' },
      ['model_providers.mine.base_url="http://127.0.0.1:8787/v1"'],
    ],
    [
      'with a configuration that cannot be read',
      { 'config.toml': 'model_provider =', 'auth.json': '{' },
      {},
      {},
      ['model_provider="openai"', 'openai_base_url="http://127.0.0.1:8787/v1"'],
    ],
  ])('%s', (_, files, environment, upstreams, settings) => {
    const setup = setupOf(files, environment);
    expect(codexUpstreams(setup)).toEqual(upstreams);
    const launch = codexLaunch(OPEN, setup, environment);
    expect(launch.args).toEqual([...settings, SERVER].flatMap((setting) => ['-c', setting]));
    expect(launch.environment).toEqual({});
  });

  test.each([
    ['a profile', ['-p', 'work', 'exec']],
    ['a profile, written as one word', ['exec', '--profile=work']],
    ['a setting', ['-c', 'model_provider="mine"']],
    ['a bare setting', ['exec', '--config', 'model_provider=mine']],
  ])('goes to the provider that %s in its arguments names', (_, own) => {
    const files = {
      'config.toml': MINE.replace('model_provider = "mine"', 'model = "m"'),
      'work.config.toml': 'model_provider = "mine"\n',
    };
    expect(codexUpstreams(setupOf(files))).toEqual({});
    const setup = setupOf(files, {}, own);
    expect(codexUpstreams(setup)).toEqual({ [UPSTREAM]: 'https://llm.example/v1' });
    const { args } = codexLaunch(OPEN, setup, {});
    expect(args).toContain('model_providers.mine.base_url="http://127.0.0.1:8787/v1"');
    expect(args.join(' ')).not.toContain('model_provider=');
  });

  test('carries our key in its environment, and only its name in the arguments', () => {
    const { args, environment } = codexLaunch(WITH_KEY, setupOf({}), {});
    expect(environment).toEqual({ PALIMPSEST_API_KEY: 'secret' });
    expect(args.join(' ')).not.toContain('secret');
    expect(args).toContain('mcp_servers.palimpsest.bearer_token_env_var="PALIMPSEST_API_KEY"');
    expect(args).toContain(
      'model_providers.palimpsest.env_http_headers={"x-palimpsest-key"="PALIMPSEST_API_KEY"}',
    );
  });

  test('carries it with a provider of the user, too', () => {
    const { args } = codexLaunch(WITH_KEY, setupOf({ 'config.toml': MINE }), {});
    expect(args).toContain(
      'model_providers.mine.env_http_headers={"x-palimpsest-key"="PALIMPSEST_API_KEY"}',
    );
  });

  test('asks no proxy for the service', () => {
    const proxied = { HTTP_PROXY: 'http://proxy:3128', NO_PROXY: 'a.example' };
    expect(codexLaunch(WITH_KEY, setupOf({}), proxied).environment).toEqual({
      PALIMPSEST_API_KEY: 'secret',
      NO_PROXY: 'a.example,127.0.0.1',
      no_proxy: 'a.example,127.0.0.1',
    });
  });

  test('keeps an MCP server of the user by our name, and says so', () => {
    const own = '[mcp_servers.palimpsest]\ncommand = "mine"\n';
    const { args, warnings } = codexLaunch(OPEN, setupOf({ 'config.toml': own }), {});
    expect(args.join(' ')).not.toContain('mcp_servers');
    expect(warnings[0]).toMatch(/^an MCP server "palimpsest" of your own is kept/);
  });
});
