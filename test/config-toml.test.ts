import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SettingsError } from '../src/config/settings-error.ts';
import { readSettings } from '../src/config.ts';
import { DEFAULT_MODELS } from '../src/workers/summarizers/default-model.ts';

const SECRET = 'sixteen-letters!';
const SECRETS = { HOOK_SECRET: SECRET };

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'palimpsest-config-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function settings(text: string, environment: Record<string, string> = SECRETS) {
  const path = join(folder, 'palimpsest.toml');
  writeFileSync(path, text);
  return readSettings({ PALIMPSEST_CONFIG: path, ...environment });
}

function refusal(text: string, environment: Record<string, string> = SECRETS): string {
  try {
    settings(text, environment);
  } catch (error) {
    if (error instanceof SettingsError) return error.message;
    throw error;
  }
  throw new Error('the settings were accepted');
}

const hook = (fields: Record<string, string | number | boolean> = {}) =>
  [
    '[[hooks]]',
    ...Object.entries({
      event: 'PreCompact',
      url: 'https://hooks.example/compact',
      secret_env: 'HOOK_SECRET',
      ...fields,
    }).map(([name, value]) => `${name} = ${JSON.stringify(value)}`),
    '',
  ].join('\n');

describe('[[hooks]]', () => {
  it('there are none by default', () => {
    expect(readSettings({}).hooks).toEqual([]);
    expect(settings('[compact]\n').hooks).toEqual([]);
  });

  it('are read in their order; name, required and time limit have defaults', () => {
    const second = {
      event: 'SessionStart',
      url: 'http://127.0.0.1:9000/start?team=a',
      name: 'team-notes',
      secret_env: 'PALIMPSEST_HOOK_SECRET',
      required: true,
      timeout_seconds: 2.5,
    };
    const secrets = { ...SECRETS, PALIMPSEST_HOOK_SECRET: 'another-secret-of-theirs' };
    expect(settings(hook() + hook(second), secrets).hooks).toEqual([
      {
        name: 'PreCompact-1',
        event: 'PreCompact',
        url: 'https://hooks.example/compact',
        secret: SECRET,
        required: false,
        timeout_seconds: 10,
      },
      {
        name: 'team-notes',
        event: 'SessionStart',
        url: 'http://127.0.0.1:9000/start?team=a',
        secret: 'another-secret-of-theirs',
        required: true,
        timeout_seconds: 2.5,
      },
    ]);
  });

  it('stand beside [compact] and [models]', () => {
    const read = settings(
      `[compact]\nrestore_max_files = 2\n${hook()}[models]\nopenai = "gpt-5-nano"\n`,
    );
    expect(read.overrides).toEqual({ restore_max_files: 2 });
    expect(read.hooks).toHaveLength(1);
    expect(read.models.openai).toBe('gpt-5-nano');
  });

  it('are no business of a process that runs no compactions', () => {
    const api = { ROLE: 'api', REDIS_URL: 'redis://q' };
    expect(settings(hook(), api).hooks).toEqual([]);
    expect(refusal(hook({ event: 'Stop' }), api)).toMatch(/hooks\.0\.event/);
    expect(settings(hook(), { ...api, ...SECRETS, ROLE: 'worker' }).hooks).toHaveLength(1);
  });

  it.each<[string, string, RegExp]>([
    ['an event', hook({ event: 'Stop' }), /hooks\.0\.event: .*"PreCompact"/],
    ['no URL', hook({ url: 'hooks' }), /hooks\.0\.url: must be a URL$/],
    ['another protocol', hook({ url: 'file:///etc/passwd' }), /hooks\.0\.url: .*https:/],
    ['a password in the URL', hook({ url: 'https://u:hunter2@h/' }), /hooks\.0\.url: .*password/],
    ['a name', hook({ name: 'a b' }), /hooks\.0\.name: .*letters/],
    ['an unknown field', hook({ secret: 'x' }), /hooks\.0: .*"secret"/],
    ['no variable', hook({ secret_env: 'my secret' }), /hooks\.0\.secret_env: .*variable/],
    ['no time', hook({ timeout_seconds: 0 }), /hooks\.0\.timeout_seconds: /],
    ['too much time', hook({ timeout_seconds: 61 }), /hooks\.0\.timeout_seconds: .*60/],
    [
      'what comes too late',
      hook({ event: 'PostCompact', required: true }),
      /hooks\.0\.required: .*over/,
    ],
    [
      'the second of two',
      hook() + hook({ required: 1 }),
      /hooks\.1\.required: must be true or false/,
    ],
    ['a table that is no list', '[hooks]\nevent = "PreCompact"', /hooks: .*array/],
  ])('%s is refused with its path', (_name, text, message) => {
    const found = refusal(text);
    expect(found).toMatch(/^PALIMPSEST_CONFIG: .*palimpsest\.toml: /);
    expect(found).toMatch(message);
    expect(found).not.toContain('hunter2');
  });

  it('what is no TOML is refused with its place; the line itself may hold the token of a URL', () => {
    const found = refusal(
      '[[hooks]]\nurl = "https://h/?token=hunter2\nsecret_env = "HOOK_SECRET"\n',
    );
    expect(found).toMatch(/^PALIMPSEST_CONFIG: .*palimpsest\.toml cannot be read: .*\(line 2, col/);
    expect(found).not.toContain('hunter2');
  });

  it('a name is there once, given or made', () => {
    expect(refusal(hook({ name: 'a' }) + hook({ name: 'a' }))).toMatch(
      / hooks\.1\.name: .*two hooks .*"a"/,
    );
    expect(refusal(hook({ name: 'PreCompact-2' }) + hook())).toMatch(/ hooks\.1\.name: /);
  });

  it.each([
    ['missing', {}],
    ['empty', { HOOK_SECRET: '' }],
    ['too short', { HOOK_SECRET: 'fifteen-letters' }],
  ])('a secret that is %s is refused with its variable', (_name, environment) => {
    const found = refusal(hook(), environment);
    expect(found).toMatch(/^HOOK_SECRET: hook "PreCompact-1" .*16 characters$/);
    expect(found).not.toContain('fifteen-letters');
  });

  it('only the variables that hooks name are known', () => {
    expect(refusal('', { PALIMPSEST_HOOK_SECRET: SECRET })).toMatch(
      /unknown variable PALIMPSEST_HOOK_SECRET/,
    );
  });
});

describe('[models] (TI-32, TI-39)', () => {
  it('are those of SPEC section 10 by default', () => {
    expect(readSettings({}).models).toEqual(DEFAULT_MODELS);
  });

  it('an entry takes the place of the default; "session" is the session’s own model', () => {
    const text = '[models]\nanthropic = "claude-sonnet-4-5"\ngroq = "session"\n';
    expect(settings(text).models).toEqual({
      ...DEFAULT_MODELS,
      anthropic: 'claude-sonnet-4-5',
      groq: null,
    });
  });

  it.each([
    ['an unknown provider', '[models]\nmistral = "x"', /models: .*"mistral"/],
    ['an empty name', '[models]\nopenai = ""', /models\.openai: /],
    ['no name', '[models]\nopenai = 4', /models\.openai: .*string/],
    ['a table of its own', '[models.openai]\nname = "x"', /models\.openai: .*string/],
  ])('%s is refused with its path', (_name, text, message) => {
    expect(refusal(text)).toMatch(message);
  });
});

describe('lists from the environment', () => {
  const phrases = (value: string) =>
    settings('', { PALIMPSEST_SIGNAL_TOPIC_SHIFT: value }).overrides.signal_topic_shift;

  it.each([
    ['separated by commas', 'moving on, switching to', ['moving on', 'switching to']],
    ['a JSON array', '["next,","now, let\'s"]', ['next,', "now, let's"]],
    ['a JSON array with white space', ' [ "next," ] ', ['next,']],
    ['an empty JSON array', '[]', []],
  ])('%s', (_name, value, list) => {
    expect(phrases(value)).toEqual(list);
  });

  it.each([
    ['what only starts like one', '[next,', /^PALIMPSEST_SIGNAL_TOPIC_SHIFT: .*JSON array/],
    ['other things than texts', '[1]', /^PALIMPSEST_SIGNAL_TOPIC_SHIFT: .*string/],
  ])('%s is refused', (_name, value, message) => {
    expect(refusal('', { PALIMPSEST_SIGNAL_TOPIC_SHIFT: value })).toMatch(message);
  });
});
