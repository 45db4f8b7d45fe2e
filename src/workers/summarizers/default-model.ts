import { type Config, type ConfigOverrides, isOffline } from '../../domain/policy/config.ts';
import type { Settings } from '../../domain/session/head.ts';
import {
  isConfigured,
  isProvider,
  PROVIDER_TABLE,
  PROVIDERS,
  type Provider,
  type ProviderEnvironment,
} from './providers.ts';

/** Which model summarises for the sessions of each provider; null: the session's own model. */
export type ModelTable = Readonly<Record<Provider, string | null>>;

export const DEFAULT_MODELS = Object.fromEntries(
  PROVIDERS.map((provider) => [provider, PROVIDER_TABLE[provider].defaultModel]),
  // `fromEntries` forgets the keys; all of them are there.
) as ModelTable;

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

type Choosing = Pick<Settings, 'model' | 'format'> &
  Pick<Config, 'summarization_model_provider_id'>;

/**
 * Which model writes the summaries of a session, as `provider/model`, or null for the extractive
 * summariser (SPEC section 10): the configured one, else that of the table for the session's provider,
 * else the session's own model where the table names none. A conversation never goes to a provider that
 * neither the session nor the configuration names.
 */
export function chooseModel(
  session: Choosing & Pick<Config, 'summarization_model'>,
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

function providersOf(session: Choosing): readonly Provider[] {
  const named = session.summarization_model_provider_id ?? providerOfModel(session.model ?? '');
  if (named === null) {
    return PROVIDERS.filter((one) => PROVIDER_TABLE[one].formats?.includes(session.format));
  }
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
export function chosenModel(
  config: Pick<ConfigOverrides, 'summarization_model' | 'summarization_model_provider_id'>,
): string | null {
  const { summarization_model: model, summarization_model_provider_id: provider } = config;
  return model == null ? null : configuredModel(model, provider ?? null);
}

function configuredModel(model: string, provider: string | null): string | null {
  if (isOffline(model)) return null;
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
  return PROVIDERS.find((provider) => PROVIDER_TABLE[provider].family?.test(model)) ?? null;
}
