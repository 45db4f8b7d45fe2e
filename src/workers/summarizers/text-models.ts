import type { LanguageModel } from 'ai';
import { contextWindowOf } from '../../domain/policy/model-table.ts';
import { type AiModel, aiModel } from './ai-model.ts';
import { fetchEvents } from './fetch-events.ts';
import {
  isProvider,
  ModelNameError,
  PROVIDER_TABLE,
  PROVIDERS,
  type Provider,
  type ProviderAccess,
  type ProviderEnvironment,
  providerAccess,
} from './providers.ts';
import type { TextModel } from './text-model.ts';

/**
 * The model that `provider/model` names; the model may contain slashes
 * (`openrouter/meta-llama/llama-3.3-70b-instruct`). Throws `ModelNameError` for a name without
 * provider, an unknown provider, and a missing key or address (SPEC section 10).
 */
export function textModel(
  spec: string,
  env: ProviderEnvironment,
  ask: typeof fetch = fetch,
): TextModel {
  const { provider, model } = parseModelName(spec);
  const access = providerAccess(provider, env);
  return aiModel({
    name: `${provider}/${model}`,
    provider,
    model: () => languageModel(provider, model, { ...access, fetch: fetchEvents(ask) }),
    contextWindow: PROVIDER_TABLE[provider].isLocal ? null : contextWindowOf(model),
    providerOptions: withoutThinking(provider, model),
  });
}

function parseModelName(spec: string): { provider: Provider; model: string } {
  const slash = spec.indexOf('/');
  const provider = spec.slice(0, Math.max(0, slash)).trim().toLowerCase();
  const model = spec.slice(slash + 1).trim();
  if (provider === '' || model === '') {
    throw new ModelNameError(
      'malformed',
      `"${spec}" is not a model name of the form provider/model`,
    );
  }
  if (!isProvider(provider)) {
    throw new ModelNameError(
      'unknown_provider',
      `unknown provider "${provider}"; use one of ${PROVIDERS.join(', ')}`,
    );
  }
  return { provider, model };
}

async function languageModel(
  provider: Provider,
  model: string,
  access: ProviderAccess & { fetch: typeof fetch },
): Promise<LanguageModel> {
  const { baseUrl: baseURL, fetch } = access;
  const apiKey = access.apiKey ?? '';
  const { api } = PROVIDER_TABLE[provider];
  switch (api) {
    case 'anthropic': {
      const { createAnthropic } = await import('@ai-sdk/anthropic');
      return createAnthropic({ apiKey, baseURL, fetch })(model);
    }
    case 'openai': {
      const { createOpenAI } = await import('@ai-sdk/openai');
      // Chat completions, not Responses: every server behind OPENAI_BASE_URL speaks it.
      return createOpenAI({ apiKey, baseURL, fetch }).chat(model);
    }
    case 'google': {
      const { createGoogleGenerativeAI } = await import('@ai-sdk/google');
      return createGoogleGenerativeAI({ apiKey, baseURL, fetch })(model);
    }
    case 'chat-completions': {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
      return createOpenAICompatible({
        name: provider,
        baseURL,
        fetch,
        includeUsage: true,
        ...(access.apiKey === null ? {} : { apiKey: access.apiKey }),
      })(model);
    }
    default:
      return api satisfies never;
  }
}

/** Thinking would only eat the answer's budget: off, or as low as the model accepts. */
function withoutThinking(provider: Provider, model: string): AiModel['providerOptions'] {
  if (provider === 'google' && model.startsWith('gemini-2.5-flash')) {
    return { google: { thinkingConfig: { thinkingBudget: 0 } } };
  }
  if (provider === 'openai' && /^(?:o3|o4|gpt-5(?!.*(?:chat|pro)))/.test(model)) {
    return { openai: { reasoningEffort: 'low' } };
  }
  return {};
}
