import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contextWindowOf } from '../../../src/domain/policy/model-table.ts';
import { ModelNameError } from '../../../src/workers/summarizers/providers.ts';
import { textModel } from '../../../src/workers/summarizers/text-models.ts';
import { ScriptedModelServer } from '../../support/scripted-model-server.ts';

describe('textModel', () => {
  let server: ScriptedModelServer;
  beforeAll(async () => {
    server = await ScriptedModelServer.start();
  });
  afterAll(() => server.close());

  it.each([
    ['groq/llama-3.3-70b-versatile', 'GROQ', 131_072],
    ['openrouter/meta-llama/llama-3.3-70b-instruct:floor', 'OPENROUTER', 131_072],
    ['ollama/llama3.2:3b', 'OLLAMA', null],
    ['openai-compatible/org/served-model', 'OPENAI', null],
    ['openai/gpt-5-mini', 'OPENAI', 400_000],
    ['Anthropic/claude-haiku-4-5', 'ANTHROPIC', 200_000],
  ])('calls %s at the address of the environment', async (spec, prefix, window) => {
    const before = server.requests.length;
    const summarizer = textModel(spec, {
      [`${prefix}_API_KEY`]: 'key-of-the-test',
      [`${prefix}_BASE_URL`]: server.openaiUrl,
    });
    const result = await summarizer.ask({
      system: 's',
      prompt: 'p',
      max_output_tokens: 100,
      timeout_ms: 30_000,
      signal: new AbortController().signal,
    });
    const [provider = '', ...model] = spec.split('/');
    expect(result).toMatchObject({
      ok: true,
      model: `${provider.toLowerCase()}/${model.join('/')}`,
    });
    const sent = server.requests[before];
    expect(sent?.body.model).toBe(model.join('/'));
    expect(JSON.stringify(sent?.headers)).toContain('key-of-the-test');
    expect(summarizer.context_window).toBe(window);
  });

  it.each([
    ['gpt-4o', {}, 'malformed', 'provider/model'],
    ['openai/', {}, 'malformed', 'provider/model'],
    ['/gpt-4o', {}, 'malformed', 'provider/model'],
    ['acme/model', {}, 'unknown_provider', 'openrouter'],
    ['openai/gpt-4o', {}, 'missing_key', 'OPENAI_API_KEY'],
    ['openai/gpt-4o', { OPENAI_API_KEY: ' ' }, 'missing_key', 'OPENAI_API_KEY'],
    ['anthropic/x', { OPENAI_API_KEY: 'k' }, 'missing_key', 'ANTHROPIC_API_KEY'],
    ['google/x', {}, 'missing_key', 'GOOGLE_GENERATIVE_AI_API_KEY or GEMINI_API_KEY'],
    ['openai-compatible/x', { OPENAI_API_KEY: 'k' }, 'missing_base_url', 'OPENAI_BASE_URL'],
  ])('refuses %s with %j: %s', (spec, env, code, named) => {
    let thrown: unknown;
    try {
      textModel(spec, env);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(ModelNameError);
    expect(thrown).toMatchObject({ code, message: expect.stringContaining(named) });
  });

  it('takes any of the names of Google keys, and a local server without a key', () => {
    const google = textModel('google/gemini-2.5-flash', { GEMINI_API_KEY: 'k' });
    expect(google.name).toBe('google/gemini-2.5-flash');
    expect(textModel('ollama/llama3', {}).name).toBe('ollama/llama3');
  });
});

describe('contextWindowOf', () => {
  it.each([
    ['gpt-4o-mini', 128_000],
    ['openai/gpt-4o-mini', 128_000],
    ['GPT-4.1', 1_047_576],
    ['gpt-5.4', 400_000],
    ['claude-sonnet-4-20250514', 200_000],
    ['claude-haiku-4-5-20251001', 200_000],
    ['us.anthropic.claude-sonnet-4-20250514-v1:0', 200_000],
    ['claude-opus-4-6', 200_000],
    ['claude-opus-4-7', 1_000_000],
    ['anthropic/claude-opus-5-5', 1_000_000],
    ['Claude-Sonnet-4-5[1m]', 1_000_000],
    ['models/gemini-2.5-pro', 1_048_576],
    ['some-model-nobody-knows', null],
    ['', null],
  ])('%s: %s', (model, tokens) => {
    expect(contextWindowOf(model)).toBe(tokens);
  });
});
