import type { Format } from '../../domain/items/codecs.ts';

/** The environment variables of the providers, as the operator set them. */
export type ProviderEnvironment = Readonly<Record<string, string | undefined>>;

type ProviderRow = {
  /** Variables that may hold the key, the provider's own name first. */
  keys: readonly string[];
  baseUrl: string;
  /** Null: the address has to be set. */
  defaultBaseUrl: string | null;
  /** What is spoken at that address; see `text-models.ts`. */
  api: 'anthropic' | 'openai' | 'google' | 'chat-completions';
  /** It needs no key, and serves the window that it was started with, whatever a model could do. */
  isLocal?: true;
  /**
   * The cheapest model that summarises well enough; null: the session's own, as a local server has no
   * other (SPEC section 10).
   */
  defaultModel: string | null;
  /** How the names of its own models begin. */
  family?: RegExp;
  /**
   * Where sessions go whose model tells nothing: to the provider of the format, else to a local server
   * that may have that model.
   */
  formats?: readonly Format[];
};

const OPENAI_FORMATS = ['openai-responses', 'openai-chat'] as const;

/** All that is known of each provider. The order is the order of preference. */
const TABLE = {
  anthropic: {
    keys: ['ANTHROPIC_API_KEY'],
    baseUrl: 'ANTHROPIC_BASE_URL',
    defaultBaseUrl: 'https://api.anthropic.com/v1',
    api: 'anthropic',
    defaultModel: 'claude-haiku-4-5',
    family: /^claude/,
    formats: ['anthropic'],
  },
  openai: {
    keys: ['OPENAI_API_KEY'],
    baseUrl: 'OPENAI_BASE_URL',
    defaultBaseUrl: 'https://api.openai.com/v1',
    api: 'openai',
    defaultModel: 'gpt-4o-mini',
    family: /^(?:gpt-(?!oss)|chatgpt|codex|o\d)/,
    formats: OPENAI_FORMATS,
  },
  google: {
    keys: ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY', 'GOOGLE_API_KEY'],
    baseUrl: 'GOOGLE_BASE_URL',
    defaultBaseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    api: 'google',
    defaultModel: 'gemini-2.5-flash',
    family: /^(?:models\/)?gemini/,
  },
  groq: {
    keys: ['GROQ_API_KEY'],
    baseUrl: 'GROQ_BASE_URL',
    defaultBaseUrl: 'https://api.groq.com/openai/v1',
    api: 'chat-completions',
    defaultModel: 'llama-3.3-70b-versatile',
  },
  openrouter: {
    keys: ['OPENROUTER_API_KEY'],
    baseUrl: 'OPENROUTER_BASE_URL',
    defaultBaseUrl: 'https://openrouter.ai/api/v1',
    api: 'chat-completions',
    // The suffix asks for the cheapest route to that model.
    defaultModel: 'meta-llama/llama-3.3-70b-instruct:floor',
  },
  'openai-compatible': {
    keys: ['OPENAI_API_KEY'],
    baseUrl: 'OPENAI_BASE_URL',
    defaultBaseUrl: null,
    api: 'chat-completions',
    isLocal: true,
    defaultModel: null,
    formats: OPENAI_FORMATS,
  },
  ollama: {
    keys: ['OLLAMA_API_KEY'],
    baseUrl: 'OLLAMA_BASE_URL',
    defaultBaseUrl: 'http://127.0.0.1:11434/v1',
    api: 'chat-completions',
    isLocal: true,
    defaultModel: null,
    formats: ['anthropic', ...OPENAI_FORMATS, 'ai-sdk'],
  },
} as const satisfies Record<string, ProviderRow>;

export type Provider = keyof typeof TABLE;
export const PROVIDER_TABLE: Readonly<Record<Provider, ProviderRow>> = TABLE;
// The keys of an object literal are its own.
export const PROVIDERS = Object.keys(TABLE) as Provider[];

export type ProviderAccess = { apiKey: string | null; baseUrl: string };

/** A model name or an environment that cannot be used. `message` says what to change. */
export class ModelNameError extends Error {
  override readonly name = 'ModelNameError';
  readonly code: 'malformed' | 'unknown_provider' | 'missing_key' | 'missing_base_url';

  constructor(code: ModelNameError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

export function isProvider(value: string): value is Provider {
  return Object.hasOwn(TABLE, value);
}

/** Key and address of a provider. Throws `ModelNameError` naming the variable that is missing. */
export function providerAccess(provider: Provider, env: ProviderEnvironment): ProviderAccess {
  const { keys, isLocal, ...row } = PROVIDER_TABLE[provider];
  const apiKey = apiKeyOf(provider, env);
  if (apiKey === null && !isLocal) {
    throw new ModelNameError('missing_key', `provider ${provider} needs ${keys.join(' or ')}`);
  }
  const baseUrl = settingOf(env, row.baseUrl) ?? row.defaultBaseUrl;
  if (baseUrl === null) {
    throw new ModelNameError('missing_base_url', `provider ${provider} needs ${row.baseUrl}`);
  }
  return { apiKey, baseUrl: provider === 'anthropic' ? versioned(baseUrl) : baseUrl };
}

/**
 * What the operator has to set before a provider can be asked, or null when it is set up: its key where
 * it needs one, else its address (a local server that nobody mentioned must not be tried).
 */
export function missingSetting(provider: Provider, env: ProviderEnvironment): string | null {
  const { keys, isLocal, baseUrl } = PROVIDER_TABLE[provider];
  if (!isLocal) return apiKeyOf(provider, env) === null ? keys.join(' or ') : null;
  return settingOf(env, baseUrl) === null ? baseUrl : null;
}

export function isConfigured(provider: Provider, env: ProviderEnvironment): boolean {
  return missingSetting(provider, env) === null;
}

/** Whether a provider has an address of its own, so that naming it is enough where it needs no key. */
export function isUsableByName(provider: Provider): boolean {
  const { isLocal, defaultBaseUrl } = PROVIDER_TABLE[provider];
  return isLocal === true && defaultBaseUrl !== null;
}

function apiKeyOf(provider: Provider, env: ProviderEnvironment): string | null {
  for (const variable of PROVIDER_TABLE[provider].keys) {
    const key = settingOf(env, variable);
    if (key !== null) return key;
  }
  return null;
}

/** Empty means unset, as `.env` files leave variables that nobody filled in. */
function settingOf(env: ProviderEnvironment, variable: string): string | null {
  return env[variable]?.trim() || null;
}

/** Anthropic's own SDK wants the address without `/v1`, the AI SDK with it: take both. */
function versioned(baseUrl: string): string {
  const trimmed = baseUrl.replace(/\/$/, '');
  return trimmed.endsWith('/v1') ? trimmed : `${trimmed}/v1`;
}
