import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SettingsError } from '../src/config/settings-error.ts';
import { readSettings, refuseOpenWithoutKeys } from '../src/config.ts';
import { DEFAULT_PRICES } from '../src/domain/policy/prices.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'palimpsest-config-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function toml(text: string): Record<string, string> {
  const path = join(folder, 'palimpsest.toml');
  writeFileSync(path, text);
  return { PALIMPSEST_CONFIG: path };
}

/** The message of the SettingsError that this environment gives. */
function refusal(environment: Record<string, string>): string {
  try {
    readSettings(environment);
  } catch (error) {
    if (error instanceof SettingsError) return error.message;
    throw error;
  }
  throw new Error('the settings were accepted');
}

describe('readSettings', () => {
  it('has defaults; empty variables count as absent', () => {
    const defaults = {
      host: '127.0.0.1',
      port: 8787,
      role: 'all',
      database: { kind: 'sqlite', path: './data/palimpsest.db', synchronous: 'FULL' },
      queue: null,
      dispatch_every_ms: 60_000,
      operator_key: null,
      compaction_secret: null,
      worker_concurrency: 2,
      log_level: 'info',
      tracing: null,
      api_keys: [],
      rate_limit_per_minute: null,
      body_limit_bytes: 16 * 1024 * 1024,
      summarization_model: null,
      overrides: {},
    };
    expect(readSettings({})).toMatchObject(defaults);
    expect(
      readSettings({ PORT: '', HOST: '', PALIMPSEST_ENABLED: '', UNRELATED: 'x' }),
    ).toMatchObject(defaults);
  });

  it('reads every setting of the server', () => {
    const settings = readSettings({
      HOST: '0.0.0.0',
      PORT: '0',
      DATABASE_URL: 'file:///var/lib/p.db',
      WORKER_CONCURRENCY: '7',
      PALIMPSEST_THREADS: '3',
      LOG_LEVEL: 'debug',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
      OTEL_SERVICE_NAME: 'compactions',
      PALIMPSEST_API_KEYS: 'ann:k1, bob:k:2',
      PALIMPSEST_RATE_LIMIT_PER_MINUTE: '60',
      PALIMPSEST_BODY_LIMIT_BYTES: '2048',
      PALIMPSEST_SYNCHRONOUS: 'NORMAL',
      PALIMPSEST_SUMMARIZATION_MODEL: 'extractive',
      ROLE: 'worker',
      REDIS_URL: 'redis://:pw@queue:6379/2',
      PALIMPSEST_OPERATOR_KEY: 'an-operator-key-of-20',
      PALIMPSEST_COMPACTION_SECRET: 'a secret of thirty-two characters',
      PALIMPSEST_QUEUE_PREFIX: 'staging',
      PALIMPSEST_JOB_LOCK_SECONDS: '15',
      PALIMPSEST_DISPATCH_SECONDS: '5',
    });
    expect(settings).toMatchObject({
      host: '0.0.0.0',
      port: 0,
      role: 'worker',
      threads: 3,
      database: { kind: 'sqlite', path: '/var/lib/p.db', synchronous: 'NORMAL' },
      queue: { redis_url: 'redis://:pw@queue:6379/2', prefix: 'staging', lock_ms: 15_000 },
      dispatch_every_ms: 5_000,
      operator_key: 'an-operator-key-of-20',
      compaction_secret: 'a secret of thirty-two characters',
      worker_concurrency: 7,
      log_level: 'debug',
      tracing: { url: 'http://collector:4318/v1/traces', service_name: 'compactions' },
      api_keys: [
        { name: 'ann', key: 'k1' },
        { name: 'bob', key: 'k:2' },
      ],
      rate_limit_per_minute: 60,
      body_limit_bytes: 2048,
      summarization_model: 'extractive',
      overrides: {},
    });
  });

  it.each<[string, Record<string, string>, RegExp]>([
    ['a port out of range', { PORT: '70000' }, /^PORT: .*65535/],
    ['a port that is no number', { PORT: 'http' }, /^PORT: .*number/],
    ['no worker', { WORKER_CONCURRENCY: '0' }, /^WORKER_CONCURRENCY: /],
    ['a log level', { LOG_LEVEL: 'loud' }, /^LOG_LEVEL: .*silent/],
    ['a limit', { PALIMPSEST_BODY_LIMIT_BYTES: '5' }, /^PALIMPSEST_BODY_LIMIT_BYTES: .*1024/],
    [
      'a collector',
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4317' },
      /^OTEL_EXPORTER_OTLP_ENDPOINT: must be an address such as http:\/\/127\.0\.0\.1:4318$/,
    ],
    ['two at once', { PORT: '-1', LOG_LEVEL: 'x' }, /PORT: .*; LOG_LEVEL: /],
    [
      'another store',
      { DATABASE_URL: 'mysql://u:hunter2@h/d' },
      /^DATABASE_URL: a URL that starts with "mysql:" is not .*file:PATH .*postgres:/,
    ],
    [
      'a store that is no URL',
      { DATABASE_URL: 'palimpsest.db' },
      /^DATABASE_URL: the value is not/,
    ],
    ['a store without a name', { DATABASE_URL: 'file:' }, /^DATABASE_URL: .*names no file/],
    ['a host before a path', { DATABASE_URL: 'file://data/p.db' }, /^DATABASE_URL: .*has a host/],
    ['a home folder', { DATABASE_URL: 'file:~/p.db' }, /^DATABASE_URL: .*"~"/],
    ['parameters', { DATABASE_URL: 'file:p.db?mode=memory' }, /^DATABASE_URL: .*parameters/],
    ['a switch', { DISABLE_COMPACT: 'maybe' }, /^DISABLE_COMPACT: .*1/],
    ['another queue', { REDIS_URL: 'amqp://u:hunter2@h' }, /^REDIS_URL: .*"amqp:" .*redis:/],
    [
      'sentinels without a master',
      { REDIS_URL: 'redis+sentinel://a:1,b:2' },
      /^REDIS_URL: .*call the master/,
    ],
    [
      'several servers of Redis',
      { REDIS_URL: 'redis://u:hunter2@a:1,b:2' },
      /^REDIS_URL: .*redis\+sentinel:/,
    ],
    ['a queue database', { REDIS_URL: 'redis://h/abc' }, /^REDIS_URL: .*number of a database/],
    ['a role', { ROLE: 'boss' }, /^ROLE: .*api/],
    ['an API without a queue', { ROLE: 'api' }, /^ROLE=api needs REDIS_URL/],
    ['a worker without a queue', { ROLE: 'worker' }, /^ROLE=worker needs REDIS_URL/],
    ['a queue prefix', { PALIMPSEST_QUEUE_PREFIX: 'a:b' }, /^PALIMPSEST_QUEUE_PREFIX: .*letters/],
    ['a short key', { PALIMPSEST_OPERATOR_KEY: 'x' }, /^PALIMPSEST_OPERATOR_KEY: .*16/],
    [
      'a short secret',
      { PALIMPSEST_COMPACTION_SECRET: 'x'.repeat(31) },
      /^PALIMPSEST_COMPACTION_SECRET: .*32/,
    ],
    ['no lock', { PALIMPSEST_JOB_LOCK_SECONDS: '0' }, /^PALIMPSEST_JOB_LOCK_SECONDS: .*1/],
    ['no rounds', { PALIMPSEST_DISPATCH_SECONDS: '0' }, /^PALIMPSEST_DISPATCH_SECONDS: .*1/],
    ['a field', { PALIMPSEST_FREE_SPACE_BUFFER: '-1' }, /^PALIMPSEST_FREE_SPACE_BUFFER: /],
    ['a flag', { PALIMPSEST_ENABLED: 'perhaps' }, /^PALIMPSEST_ENABLED: .*true or false/],
    ['a list', { PALIMPSEST_SUMMARIZER_FALLBACK: 'model' }, /^PALIMPSEST_SUMMARIZER_FALLBACK: /],
    ['a percentage', { AUTOCOMPACT_PCT_OVERRIDE: '0' }, /^AUTOCOMPACT_PCT_OVERRIDE: /],
    ['a percentage', { AUTOCOMPACT_PCT_OVERRIDE: '101' }, /^AUTOCOMPACT_PCT_OVERRIDE: .*100/],
    [
      'keys of which none was put in',
      { PALIMPSEST_API_KEYS: ', ,' },
      /^PALIMPSEST_API_KEYS: names no key/,
    ],
  ])('refuses %s and names the variable', (_name, environment, message) => {
    expect(refusal(environment)).toMatch(message);
  });

  it('never repeats what may be a secret', () => {
    expect(refusal({ DATABASE_URL: 'mysql://u:hunter2@h/d' })).not.toContain('hunter2');
    expect(refusal({ REDIS_URL: 'amqp://u:hunter2@h' })).not.toContain('hunter2');
    for (const keys of ['hunter2', 'ann:k1,hunter2', ':hunter2', 'an n:hunter2', 'ann:k1,bob:']) {
      const message = refusal({ PALIMPSEST_API_KEYS: keys });
      expect(message).toMatch(/^PALIMPSEST_API_KEYS: entry [12] is not name:key/);
      expect(message).not.toContain('hunter2');
    }
  });

  it('passes over white space around values, which files of variables and mounted secrets bring', () => {
    const settings = readSettings({
      DATABASE_URL: 'file:/data/p.db\r',
      PALIMPSEST_OPERATOR_KEY: '0123456789abcdef\n',
      PALIMPSEST_ENABLED: 'false\r',
      PORT: ' ',
    });
    expect(settings).toMatchObject({
      database: { path: '/data/p.db' },
      operator_key: '0123456789abcdef',
      overrides: { enabled: false },
      port: 8787,
    });
    const sealed = { PALIMPSEST_COMPACTION_SECRET: `${'x'.repeat(32)}\n` };
    expect(readSettings(sealed).compaction_secret).toBe(sealed.PALIMPSEST_COMPACTION_SECRET);
  });

  it.each<[string, Record<string, string>, string | undefined]>([
    ['with a slash', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://all/' }, 'http://all/v1/traces'],
    ['for traces', { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://own/t' }, 'http://own/t'],
    [
      'for both',
      {
        OTEL_EXPORTER_OTLP_ENDPOINT: 'http://all',
        OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://own/t',
      },
      'http://own/t',
    ],
    [
      'switched off',
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://all', OTEL_SDK_DISABLED: 'true' },
      undefined,
    ],
    [
      'not for traces',
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://all', OTEL_TRACES_EXPORTER: 'none' },
      undefined,
    ],
  ])('takes the address of a collector as OpenTelemetry does: %s', (_name, environment, url) => {
    expect(readSettings(environment).tracing?.url).toBe(url);
  });

  it('passes over white space around keys, which no header brings', () => {
    expect(readSettings({ PALIMPSEST_API_KEYS: 'ann: k1 , bob:k2' }).api_keys).toEqual([
      { name: 'ann', key: 'k1' },
      { name: 'bob', key: 'k2' },
    ]);
  });

  it('gives a worker a free port unless one is named', () => {
    const worker = { ROLE: 'worker', REDIS_URL: 'redis://q' };
    expect(readSettings(worker).port).toBe(0);
    expect(readSettings({ ...worker, PORT: '8788' }).port).toBe(8788);
    expect(readSettings({ ...worker, ROLE: 'api' }).port).toBe(8787);
  });

  it.each([
    ['postgres://u:p@h:5432/d', { kind: 'postgres', url: 'postgres://u:p@h:5432/d' }],
    [
      'postgresql://h/d?sslmode=require',
      { kind: 'postgres', url: 'postgresql://h/d?sslmode=require' },
    ],
  ])('takes %s as a store', (DATABASE_URL, database) => {
    expect(readSettings({ DATABASE_URL }).database).toEqual(database);
  });
});

describe('refuseOpenWithoutKeys', () => {
  it('refuses the network without keys', () => {
    expect(() => refuseOpenWithoutKeys(readSettings({ HOST: '0.0.0.0' }))).toThrow(
      /^HOST=0\.0\.0\.0 .*PALIMPSEST_API_KEYS/,
    );
  });

  it.each([
    ['loopback', { HOST: '127.0.0.1' }],
    ['loopback by name', { HOST: 'localhost' }],
    ['loopback in IPv6', { HOST: '::1' }],
    ['the network with keys', { HOST: '0.0.0.0', PALIMPSEST_API_KEYS: 'a:b' }],
    [
      'a worker, which answers nothing but its health',
      { HOST: '0.0.0.0', ROLE: 'worker', REDIS_URL: 'redis://q' },
    ],
  ])('opens %s', (_name, environment) => {
    expect(() => refuseOpenWithoutKeys(readSettings(environment))).not.toThrow();
  });
});

describe('configuration fields', () => {
  it('come from the environment as what they are', () => {
    const { overrides } = readSettings({
      PALIMPSEST_AUTO_COMPACT_ENABLED: 'false',
      PALIMPSEST_AUTO_COMPACT_THRESHOLD: 'null',
      PALIMPSEST_FREE_SPACE_BUFFER: '5000',
      PALIMPSEST_TOKEN_SAFETY_MULTIPLIER: '1.5',
      PALIMPSEST_TOKEN_COUNTER: 'o200k_base',
      PALIMPSEST_MICRO_COMPACT_ELIGIBLE_TOOLS: 'Bash, Read',
      PALIMPSEST_SUMMARIZER_FALLBACK: 'micro,extractive',
      PALIMPSEST_MICRO_COMPACT_PLACEHOLDER: '[gone: {tool_use_id}]',
    });
    expect(overrides).toEqual({
      auto_compact_enabled: false,
      auto_compact_threshold: null,
      free_space_buffer: 5000,
      token_safety_multiplier: 1.5,
      token_counter: 'o200k_base',
      micro_compact_eligible_tools: ['Bash', 'Read'],
      summarizer_fallback: ['micro', 'extractive'],
      micro_compact_placeholder: '[gone: {tool_use_id}]',
    });
  });

  it.each(['1', 'true', 'yes', 'on', 'TRUE'])('DISABLE_COMPACT=%s', (DISABLE_COMPACT) => {
    const environment = { DISABLE_COMPACT, PALIMPSEST_ENABLED: 'true' };
    expect(readSettings(environment).overrides).toEqual({ enabled: false });
  });

  it.each(['0', 'false', ''])('DISABLE_COMPACT=%j leaves compaction on', (DISABLE_COMPACT) => {
    expect(readSettings({ DISABLE_COMPACT }).overrides).toEqual({});
  });

  it('AUTOCOMPACT_PCT_OVERRIDE sets the percentage; the full name goes before it', () => {
    const short = { AUTOCOMPACT_PCT_OVERRIDE: '80' };
    expect(readSettings(short).overrides).toEqual({ auto_compact_pct_override: 80 });
    const both = { ...short, PALIMPSEST_AUTO_COMPACT_PCT_OVERRIDE: '70' };
    expect(readSettings(both).overrides).toEqual({ auto_compact_pct_override: 70 });
  });

  it('name what is meant by an unknown variable, where one is near', () => {
    const refusal = (name: string) => () => readSettings({ [name]: '1' });
    expect(refusal('PALIMPSEST_THREAD')).toThrow('(did you mean PALIMPSEST_THREADS?)');
    expect(refusal('PALIMPSEST_FOO')).toThrow('unknown variable PALIMPSEST_FOO: .env.example');
  });

  it('come from [compact] of the TOML file; the environment goes before it', () => {
    const file = toml('[compact]\nrestore_max_files = 2\nfree_space_buffer = 9\n');
    expect(readSettings({ ...file, PALIMPSEST_FREE_SPACE_BUFFER: '7' }).overrides).toEqual({
      restore_max_files: 2,
      free_space_buffer: 7,
    });
    expect(readSettings(toml('')).overrides).toEqual({});
  });

  it.each([
    ['an unknown field', '[compact]\nfree_space_bufer = 1', /compact: .*"free_space_bufer"/],
    ['an unknown table', '[compakt]\nenabled = true', /"compakt"/],
    [
      'a value of the wrong kind',
      '[compact]\nenabled = 1',
      /compact\.enabled: must be true or false/,
    ],
    ['what is not TOML', '[compact', /cannot be read: /],
  ])('refuses %s in the file and names it', (_name, text, message) => {
    const environment = toml(text);
    const found = refusal(environment);
    expect(found).toContain(`PALIMPSEST_CONFIG: ${environment.PALIMPSEST_CONFIG}`);
    expect(found).toMatch(message);
  });

  it('refuses a file that is not there', () => {
    const path = join(folder, 'missing.toml');
    expect(refusal({ PALIMPSEST_CONFIG: path })).toMatch(/missing\.toml cannot be read: ENOENT/);
  });
});

describe('PALIMPSEST_PRICES', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'prices-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  function file(text: string): string {
    const path = join(folder, 'prices.json');
    writeFileSync(path, text);
    return path;
  }

  it('replaces the table that comes with the service', () => {
    expect(readSettings({}).prices).toEqual(DEFAULT_PRICES);
    const row = { model: 'local/*', input: 0, output: 0 };
    const text = JSON.stringify({ date: '2026-02-01', prices: [row] });
    expect(readSettings({ PALIMPSEST_PRICES: file(text) }).prices).toEqual({
      date: '2026-02-01',
      prices: [{ ...row, cache_read: null, cache_write: null }],
    });
  });

  it.each([
    ['{', /prices\.json cannot be read: .*JSON/],
    ['{"prices": []}', /prices\.json: date: /],
    [
      '{"date": "2026-02-01", "prices": [{"model": "gpt-4o", "input": 1, "output": 1}]}',
      /prices\.0\.model: must be provider\/model, with "\*" at its end or without/,
    ],
    [
      '{"date": "2026-02-01", "prices": [{"model": "a/b", "input": 1, "output": 1, "cached": 1}]}',
      /cached/,
    ],
  ])('refuses %s', (text, message) => {
    const said = refusal({ PALIMPSEST_PRICES: file(text) });
    expect(said).toMatch(/^PALIMPSEST_PRICES: /);
    expect(said).toMatch(message);
  });

  it('refuses a file that is not there', () => {
    expect(refusal({ PALIMPSEST_PRICES: join(folder, 'none') })).toContain(
      'cannot be read: ENOENT',
    );
  });
});
