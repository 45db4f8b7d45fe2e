import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readSettings } from '../../../src/config.ts';
import type { Item } from '../../../src/domain/items/item.ts';
import type { ConfigOverrides } from '../../../src/domain/policy/config.ts';
import { profileConfig } from '../../../src/domain/policy/profiles.ts';
import { HOOK_SECRET } from '../../support/hook-server.ts';
import { user } from '../../support/items.ts';
import { WINDOW } from '../lab.ts';
import { appendTo, turns } from './lab.ts';

const QUESTION = [...turns(10), user('And now?')];
const COMMAND = [...turns(3), user('/compact')];

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'palimpsest-classic-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A server with such a file. */
function serverWith(...lines: string[]) {
  const path = join(folder, 'palimpsest.toml');
  writeFileSync(path, lines.join('\n'));
  return { server: readSettings({ PALIMPSEST_CONFIG: path }).overrides, tokenizers: {} };
}

describe('the settings', () => {
  it('CL-20, CL-21, CL-22: the three, and what they are by default', () => {
    expect(profileConfig('codex-classic', WINDOW)).toMatchObject({
      manual_commands: true,
      auto_compact_token_limit: null,
      auto_compact_min_messages: 8,
    });
    expect(appendTo(COMMAND).answer.compaction).not.toBeNull();
    expect(appendTo(QUESTION).answer.compaction).toBeNull();
  });

  it('CL-20: without manual commands a command is plain text', () => {
    const { answer, events } = appendTo(COMMAND, { manual_commands: false });
    expect(answer.compaction).toBeNull();
    expect(events.at(-1)?.data).not.toHaveProperty('excluded');
  });

  it('CL-20: they have nothing to do with automatic ones', () => {
    const config = { manual_commands: false, auto_compact_token_limit: 1_000 };
    expect(appendTo(QUESTION, config).answer.compaction).toMatchObject({ trigger: 'auto' });
  });

  it('CL-21, CL-61, CL-66: a file switches automatic compaction on, for all sessions', () => {
    const world = serverWith('[compact]', 'auto_compact_token_limit = 1000');
    expect(appendTo(QUESTION, {}, { world }).answer.compaction).toMatchObject({
      reason: 'token_limit',
    });
  });

  it('CL-66: so does a variable of the environment', () => {
    const server = readSettings({ PALIMPSEST_AUTO_COMPACT_TOKEN_LIMIT: '1000' }).overrides;
    const world = { server, tokenizers: {} };
    expect(appendTo(QUESTION, {}, { world }).answer.compaction).toMatchObject({
      reason: 'token_limit',
    });
  });

  it('CL-72: commands and automatic ones are switched each on its own, and both together', () => {
    const limit = { auto_compact_token_limit: 1_000 };
    const reasonOf = (items: Item[], config: ConfigOverrides) =>
      appendTo(items, config).answer.compaction?.reason ?? null;
    expect(reasonOf(COMMAND, limit)).toBe('command');
    expect(reasonOf(QUESTION, limit)).toBe('token_limit');
    expect(reasonOf(COMMAND, { ...limit, manual_commands: false })).toBeNull();
    expect(reasonOf(QUESTION, { auto_compact_token_limit: null })).toBeNull();
    expect(reasonOf(COMMAND, { ...limit, enabled: false })).toBeNull();
    expect(reasonOf(QUESTION, { ...limit, enabled: false })).toBeNull();
  });

  it('CL-66: a session may have settings of its own', () => {
    const world = serverWith('[compact]', 'auto_compact_token_limit = 1000');
    const config = { auto_compact_token_limit: null };
    expect(appendTo(QUESTION, config, { world }).answer.compaction).toBeNull();
  });

  it('CL-66: all three can stand in the file', () => {
    const world = serverWith(
      '[compact]',
      'manual_commands = false',
      'auto_compact_token_limit = 1000',
      'auto_compact_min_messages = 100',
    );
    expect(appendTo(COMMAND, {}, { world }).answer.compaction).toBeNull();
    expect(appendTo(QUESTION, {}, { world }).answer.compaction).toBeNull();
  });
});

describe('the documentation', () => {
  const document = (name: string) =>
    readFileSync(new URL(`../../../${name}`, import.meta.url), 'utf8');

  it.each([
    ['docs/configuration.md', 'manual_commands'],
    ['docs/configuration.md', 'auto_compact_token_limit'],
    ['docs/configuration.md', 'auto_compact_min_messages'],
    ['docs/configuration.md', 'PALIMPSEST_CONFIG'],
    ['docs/api.md', '/codex-compact'],
    ['docs/commands.md', '/codex-compact'],
    ['docs/commands.md', 'manual_commands'],
    ['docs/commands.md', 'auto_compact_token_limit'],
    ['docs/commands.md', 'auto_compact_min_messages'],
    ['docs/commands.md', '[TOML file](configuration.md#server)'],
    ['README.md', '(docs/commands.md)'],
  ])('CL-61: %s tells of %s', (name, words) => {
    expect(document(name)).toContain(words);
  });

  it('CL-71: the snippet of configuration is one that a server takes', () => {
    const [, snippet = ''] = /```toml\n([\s\S]*?)```/.exec(document('docs/configuration.md')) ?? [];
    const path = join(folder, 'snippet.toml');
    writeFileSync(path, snippet);
    const settings = readSettings({ PALIMPSEST_CONFIG: path, HOOK_SECRET });
    expect(settings.overrides).toEqual({
      micro_compact_keep_last_n_tools: 5,
      restore_max_files: 3,
    });
  });

  it('CL-71: the example of use compacts', () => {
    const page = document('docs/commands.md');
    const [, session = ''] = /-d '(\{\s*"id": "chat"[\s\S]*?)'\n/.exec(page) ?? [];
    const { profile, config } = JSON.parse(session);
    expect(profile).toBe('codex-classic');
    const [, items = ''] = /-d '(\[\{.*"\/compact .*\}\])'/.exec(page) ?? [];
    const { answer } = appendTo([...turns(3), ...JSON.parse(items)], config);
    expect(answer.compaction).toMatchObject({ mode: 'full', reason: 'command' });
  });
});
