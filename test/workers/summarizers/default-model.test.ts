import { describe, expect, it } from 'vitest';
import {
  chooseModel,
  DEFAULT_MODELS,
  modelsByDefault,
  modelTable,
} from '../../../src/workers/summarizers/default-model.ts';

const anthropic = { ANTHROPIC_API_KEY: 'a' };
const openai = { OPENAI_API_KEY: 'o' };
const google = { GEMINI_API_KEY: 'g' };
const unset = {
  summarization_model: null,
  summarization_model_provider_id: null,
  model: null,
  format: 'anthropic',
} as const;

describe('chooseModel', () => {
  it.each([
    ['a full name', { summarization_model: 'groq/x' }, {}, 'groq/x'],
    ['a name that tells its provider', { summarization_model: 'gpt-4o' }, {}, 'openai/gpt-4o'],
    [
      'a name and a provider',
      { summarization_model: 'openai/gpt-4o', summarization_model_provider_id: 'openrouter' },
      {},
      'openrouter/openai/gpt-4o',
    ],
    ['a name nobody knows', { summarization_model: 'mystery' }, {}, 'mystery'],
    ['extractive', { summarization_model: 'extractive' }, anthropic, null],
    [
      'only a provider',
      { summarization_model_provider_id: 'google' },
      { ...anthropic, ...google },
      'google/gemini-2.5-flash',
    ],
  ])('configured: %s', (_name, session, env, expected) => {
    expect(chooseModel({ ...unset, ...session }, env)).toBe(expected);
  });

  it.each([
    ['format anthropic', {}, { ...openai, ...anthropic }, 'anthropic/claude-haiku-4-5'],
    [
      'format openai-chat',
      { format: 'openai-chat' },
      { ...anthropic, ...openai },
      'openai/gpt-4o-mini',
    ],
    [
      'the model over the format',
      { format: 'openai-chat', model: 'gemini-2.5-pro' },
      { ...anthropic, ...openai, ...google },
      'google/gemini-2.5-flash',
    ],
    [
      'a model with its provider',
      { model: 'groq/llama-3.1-8b-instant' },
      { ...anthropic, GROQ_API_KEY: 'q' },
      'groq/llama-3.3-70b-versatile',
    ],
    [
      'no other provider that has a key',
      { model: 'claude-opus-4' },
      { ...openai, ...google },
      null,
    ],
    ['no other provider, by format', { format: 'openai-chat' }, { ...anthropic, ...google }, null],
    [
      'no other provider, by configuration',
      { summarization_model_provider_id: 'google' },
      anthropic,
      null,
    ],
    ['a provider nobody knows', { summarization_model_provider_id: 'acme' }, anthropic, null],
    [
      'a model nobody knows, on the OpenAI-compatible server',
      { format: 'openai-chat', model: 'qwen3' },
      { OPENAI_BASE_URL: 'http://127.0.0.1:8000/v1' },
      'openai-compatible/qwen3',
    ],
    [
      'nothing for another format there',
      { model: 'qwen3' },
      { OPENAI_BASE_URL: 'http://127.0.0.1:8000/v1' },
      null,
    ],
    ['no key', { model: 'claude-opus-4' }, {}, null],
    ['an empty key', {}, { ANTHROPIC_API_KEY: '' }, null],
  ] as const)('by default: %s', (_name, session, env, expected) => {
    expect(chooseModel({ ...unset, ...session }, env)).toBe(expected);
  });

  it.each([
    ['its own model', 'qwen3:8b', 'ollama/qwen3:8b'],
    ['an open model with a maker name', 'gpt-oss:20b', 'ollama/gpt-oss:20b'],
    ['a model with its provider', 'ollama/qwen3', 'ollama/qwen3'],
    ['a model that lives elsewhere', 'claude-opus-4', null],
    ['no model', null, null],
  ])('a local server serves %s', (_name, model, expected) => {
    const env = { OLLAMA_BASE_URL: 'http://127.0.0.1:11434/v1' };
    expect(chooseModel({ ...unset, model }, env)).toBe(expected);
  });

  it('takes the table of the operator; the other entries stay', () => {
    const table = modelTable({ anthropic: 'claude-3-haiku-20240307' });
    expect(chooseModel(unset, anthropic, table)).toBe('anthropic/claude-3-haiku-20240307');
    expect(table).toEqual({ ...DEFAULT_MODELS, anthropic: 'claude-3-haiku-20240307' });
  });

  it.each([
    ['its own model', 'claude-opus-4-1', 'anthropic/claude-opus-4-1'],
    ['nothing where it names none', null, null],
    ['nothing of another provider without a key', 'gpt-4o', null],
  ])('an entry "session" gives a session %s', (_name, model, expected) => {
    const table = modelTable({ anthropic: 'session', openai: 'session' });
    expect(chooseModel({ ...unset, model }, anthropic, table)).toBe(expected);
  });

  it('tells the defaults of the providers that are set up', () => {
    expect(modelsByDefault({}, DEFAULT_MODELS)).toEqual([]);
    const env = { ...google, OLLAMA_BASE_URL: 'http://127.0.0.1:11434/v1' };
    expect(modelsByDefault(env, modelTable({ google: 'gemini-2.5-pro' }))).toEqual([
      'google/gemini-2.5-pro',
      "ollama/(the session's model)",
    ]);
  });
});
