import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { readSettings } from '../../../src/config.ts';
import { isJsonObject, type JsonObject } from '../../../src/domain/json.ts';
import type { ConfigOverrides } from '../../../src/domain/policy/config.ts';
import { profileConfig } from '../../../src/domain/policy/profiles.ts';
import { type ApiServer, send, startApi } from '../../support/api-server.ts';
import { WINDOW } from '../lab.ts';
import { assistant, reporting, shells } from './lab.ts';

/** The fields of the struct in its order: row, name, default, and another value that fits. */
const FIELDS = [
  ['CV-152', 'enabled', true, false],
  ['CV-153', 'auto_compact_enabled', true, false],
  ['CV-154', 'auto_compact_threshold', null, 150_000],
  ['CV-155', 'auto_compact_pct_override', null, 80],
  ['CV-156', 'free_space_buffer', 13_000, 14_000],
  ['CV-157', 'warning_threshold', 20_000, 21_000],
  ['CV-158', 'micro_compact_min_tokens_to_save', 20_000, 22_000],
  ['CV-159', 'micro_compact_keep_last_n_tools', 3, 4],
  ['CV-160', 'summarization_model', null, 'gpt-5-nano'],
  ['CV-161', 'summarization_model_provider_id', null, 'openai'],
  ['CV-162', 'restore_max_files', 5, 6],
  ['CV-163', 'restore_tokens_per_file', 5_000, 6_000],
  ['CV-164', 'restore_total_file_budget', 50_000, 60_000],
  ['CV-165', 'restore_todos', true, false],
  ['CV-165', 'restore_plan', true, false],
  ['CV-166', 'token_safety_multiplier', 1.33, 1.5],
  ['CV-167', 'approx_bytes_per_token', 4, 3],
  ['CV-168', 'tokens_per_image', 2_000, 1_500],
  ['CV-169', 'user_message_max_tokens', 20_000, 30_000],
] as const;

const DEFAULTS = Object.fromEntries(FIELDS.map(([, name, value]) => [name, value]));
const OTHERS = Object.fromEntries(FIELDS.map(([, name, , other]) => [name, other]));

let api: ApiServer;
afterEach(() => api.close());

/** A server with these overrides, and a session of the profile on it. */
async function serve(server: ConfigOverrides = {}, config: JsonObject = {}): Promise<void> {
  api = await startApi({ world: { server, tokenizers: {} } });
  const body = { id: 's', profile: 'codex-v2', format: 'openai-responses', config };
  expect((await send(api, 'POST', '/sessions', { body })).status).toBe(201);
}

async function configOf(id = 's'): Promise<JsonObject> {
  const { config } = (await send(api, 'GET', `/sessions/${id}`)).body;
  if (!isJsonObject(config)) throw new Error('the session has no configuration');
  return config;
}

const fill = (tokens: number) =>
  send(api, 'POST', '/sessions/s/items', { body: reporting(tokens) });

describe('CompactConfig', () => {
  it('CV-170: the nineteen fields of the struct, all with a default, in GET /profiles', async () => {
    await serve();
    const { body } = await send(api, 'GET', '/profiles');
    const profiles = Array.isArray(body.data) ? body.data.filter(isJsonObject) : [];
    const config = profiles.find(({ name }) => name === 'codex-v2')?.config;
    expect(Object.keys(DEFAULTS)).toHaveLength(19);
    expect(config).toMatchObject(DEFAULTS);
  });

  it.each(FIELDS)('%s: %s is %j by default, and can be %j', async (_id, name, value, other) => {
    await serve();
    expect((await configOf())[name]).toBe(value);
    const body = { config: { [name]: other } };
    expect((await send(api, 'PATCH', '/sessions/s', { body })).status).toBe(200);
    expect(await configOf()).toMatchObject({ ...DEFAULTS, [name]: other });
  });

  it('CV-152: enabled: false is nothing at all, by hand neither', async () => {
    await serve({}, { enabled: false });
    expect((await fill(400_000)).body.compaction).toBeNull();
    const reply = await send(api, 'POST', '/sessions/s/compact', { body: { mode: 'full' } });
    expect(reply.status).toBe(409);
  });

  it('CV-153: auto_compact_enabled: false leaves compactions by hand', async () => {
    await serve({}, { auto_compact_enabled: false });
    expect((await fill(400_000)).body.compaction).toBeNull();
    const reply = await send(api, 'POST', '/sessions/s/compact', { body: { mode: 'full' } });
    expect(reply.status).toBe(202);
  });

  it.each<[string, JsonObject]>([
    ['CV-150', { keep_last_n_tools: 3 }],
    ['CV-150', { autoCompactEnabled: true }],
    ['CV-103, CV-171', { auto_compact_pct_override: 0 }],
    ['CV-103, CV-171', { auto_compact_pct_override: 101 }],
    ['CV-103, CV-171', { auto_compact_pct_override: -1 }],
    ['CV-171', { micro_compact_keep_last_n_tools: -1 }],
    ['CV-171', { restore_max_files: 1.5 }],
    ['CV-171', { token_safety_multiplier: 0.5 }],
    ['CV-171', { enabled: 'yes' }],
  ])('%s: %j is refused, with the name of the field', async (_id, config) => {
    await serve();
    const [name = ''] = Object.keys(config);
    const reply = await send(api, 'PATCH', '/sessions/s', { body: { config } });
    expect(reply.status).toBe(400);
    expect(reply.text).toContain(name);
    expect(await configOf()).toMatchObject(DEFAULTS);
  });

  it('CV-112: the window is that of the model that the session names', async () => {
    api = await startApi();
    const body = { id: 's', profile: 'codex-v2', format: 'openai-responses', model: 'known-model' };
    await send(api, 'POST', '/sessions', { body });
    expect((await fill(50_999)).body.context).toMatchObject({ limit: 51_000 });
    expect((await fill(51_000)).body.compaction).toMatchObject({ trigger: 'auto' });
  });

  it('CV-173: the configuration in force can be posted back', async () => {
    await serve({}, OTHERS);
    const config = await configOf();
    const body = { id: 'twin', profile: 'codex-v2', config };
    expect((await send(api, 'POST', '/sessions', { body })).status).toBe(201);
    expect(await configOf('twin')).toEqual(config);
  });
});

describe('TOML', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'palimpsest-codex-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** What a server takes from a file with this text. */
  function overridesFrom(text: string): ConfigOverrides {
    const path = join(folder, 'palimpsest.toml');
    writeFileSync(path, text);
    return readSettings({ PALIMPSEST_CONFIG: path }).overrides;
  }

  it.each<[string, () => ConfigOverrides]>([
    ['no file', () => readSettings({}).overrides],
    ['a file without the table', () => overridesFrom('# nothing here\n')],
    ['an empty table', () => overridesFrom('[compact]\n')],
  ])('CV-151, CV-172: %s: all by default', async (_name, overrides) => {
    await serve(overrides());
    expect(await configOf()).toEqual(profileConfig('codex-v2', WINDOW));
  });

  it('CV-151, CV-172: one field: the others by default', async () => {
    await serve(overridesFrom('[compact]\nfree_space_buffer = 50_000\n'));
    expect(await configOf()).toMatchObject({ ...DEFAULTS, free_space_buffer: 50_000 });
    expect((await fill(150_000)).body.compaction).toMatchObject({ trigger: 'auto' });
  });

  it('CV-172: all nineteen fields', async () => {
    const lines = Object.entries(OTHERS).map(
      ([name, value]) => `${name} = ${JSON.stringify(value)}`,
    );
    await serve(overridesFrom(['[compact]', ...lines, ''].join('\n')));
    expect(await configOf()).toMatchObject(OTHERS);
  });

  it.each([
    ['CV-150', 'keep_last_n_tools = 3', 'keep_last_n_tools'],
    ['CV-103, CV-171', 'auto_compact_pct_override = 101', 'auto_compact_pct_override'],
  ])('%s: %s is refused, with the name of the field', async (_id, line, name) => {
    await serve();
    expect(() => overridesFrom(`[compact]\n${line}\n`)).toThrow(name);
  });
});

describe('the switches', () => {
  /** Results that profile `codex-v2` clears further than `default` would, and talk besides. */
  const ITEMS = [assistant('Looking.'), ...shells(30_000, 9_000, 9_000, 9_000, 9_000)];

  async function clearedBy(profile: string): Promise<number> {
    await send(api, 'PATCH', '/sessions/s', { body: { profile } });
    await send(api, 'POST', '/sessions/s/items', { body: ITEMS });
    await send(api, 'POST', '/sessions/s/compact', { body: { mode: 'micro' } });
    const job = api.dispatched.at(-1);
    await api.work(job);
    const { body } = await send(api, 'GET', `/sessions/s/compactions/${job?.compaction_id}`);
    return Array.isArray(body.cleared_tool_results) ? body.cleared_tool_results.length : 0;
  }

  it.each([
    ['codex-v2', 2],
    ['default', 1],
  ])('CV-01: a session that changes to %s is compacted by it from then on', async (profile, n) => {
    api = await startApi();
    const body = { id: 's', format: 'openai-responses', profile: 'claude-code' };
    await send(api, 'POST', '/sessions', { body });
    expect(await clearedBy(profile)).toBe(n);
  });

  it('CV-04, CV-05: profile and micro-compaction are on once the profile is chosen', async () => {
    await serve();
    expect(await configOf()).toMatchObject({ enabled: true, micro_compact_enabled: true });
    expect((await fill(187_000)).body.compaction).toMatchObject({ mode: 'auto' });
  });

  it('CV-05: nobody has the profile without choosing it', async () => {
    api = await startApi();
    const { body } = await send(api, 'POST', '/sessions', { body: { id: 's' } });
    expect(body.profile).toBe('default');
  });
});
