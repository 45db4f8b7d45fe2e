import type { Config } from '../domain/policy/config.ts';
import type { Settings } from '../domain/session/head.ts';
import { chooseModel, type ModelTable } from './summarizers/default-model.ts';
import type { ModelPolicy } from './summarizers/model-policy.ts';
import { ModelNameError, type ProviderEnvironment } from './summarizers/providers.ts';
import { summarizerFromModelName } from './summarizers/registry.ts';
import type { ModelSummarizer } from './summarizers/summarizer.ts';

/** Who writes the summaries of a session. `unusable`: a model is named that cannot be reached. */
export type SummarizerChoice =
  | { kind: 'extractive' }
  | { kind: 'model'; model: ModelSummarizer }
  | { kind: 'unusable'; message: string };

/** Models that are kept built: sessions may name as many as they like. */
const MOST_BUILT = 100;

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
): (settings: Pick<Settings, 'model' | 'format'>, config: Config) => SummarizerChoice {
  const built = new Map<string, ModelSummarizer>();
  return (session, config) => {
    const name = chooseModel(
      {
        summarization_model: config.summarization_model ?? serverModel,
        summarization_model_provider_id: config.summarization_model_provider_id,
        model: session.model,
        format: session.format,
      },
      environment,
      table,
    );
    if (name === null) return { kind: 'extractive' };
    const refusal = policy(name);
    if (refusal !== null) return { kind: 'unusable', message: refusal };
    try {
      const model = built.get(name) ?? summarizerFromModelName(name, environment);
      built.delete(name);
      built.set(name, model);
      for (const oldest of built.keys()) {
        if (built.size <= MOST_BUILT) break;
        built.delete(oldest);
      }
      return { kind: 'model', model };
    } catch (error) {
      if (error instanceof ModelNameError) return { kind: 'unusable', message: error.message };
      throw error;
    }
  };
}
