import { parse } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { claudeLaunch } from '../../../src/cli/wrap/claude.ts';
import { readText } from '../../house/sources.ts';

const blocks = (document: string, language: string) =>
  [...readText(document).matchAll(new RegExp(`\`\`\`${language}\\n([^\`]+)\`\`\``, 'g'))].map(
    ([, text = '']) => text,
  );

describe('docs/claude-code.md', () => {
  test('its settings name hooks that Claude Code has, and our command', () => {
    const hook = z.object({
      type: z.literal('command'),
      command: z.literal('palimpsest hook claude'),
    });
    const entry = z.array(z.object({ hooks: z.array(hook).length(1) })).length(1);
    const settings = z.object({
      hooks: z.strictObject({ PreCompact: entry, SessionStart: entry, PostCompact: entry }),
    });
    const [json = ''] = blocks('docs/claude-code.md', 'json');
    settings.parse(JSON.parse(json));
  });

  test('its line by hand sets what wrap sets', () => {
    const line =
      blocks('docs/claude-code.md', '').find((text) => text.startsWith('ANTHROPIC')) ?? '';
    const { environment } = claudeLaunch({ url: 'http://127.0.0.1:8787', key: null }, {}, {}, true);
    expect(line.trim()).toBe(
      [...Object.entries(environment).map((pair) => pair.join('=')), 'claude'].join(' '),
    );
  });
});

describe('docs/codex.md', () => {
  test('its configuration is what wrap overrides', () => {
    const [toml = ''] = blocks('docs/codex.md', 'toml');
    expect(parse(toml)).toEqual({ openai_base_url: 'http://127.0.0.1:8787/v1' });
  });
});
