import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readSettings } from '../../../src/config.ts';
import { profileConfig } from '../../../src/domain/policy/profiles.ts';
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
    readFileSync(new URL(`../../../docs/${name}`, import.meta.url), 'utf8');

  it.each([
    ['configuration.md', 'manual_commands'],
    ['configuration.md', 'auto_compact_token_limit'],
    ['configuration.md', 'auto_compact_min_messages'],
    ['configuration.md', 'PALIMPSEST_CONFIG'],
    ['api.md', '/codex-compact'],
    ['profiles.md', 'only when you set `auto_compact_token_limit`'],
  ])('CL-61: %s tells of %s', (name, words) => {
    expect(document(name)).toContain(words);
  });
});
