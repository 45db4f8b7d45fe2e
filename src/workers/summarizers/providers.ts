/** The environment variables of the providers, as the operator set them. */
export type ProviderEnvironment = Readonly<Record<string, string | undefined>>;

export const PROVIDERS = [
  'anthropic',
  'openai',
  'google',
  'groq',
  'openrouter',
  'openai-compatible',
  'ollama',
] as const;
export type Provider = (typeof PROVIDERS)[number];

type Access = {
  /** Variables that may hold the key, the provider's own name first. */
  keys: readonly string[];
  isKeyNeeded: boolean;
  baseUrl: string;
  /** Null: the address has to be set. */
  defaultBaseUrl: string | null;
};

const ACCESS: Record<Provider, Access> = {
  anthropic: {
    keys: ['ANTHROPIC_API_KEY'],
    isKeyNeeded: true,
    baseUrl: 'ANTHROPIC_BASE_URL',
    defaultBaseUrl: 'https://api.anthropic.com/v1',
  },
  openai: {
    keys: ['OPENAI_API_KEY'],
    isKeyNeeded: true,
    baseUrl: 'OPENAI_BASE_URL',
    defaultBaseUrl: 'https://api.openai.com/v1',
  },
  google: {
    keys: ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY', 'GOOGLE_API_KEY'],
    isKeyNeeded: true,
    baseUrl: 'GOOGLE_BASE_URL',
    defaultBaseUrl: 'https://generativelanguage.googleapis.com/v1beta',
  },
  groq: {
    keys: ['GROQ_API_KEY'],
    isKeyNeeded: true,
    baseUrl: 'GROQ_BASE_URL',
    defaultBaseUrl: 'https://api.groq.com/openai/v1',
  },
  openrouter: {
    keys: ['OPENROUTER_API_KEY'],
    isKeyNeeded: true,
    baseUrl: 'OPENROUTER_BASE_URL',
    defaultBaseUrl: 'https://openrouter.ai/api/v1',
  },
  'openai-compatible': {
    keys: ['OPENAI_API_KEY'],
    isKeyNeeded: false,
    baseUrl: 'OPENAI_BASE_URL',
    defaultBaseUrl: null,
  },
  ollama: {
    keys: ['OLLAMA_API_KEY'],
    isKeyNeeded: false,
    baseUrl: 'OLLAMA_BASE_URL',
    defaultBaseUrl: 'http://127.0.0.1:11434/v1',
  },
};

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
  return PROVIDERS.some((provider) => provider === value);
}

/** Key and address of a provider. Throws `ModelNameError` naming the variable that is missing. */
export function providerAccess(provider: Provider, env: ProviderEnvironment): ProviderAccess {
  const access = ACCESS[provider];
  const apiKey = apiKeyOf(provider, env);
  if (apiKey === null && access.isKeyNeeded) {
    throw new ModelNameError(
      'missing_key',
      `provider ${provider} needs ${access.keys.join(' or ')}`,
    );
  }
  const baseUrl = settingOf(env, access.baseUrl) ?? access.defaultBaseUrl;
  if (baseUrl === null) {
    throw new ModelNameError('missing_base_url', `provider ${provider} needs ${access.baseUrl}`);
  }
  return { apiKey, baseUrl: provider === 'anthropic' ? versioned(baseUrl) : baseUrl };
}

/**
 * What the operator has to set before a provider can be asked, or null when it is set up: its key where
 * it needs one, else its address (a local server that nobody mentioned must not be tried).
 */
export function missingSetting(provider: Provider, env: ProviderEnvironment): string | null {
  const access = ACCESS[provider];
  if (access.isKeyNeeded) return apiKeyOf(provider, env) === null ? access.keys.join(' or ') : null;
  return settingOf(env, access.baseUrl) === null ? access.baseUrl : null;
}

export function isConfigured(provider: Provider, env: ProviderEnvironment): boolean {
  return missingSetting(provider, env) === null;
}

/** Whether a provider has an address of its own, so that naming it is enough where it needs no key. */
export function isUsableByName(provider: Provider): boolean {
  return !ACCESS[provider].isKeyNeeded && ACCESS[provider].defaultBaseUrl !== null;
}

function apiKeyOf(provider: Provider, env: ProviderEnvironment): string | null {
  for (const variable of ACCESS[provider].keys) {
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
