import { LRUCache } from 'lru-cache';
import { type Config, isOffline, type OfflineSummarizer } from '../../domain/policy/config.ts';
import type { Settings } from '../../domain/session/head.ts';
import { chooseModel, type ModelTable } from './default-model.ts';
import { extractive } from './extractive.ts';
import { modelSummarizer } from './model.ts';
import type { ModelPolicy } from './model-policy.ts';
import { ModelNameError, type ProviderEnvironment } from './providers.ts';
import type { Summarizer, WrittenText } from './summarizer.ts';
import { textModel } from './text-models.ts';

type TextSummarizer = Summarizer<WrittenText>;

/** The summarisers that ask nobody, by the names that a configuration gives them. */
export const OFFLINE: Readonly<Record<OfflineSummarizer, TextSummarizer>> = { extractive };

/** Who writes the summaries of a session. `unusable`: a model is named that cannot be reached. */
export type SummarizerChoice = TextSummarizer | { kind: 'unusable'; message: string };

/** Models that are kept built: sessions may name as many as they like. */
const MOST_BUILT = 100;

/** The summariser that asks the model `provider/model`. Throws `ModelNameError`, see `textModel`. */
export function summarizerFromModelName(
  spec: string,
  env: ProviderEnvironment,
  ask?: typeof fetch,
): TextSummarizer {
  return modelSummarizer(textModel(spec, env, ask));
}

/**
 * Chooses per session: its own `summarization_model`, else the server's, else the table's model for
 * the session's own provider, else `extractive` (SPEC section 10), where `policy` lets it be used. The
 * models used last are kept.
 */
export function summarizerChooser(
  serverModel: string | null,
  environment: ProviderEnvironment,
  table?: ModelTable,
  policy: ModelPolicy = () => null,
  ask?: typeof fetch,
): (session: Pick<Settings, 'model' | 'format'>, config: Config) => SummarizerChoice {
  const built = new LRUCache<string, TextSummarizer>({
    max: MOST_BUILT,
    memoMethod: (name) => summarizerFromModelName(name, environment, ask),
  });
  return (session, config) => {
    const wanted = config.summarization_model ?? serverModel;
    if (wanted !== null && isOffline(wanted)) return OFFLINE[wanted];
    const { summarization_model_provider_id } = config;
    const order = { summarization_model: wanted, summarization_model_provider_id, ...session };
    const name = chooseModel(order, environment, table);
    if (name === null) return extractive;
    const refusal = policy(name);
    if (refusal !== null) return { kind: 'unusable', message: refusal };
    try {
      return built.memo(name);
    } catch (error) {
      if (error instanceof ModelNameError) return { kind: 'unusable', message: error.message };
      throw error;
    }
  };
}
