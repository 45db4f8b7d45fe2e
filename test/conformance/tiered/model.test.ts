import { describe, expect, it, onTestFinished } from 'vitest';
import type { ConfigOverrides } from '../../../src/domain/policy/config.ts';
import { resolveConfig } from '../../../src/domain/policy/profiles.ts';
import { modelTable } from '../../../src/workers/summarizers/default-model.ts';
import type { ProviderEnvironment } from '../../../src/workers/summarizers/providers.ts';
import {
  summarizerChooser,
  summarizerFromModelName,
} from '../../../src/workers/summarizers/registry.ts';
import { assistant, ofTokens, user } from '../../support/items.ts';
import { answer } from '../../support/scripted-model/behaviour.ts';
import { ScriptedModelServer } from '../../support/scripted-model-server.ts';
import { summaryAnswer } from '../../support/summary-text.ts';
import { append, compact, last } from '../lab.ts';
import { openLab } from './lab.ts';

/** Keys of all providers that have keys. */
const KEYS: ProviderEnvironment = {
  ANTHROPIC_API_KEY: 'k',
  OPENAI_API_KEY: 'k',
  GOOGLE_API_KEY: 'k',
  GROQ_API_KEY: 'k',
  OPENROUTER_API_KEY: 'k',
};

type Setting = {
  config?: ConfigOverrides;
  environment?: ProviderEnvironment;
  table?: ReturnType<typeof modelTable>;
};

/** Who summarises for a session with this model; null for the summariser without a model. */
function summarizerFor(
  model: string,
  { config: session = {}, environment = KEYS, table = modelTable({}) }: Setting = {},
): string | null {
  const choose = summarizerChooser(null, environment, table);
  const settings = { profile: 'tiered', context_window: 200_000, server: {}, session } as const;
  const choice = choose({ model, format: 'openai-chat' }, resolveConfig(settings));
  return choice.kind === 'asking' ? choice.name : null;
}

it('TI-87: what was read from a cache stands in the usage of the compaction', async () => {
  const server = await ScriptedModelServer.start(answer(summaryAnswer()));
  onTestFinished(() => server.close());
  const lab = await openLab();
  const environment = { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: server.anthropicUrl };
  const model = summarizerFromModelName('anthropic/claude-haiku-4-5', environment);
  lab.summarizer = model;
  await append(lab, user(ofTokens(3_000)), assistant('Done.'), user('Go on.'));
  const { usage } = last(await compact(lab, 'full'), 'compaction.completed').data.report;
  // The scripted provider reads a quarter of each prompt from its cache.
  expect(usage.cache_read).toBeGreaterThan(700);
  expect(usage.cache_read).toBe(Math.floor((usage.input + usage.cache_read) / 4));
});

describe('the order of preference', () => {
  it('TI-30: the configured model comes first, whatever the provider of the session', () => {
    const config = { summarization_model: 'google/gemini-2.5-pro' };
    expect(summarizerFor('claude-opus-4-5', { config })).toBe('google/gemini-2.5-pro');
  });

  it('TI-31: then the cheap one of the provider that the session uses', () => {
    expect(summarizerFor('claude-opus-4-5')).toBe('anthropic/claude-haiku-4-5');
    expect(summarizerFor('gpt-5')).toBe('openai/gpt-4o-mini');
  });

  it('TI-32, TI-39: then the model of the session, where the table names none', () => {
    const table = modelTable({ anthropic: 'session', groq: 'llama-3.1-8b-instant' });
    expect(summarizerFor('claude-opus-4-5', { table })).toBe('anthropic/claude-opus-4-5');
    expect(summarizerFor('groq/llama-4', { table })).toBe('groq/llama-3.1-8b-instant');
  });

  it('TI-32: without a key for that provider no other provider is asked', () => {
    const environment = { OPENAI_API_KEY: 'k' };
    expect(summarizerFor('claude-opus-4-5', { environment })).toBeNull();
  });
});

describe('the defaults of the providers', () => {
  const OLLAMA = { OLLAMA_BASE_URL: 'http://127.0.0.1:11434/v1' };

  it.each([
    ['TI-33, TI-87', 'Anthropic', 'claude-opus-4-5', KEYS, 'anthropic/claude-haiku-4-5'],
    ['TI-34, TI-87', 'OpenAI', 'gpt-5', KEYS, 'openai/gpt-4o-mini'],
    ['TI-35', 'Google', 'gemini-2.5-pro', KEYS, 'google/gemini-2.5-flash'],
    ['TI-36', 'Groq', 'groq/llama-4', KEYS, 'groq/llama-3.3-70b-versatile'],
    [
      'TI-37',
      'OpenRouter',
      'openrouter/anthropic/claude-opus-4',
      KEYS,
      'openrouter/meta-llama/llama-3.3-70b-instruct:floor',
    ],
    ['TI-38', 'local', 'qwen3', OLLAMA, 'ollama/qwen3'],
  ])('%s: %s, for %s', (_ids, _provider, model, environment, expected) => {
    expect(summarizerFor(model, { environment })).toBe(expected);
  });
});
