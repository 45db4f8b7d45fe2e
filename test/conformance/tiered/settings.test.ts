import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readSettings } from '../../../src/config.ts';
import { profileConfig, resolveConfig } from '../../../src/domain/policy/profiles.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'palimpsest-tiered-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** What a server reads from such a file. */
function settings(...lines: string[]) {
  const path = join(folder, 'palimpsest.toml');
  writeFileSync(path, lines.join('\n'));
  return readSettings({ PALIMPSEST_CONFIG: path });
}

/** The configuration of sessions of profile `tiered` on that server. */
function configFrom(...lines: string[]) {
  const { overrides } = settings(...lines);
  return resolveConfig({
    profile: 'tiered',
    context_window: 200_000,
    server: overrides,
    session: {},
  });
}

describe('the table in the file', () => {
  it('TI-11, TI-40, TI-74: what holds without any', () => {
    expect(profileConfig('tiered', 200_000)).toMatchObject({
      summarization_model: null,
      auto_compact_enabled: true,
      protected_messages: 12,
    });
  });

  it('TI-70, TI-73: its three fields are three of ours', () => {
    const config = configFrom(
      '[compact]',
      'summarization_model = "google/gemini-2.5-flash"',
      'auto_compact_enabled = false',
      'protected_messages = 20',
    );
    expect(config).toMatchObject({
      summarization_model: 'google/gemini-2.5-flash',
      auto_compact_enabled: false,
      protected_messages: 20,
    });
  });

  it.each([
    [['[compaction]', 'auto = true'], /compaction/],
    [['[compact]', 'auto = true'], /compact.*auto/],
  ])('TI-73: names that are not ours are refused: %j', (lines, message) => {
    expect(() => settings(...lines)).toThrow(message);
  });

  it.each([
    ['empty', ['summarization_model = ""', 'summarization_model_provider_id = ""']],
    ['left out', []],
  ])('TI-40: a model that is %s is chosen', (_name, lines) => {
    expect(configFrom('[compact]', ...lines)).toMatchObject({
      summarization_model: null,
      summarization_model_provider_id: null,
    });
  });

  it('TI-39: the table of models can be replaced', () => {
    const { models } = settings('[models]', 'anthropic = "session"', 'groq = "llama-3.1-8b"');
    expect(models).toMatchObject({
      anthropic: null,
      groq: 'llama-3.1-8b',
      openai: 'gpt-4o-mini',
    });
  });
});
