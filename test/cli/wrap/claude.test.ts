import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { claudeLaunch, claudeSettings, claudeUpstreams } from '../../../src/cli/wrap/claude.ts';

const URL_OF_SERVICE = 'http://127.0.0.1:8787';
const OPEN = { url: URL_OF_SERVICE, key: null };
const WITH_KEY = { url: URL_OF_SERVICE, key: 'secret' };

describe('Claude Code', () => {
  test('is given the address, and nothing in its arguments', () => {
    expect(claudeLaunch(OPEN, {}, {})).toEqual({
      args: [],
      environment: { ANTHROPIC_BASE_URL: URL_OF_SERVICE, ENABLE_TOOL_SEARCH: 'true' },
      warnings: [],
    });
  });

  test('carries our key in a header beside those of the user, never in its arguments', () => {
    const own = { ANTHROPIC_CUSTOM_HEADERS: 'x-team: blue' };
    const { args, environment } = claudeLaunch(WITH_KEY, own, {});
    expect(environment.ANTHROPIC_CUSTOM_HEADERS).toBe('x-team: blue\nx-palimpsest-key: secret');
    expect(args).toEqual([]);
  });

  test('keeps what the user has chosen of its tools, and says what that costs', () => {
    const { environment, warnings } = claudeLaunch(OPEN, { ENABLE_TOOL_SEARCH: 'false' }, {});
    expect(environment).not.toHaveProperty('ENABLE_TOOL_SEARCH');
    expect(warnings).toEqual([
      'ENABLE_TOOL_SEARCH=false is kept: all tools are then sent with each call',
    ]);
    expect(claudeLaunch(OPEN, { ENABLE_TOOL_SEARCH: 'true' }, {}).warnings).toEqual([]);
  });

  test('is told by its arguments where its settings would win over the environment', () => {
    const settings = { ANTHROPIC_BASE_URL: 'https://proxy.example' };
    expect(claudeLaunch(OPEN, {}, settings).args).toEqual([
      '--settings',
      `{"env":{"ANTHROPIC_BASE_URL":"${URL_OF_SERVICE}"}}`,
    ]);
  });

  test('cannot carry our key where its settings replace the header', () => {
    const settings = { ANTHROPIC_CUSTOM_HEADERS: 'x-team: blue' };
    expect(() => claudeLaunch(WITH_KEY, {}, settings)).toThrow(
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

describe('the settings of Claude Code', () => {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-claude-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const environment = { CLAUDE_CONFIG_DIR: folder };

  test('are read for what they put into its environment', () => {
    expect(claudeSettings(environment)).toEqual({});
    writeFileSync(join(folder, 'settings.json'), '{"env":{"A":"b"},"model":"opus"}');
    expect(claudeSettings(environment)).toEqual({ A: 'b' });
    writeFileSync(join(folder, 'settings.json'), '{"env":');
    expect(claudeSettings(environment)).toEqual({});
  });
});
