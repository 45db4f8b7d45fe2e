import type { ServerSettings } from './config.ts';
import { configOf } from './domain/session/head.ts';
import { missingPart } from './optional-parts.ts';
import { modelsByDefault } from './workers/summarizers/default-model.ts';
import type { summarizerChooser } from './workers/summarizers/registry.ts';

/** How summaries are written when a session does not choose: a line for the start-up message. */
export function describeSummarizer(
  settings: ServerSettings,
  environment: NodeJS.ProcessEnv,
  choose: ReturnType<typeof summarizerChooser>,
): string {
  const session = { format: 'anthropic', model: null } as const;
  const config = configOf(
    { ...session, profile: 'default', config: {}, context_window: 200_000, metadata: {} },
    settings.overrides,
  );
  const chosen =
    config.summarization_model ??
    settings.summarization_model ??
    config.summarization_model_provider_id;
  const defaults = chosen === null ? modelsByDefault(environment, settings.models) : [];
  const missing = missingPart('models');
  if (defaults.length > 0 && missing !== null) {
    return `extractive: the models of ${defaults.join(', ')} cannot be asked, since ${missing}`;
  }
  if (defaults.length > 0) {
    return `by the session's own provider: ${defaults.join(', ')}; extractive for all others`;
  }
  const choice = choose(session, config);
  switch (choice.kind) {
    case 'offline':
      return `${choice.name} (built from the log, offline: no model is asked)`;
    case 'asking':
      return `model ${choice.name}, then extractive if it fails`;
    case 'unusable':
      return `extractive, because the configured model cannot be used: ${choice.message}`;
    default:
      return choice satisfies never;
  }
}
