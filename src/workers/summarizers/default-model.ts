import type { Format } from '../../domain/items/item.ts';
import { isConfigured, isProvider, type Provider, type ProviderEnvironment } from './providers.ts';

/**
 * The cheapest model of each provider that summarises well enough; null: the session's own model,
 * since a local server has no other (SPEC section 10). The order is the order of preference.
 */
export const DEFAULT_MODELS: Readonly<Record<Provider, string | null>> = {
  anthropic: 'claude-haiku-4-5',
  openai: 'gpt-4o-mini',
  google: 'gemini-2.5-flash',
  groq: 'llama-3.3-70b-versatile',
  // The suffix asks for the cheapest route to that model.
  openrouter: 'meta-llama/llama-3.3-70b-instruct:floor',
  'openai-compatible': null,
  ollama: null,
};

/** Name of the summariser that needs no model; as a `summarization_model` it switches models off. */
export const EXTRACTIVE = 'extractive';

/** Which provider serves a model, by the start of its name. */
const FAMILIES: readonly (readonly [RegExp, Provider])[] = [
  [/^claude/, 'anthropic'],
  [/^(?:gpt-(?!oss)|chatgpt|codex|o\d)/, 'openai'],
  [/^(?:models\/)?gemini/, 'google'],
];

const FORMAT_PROVIDERS: Readonly<Record<Format, Provider>> = {
  anthropic: 'anthropic',
  'openai-responses': 'openai',
  'openai-chat': 'openai',
};

/**
 * Which model writes the summaries of a session, as `provider/model`, or null for the extractive
 * summariser (SPEC section 10): the configured one, else the cheapest of the session's provider if
 * that one is set up, else the cheapest of the first provider that is.
 */
export function chooseModel(
  session: {
    summarization_model: string | null;
    summarization_model_provider_id: string | null;
    model: string | null;
    format: Format;
  },
  env: ProviderEnvironment,
  defaults: Readonly<Record<Provider, string | null>> = DEFAULT_MODELS,
): string | null {
  if (session.summarization_model !== null) {
    return configuredModel(session.summarization_model, session.summarization_model_provider_id);
  }
  const asked = session.summarization_model_provider_id;
  const own = asked ?? providerOfModel(session.model ?? '') ?? FORMAT_PROVIDERS[session.format];
  const order = isProvider(own) ? [own, ...providersOf(defaults)] : providersOf(defaults);
  for (const provider of order) {
    const model = defaults[provider] ?? servedLocally(session.model, provider);
    if (model !== null && isConfigured(provider, env)) return withProvider(provider, model);
  }
  return null;
}

/** The session's model, unless its name says that it lives with another provider. */
function servedLocally(model: string | null, provider: Provider): string | null {
  const home = providerOfModel(model ?? '');
  return home === null || home === provider ? model : null;
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

function providersOf(defaults: Readonly<Record<Provider, string | null>>): Provider[] {
  return Object.keys(defaults).filter(isProvider);
}
