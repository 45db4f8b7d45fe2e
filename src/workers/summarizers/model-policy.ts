import { type ConfigOverrides, isOffline } from '../../domain/policy/config.ts';
import { starMatcher } from '../../domain/star-pattern.ts';
import { chosenModel, type ModelTable } from './default-model.ts';
import {
  isProvider,
  isUsableByName,
  missingSetting,
  PROVIDERS,
  type ProviderEnvironment,
} from './providers.ts';

/** Why a model may not be used; null when it may. `name` is `provider/model`. */
export type ModelPolicy = (name: string) => string | null;

/**
 * The parts of a model's id between slashes. Ids end up in addresses and in bodies: nothing in them may
 * be read as part of an address.
 */
const SEGMENT = /^[A-Za-z0-9@][A-Za-z0-9._:@+-]*$/;
const LONGEST_NAME = 200;
/** Google's ids are paths of their API: only these name models. */
const GOOGLE_PATH = /^(?:models|tunedModels)\/[^/]+$/;

/** One entry of the operator's list: `provider/model`, where `*` stands for anything. */
export function isModelPattern(pattern: string): boolean {
  const [provider = ''] = pattern.split('/', 1);
  if (pattern === '*') return true;
  return isProvider(provider) && /^[A-Za-z0-9._:@+*/-]+$/.test(pattern) && pattern.includes('/');
}

/**
 * Which models the operator lets sessions name: those of the list, else without a list (null) the
 * server's own model and those that sessions of each provider get by default; and only where the
 * provider is set up in this process. A process that calls no provider (`isCalling` false) leaves that
 * to those that do.
 */
export function modelPolicy(operator: {
  allowed: readonly string[] | null;
  /** The models that the server itself names. */
  serverModels: readonly string[];
  table: ModelTable;
  environment: ProviderEnvironment;
  isCalling: boolean;
  /** What to do about packages that are not installed; null when they are. */
  missingPackages?: string | null;
}): ModelPolicy {
  const { allowed, serverModels, table, environment, isCalling, missingPackages = null } = operator;
  const patterns = (allowed ?? [...serverModels, ...byDefault(table)]).map(starMatcher);
  return (name) => {
    if (isOffline(name)) return null;
    const provider = name.slice(0, Math.max(0, name.indexOf('/')));
    const model = name.slice(provider.length + 1);
    if (!isProvider(provider)) {
      return `"${provider || name}" is not a provider: name the model as provider/model, with one of ${PROVIDERS.join(', ')}`;
    }
    if (!isModelId(model) || (provider === 'google' && !isGoogleId(model))) {
      return 'the id of the model has characters that such ids may not have: use letters, digits and . _ : @ + - /';
    }
    if (!patterns.some((matches) => matches(name))) {
      return `the operator does not allow ${name} here: PALIMPSEST_ALLOWED_MODELS names what is allowed`;
    }
    if (isCalling && missingPackages !== null) return `${name} cannot be asked: ${missingPackages}`;
    const missing = isCalling ? missingSetting(provider, environment) : null;
    // The operator who names a model of a local server has set it up by that.
    if (missing === null || (isUsableByName(provider) && serverModels.includes(name))) return null;
    return `provider ${provider} is not set up on this server: its operator has to set ${missing}`;
  };
}

/** Why a session's configuration names a model or a provider that it may not; null when it may. */
export function configRefusal(policy: ModelPolicy, config: ConfigOverrides): string | null {
  const { summarization_model_provider_id: provider } = config;
  if (provider != null && !isProvider(provider)) {
    return `summarization_model_provider_id: use one of ${PROVIDERS.join(', ')}`;
  }
  const name = chosenModel(config);
  const refusal = name === null ? null : policy(name);
  return refusal === null ? null : `summarization_model: ${refusal}`;
}

function byDefault(table: ModelTable): string[] {
  return PROVIDERS.map((provider) => `${provider}/${table[provider] ?? '*'}`);
}

function isModelId(model: string): boolean {
  if (model.length > LONGEST_NAME || model.includes('..')) return false;
  return model.split('/').every((segment) => SEGMENT.test(segment));
}

function isGoogleId(model: string): boolean {
  return !model.includes('/') || GOOGLE_PATH.test(model);
}
