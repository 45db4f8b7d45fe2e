import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import {
  claudeLaunch,
  claudeSettings,
  claudeUpstreams,
  hasOwnServer,
  joinedArguments,
} from '../../../src/cli/wrap/claude.ts';

const URL_OF_SERVICE = 'http://127.0.0.1:8787';
const OPEN = { url: URL_OF_SERVICE, key: null };
const SERVER =
  '--mcp-config={"mcpServers":{"palimpsest":{"type":"http","url":"http://127.0.0.1:8787/mcp"}}}';
const WITH_KEY = { url: URL_OF_SERVICE, key: 'secret' };

describe('Claude Code', () => {
  test('is given the address in its environment, and our tools in its arguments', () => {
    expect(claudeLaunch(OPEN, {}, {}, false)).toEqual({
      args: [SERVER],
      environment: { ANTHROPIC_BASE_URL: URL_OF_SERVICE, ENABLE_TOOL_SEARCH: 'true' },
      warnings: [],
    });
  });

  test('carries our key in a header beside those of the user, never in its arguments', () => {
    const own = { ANTHROPIC_CUSTOM_HEADERS: 'x-team: blue' };
    const { args, environment } = claudeLaunch(WITH_KEY, own, {}, false);
    expect(environment.ANTHROPIC_CUSTOM_HEADERS).toBe('x-team: blue\nx-palimpsest-key: secret');
    expect(environment.PALIMPSEST_API_KEY).toBe('secret');
    expect(args.join(' ')).not.toContain('secret');
    expect(args[0]).toContain(`"headers":{"x-palimpsest-key":"\${PALIMPSEST_API_KEY}"}`);
  });

  test('keeps what the user has chosen of its tools, and says what that costs', () => {
    const { environment, warnings } = claudeLaunch(
      OPEN,
      { ENABLE_TOOL_SEARCH: 'false' },
      {},
      false,
    );
    expect(environment).not.toHaveProperty('ENABLE_TOOL_SEARCH');
    expect(warnings).toEqual([
      'ENABLE_TOOL_SEARCH=false is kept: all tools are then sent with each call',
    ]);
    expect(claudeLaunch(OPEN, { ENABLE_TOOL_SEARCH: 'true' }, {}, false).warnings).toEqual([]);
  });

  test('is told by its arguments where its settings would win over the environment', () => {
    const settings = { ANTHROPIC_BASE_URL: 'https://proxy.example' };
    expect(claudeLaunch(OPEN, {}, settings, false).args).toEqual([
      SERVER,
      '--settings',
      `{"env":{"ANTHROPIC_BASE_URL":"${URL_OF_SERVICE}"}}`,
    ]);
  });

  test('asks no proxy for the service, by its arguments where its settings name hosts', () => {
    const proxied = { https_proxy: 'http://proxy:3128' };
    const past = { NO_PROXY: '127.0.0.1', no_proxy: '127.0.0.1' };
    expect(claudeLaunch(OPEN, proxied, {}, true)).toMatchObject({ args: [], environment: past });
    const settings = { HTTPS_PROXY: 'http://proxy:3128', NO_PROXY: 'a.example' };
    const { args } = claudeLaunch(OPEN, {}, settings, true);
    expect(args[0]).toBe('--settings');
    expect(JSON.parse(args[1] ?? '')).toEqual({
      env: {
        ANTHROPIC_BASE_URL: URL_OF_SERVICE,
        NO_PROXY: 'a.example,127.0.0.1',
        no_proxy: 'a.example,127.0.0.1',
      },
    });
  });

  test('cannot carry our key where its settings replace the header', () => {
    const settings = { ANTHROPIC_CUSTOM_HEADERS: 'x-team: blue' };
    expect(() => claudeLaunch(WITH_KEY, {}, settings, false)).toThrow(
      /^ANTHROPIC_CUSTOM_HEADERS in the settings of Claude Code takes the place of the header/,
    );
  });

  test.each([
    ['nowhere of its own', {}, {}, {}],
    ['by its environment', { ANTHROPIC_BASE_URL: 'https://a.example' }, {}, 'https://a.example'],
    [
      'by its settings, which win',
      { ANTHROPIC_BASE_URL: 'https://a.example' },
      { ANTHROPIC_BASE_URL: 'https://b.example' },
      'https://b.example',
    ],
  ])('goes upstream %s', (_, environment, settings, expected) => {
    expect(claudeUpstreams(environment, settings)).toEqual(
      typeof expected === 'string' ? { PALIMPSEST_UPSTREAM_ANTHROPIC: expected } : expected,
    );
  });

  test.each(['CLAUDE_CODE_USE_BEDROCK', 'CLAUDE_CODE_USE_VERTEX', 'CLAUDE_CODE_USE_FOUNDRY'])(
    'is refused with %s, which would go past the service',
    (name) => {
      expect(() => claudeUpstreams({ [name]: '1' }, {})).toThrow(
        `${name} is set: Claude Code then calls that cloud itself`,
      );
      expect(() => claudeUpstreams({}, { [name]: 'true' })).toThrow(name);
      expect(claudeUpstreams({ [name]: '0' }, {})).toEqual({});
    },
  );
});

describe('an MCP server of the user by our name', () => {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-servers-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const environment = { CLAUDE_CONFIG_DIR: folder };
  const other = '{"mcpServers":{"docs":{"command":"docs"}}}';

  test.each(['.claude.json', '.mcp.json'])('in %s is found, and kept', (name) => {
    const file = join(folder, name);
    expect(hasOwnServer(environment, folder)).toBe(false);
    for (const [text, isOurs] of [
      ['{', false],
      [other, false],
      [other.replace('docs', 'palimpsest'), true],
    ] as const) {
      writeFileSync(file, text);
      expect(hasOwnServer(environment, folder)).toBe(isOurs);
    }
    rmSync(file);
    const { args, warnings } = claudeLaunch(OPEN, {}, {}, true);
    expect(args).toEqual([]);
    expect(warnings[0]).toMatch(/^an MCP server "palimpsest" of your own is kept/);
  });
});

describe('the settings of Claude Code', () => {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-claude-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const environment = { CLAUDE_CONFIG_DIR: folder };

  test('are read for what they put into its environment', () => {
    expect(claudeSettings(environment, folder)).toEqual({});
    writeFileSync(join(folder, 'settings.json'), '{"env":{"A":"b"},"model":"opus"}');
    expect(claudeSettings(environment, folder)).toEqual({ A: 'b' });
    writeFileSync(join(folder, 'settings.json'), '{"env":');
    expect(claudeSettings(environment, folder)).toEqual({});
  });

  test('are those of the project and of the arguments, too, which win', () => {
    const project = join(folder, 'project');
    mkdirSync(join(project, '.claude'), { recursive: true });
    const files = { settings: '1', 'settings.local': '2', other: '3' };
    writeFileSync(join(folder, 'settings.json'), '{"env":{"A":"0","B":"0"}}');
    const found = Object.entries(files).map(([name, A]) => {
      const text = JSON.stringify({ env: { A } });
      writeFileSync(join(project, name === 'other' ? '' : '.claude', `${name}.json`), text);
      return claudeSettings(
        environment,
        project,
        name === 'other' ? ['--settings', 'other.json'] : [],
      );
    });
    const given = claudeSettings(environment, project, ['--settings={"env":{"A":"4"}}', '-p']);
    expect([...found, given].map(({ A, B }) => [A, B])).toEqual(
      ['1', '2', '3', '4'].map((A) => [A, '0']),
    );
  });

  test('of the arguments get the address into them, since of two the last ones count', () => {
    const address = { ANTHROPIC_BASE_URL: 'https://proxy.example' };
    const { args } = claudeLaunch(OPEN, {}, address, false);
    const own = ['-p', '--settings', '{"model":"opus","env":{"A":"b"}}', 'Hello'];
    const both = `{"model":"opus","env":{"A":"b","ANTHROPIC_BASE_URL":"${URL_OF_SERVICE}"}}`;
    const joined = (added: string[], given: string[]) =>
      joinedArguments(added, given, folder, (text) => `kept: ${text}`);
    expect(joined(args, own)).toEqual([SERVER, '-p', '--settings', both, 'Hello']);
    expect(joined(args, ['-p'])).toEqual([...args, '-p']);
    const free = claudeLaunch(OPEN, {}, {}, false);
    expect(joined(free.args, own)).toEqual([SERVER, ...own]);
    // Those of a file may hold a key, and stay in one; of one that is not there Claude Code says so.
    writeFileSync(join(folder, 'mine.json'), '{"model":"opus","env":{"A":"b"}}');
    expect(joined(args, ['--settings=mine.json'])).toEqual([SERVER, `--settings=kept: ${both}`]);
    expect(joined(args, ['--settings', 'none.json'])).toEqual([...args, '--settings', 'none.json']);
  });
});
