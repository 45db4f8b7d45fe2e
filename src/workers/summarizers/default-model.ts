import type { Format } from '../../domain/items/item.ts';
import {
  isConfigured,
  isProvider,
  PROVIDERS,
  type Provider,
  type ProviderEnvironment,
} from './providers.ts';

/** Which model summarises for the sessions of each provider; null: the session's own model. */
export type ModelTable = Readonly<Record<Provider, string | null>>;

/**
 * The cheapest model of each provider that summarises well enough; a local server has no other than
 * the session's own (SPEC section 10). The order is the order of preference.
 */
export const DEFAULT_MODELS: ModelTable = {
  anthropic: 'claude-haiku-4-5',
  openai: 'gpt-4o-mini',
  google: 'gemini-2.5-flash',
  groq: 'llama-3.3-70b-versatile',
  // The suffix asks for the cheapest route to that model.
  openrouter: 'meta-llama/llama-3.3-70b-instruct:floor',
  'openai-compatible': null,
  ollama: null,
};

/** As an entry of the operator's table: the session's own model. */
const SESSION_MODEL = 'session';

/** The table with the operator's entries in place of the defaults (SPEC section 10). */
export function modelTable(entries: Readonly<Partial<Record<Provider, string>>>): ModelTable {
  const models = Object.entries(entries).map(([provider, model]) => [
    provider,
    model === SESSION_MODEL ? null : model,
  ]);
  return { ...DEFAULT_MODELS, ...Object.fromEntries(models) };
}

/** Name of the summariser that needs no model; as a `summarization_model` it switches models off. */
export const EXTRACTIVE = 'extractive';

/** Which provider serves a model, by the start of its name. */
const FAMILIES: readonly (readonly [RegExp, Provider])[] = [
  [/^claude/, 'anthropic'],
  [/^(?:gpt-(?!oss)|chatgpt|codex|o\d)/, 'openai'],
  [/^(?:models\/)?gemini/, 'google'],
];

/**
 * Where sessions go whose model tells nothing: to the provider of the format, else to a local server
 * that may have that model.
 */
const FORMAT_PROVIDERS: Readonly<Record<Format, readonly Provider[]>> = {
  anthropic: ['anthropic', 'ollama'],
  'openai-responses': ['openai', 'openai-compatible', 'ollama'],
  'openai-chat': ['openai', 'openai-compatible', 'ollama'],
};

/**
 * Which model writes the summaries of a session, as `provider/model`, or null for the extractive
 * summariser (SPEC section 10): the configured one, else that of the table for the session's provider,
 * else the session's own model where the table names none. A conversation never goes to a provider that
 * neither the session nor the configuration names.
 */
export function chooseModel(
  session: {
    summarization_model: string | null;
    summarization_model_provider_id: string | null;
    model: string | null;
    format: Format;
  },
  env: ProviderEnvironment,
  table: ModelTable = DEFAULT_MODELS,
): string | null {
  if (session.summarization_model !== null) {
    return configuredModel(session.summarization_model, session.summarization_model_provider_id);
  }
  for (const provider of providersOf(session)) {
    const model = table[provider] ?? servedLocally(session.model, provider);
    if (model !== null && isConfigured(provider, env)) return withProvider(provider, model);
  }
  return null;
}

function providersOf(session: {
  summarization_model_provider_id: string | null;
  model: string | null;
  format: Format;
}): readonly Provider[] {
  const named = session.summarization_model_provider_id ?? providerOfModel(session.model ?? '');
  if (named === null) return FORMAT_PROVIDERS[session.format];
  return isProvider(named) ? [named] : [];
}

/** The session's model, unless its name says that it lives with another provider. */
function servedLocally(model: string | null, provider: Provider): string | null {
  const home = providerOfModel(model ?? '');
  return home === null || home === provider ? model : null;
}

/** The models that sessions of each provider get by default, for the start-up message. */
export function modelsByDefault(env: ProviderEnvironment, table: ModelTable): string[] {
  return PROVIDERS.filter((provider) => isConfigured(provider, env)).map((provider) =>
    withProvider(provider, table[provider] ?? "(the session's model)"),
  );
}

/** The `provider/model` that a session's own choice comes to; null when it makes none, or none of a model. */
export function chosenModel(config: {
  summarization_model?: string | null | undefined;
  summarization_model_provider_id?: string | null | undefined;
}): string | null {
  const { summarization_model: model, summarization_model_provider_id: provider } = config;
  return model == null ? null : configuredModel(model, provider ?? null);
}

function configuredModel(model: string, provider: string | null): string | null {
  if (model === EXTRACTIVE) return null;
  if (provider !== null) return withProvider(provider, model);
  const known = providerOfModel(model);
  return known === null ? model : withProvider(known, model);
}

function withProvider(provider: string, model: string): string {
  return model.startsWith(`${provider}/`) ? model : `${provider}/${model}`;
}

/** The provider that a model name states or suggests, null when it does neither. */
function providerOfModel(model: string): Provider | null {
  const prefix = model.split('/', 1)[0] ?? '';
  if (prefix !== model && isProvider(prefix)) return prefix;
  return FAMILIES.find(([pattern]) => pattern.test(model))?.[1] ?? null;
}
