import type { ServerSettings } from '../../config.ts';
import { isOffline } from '../../domain/policy/config.ts';
import { missingPart } from '../../optional-parts.ts';
import { proxiedFetch } from '../../proxied-fetch.ts';
import { chosenModel, modelsByDefault } from '../../workers/summarizers/default-model.ts';
import { ModelNameError } from '../../workers/summarizers/providers.ts';
import { textModel } from '../../workers/summarizers/text-models.ts';
import { type Finding, note, ok, trouble } from './finding.ts';

const CHECK = 'model';
const LONGEST_MS = 20_000;
/** Some models think before they answer. */
const MOST_TOKENS = 200;

/** Whether the models that write summaries answer: each of them is asked for one word. */
export async function checkModels(
  settings: ServerSettings,
  environment: NodeJS.ProcessEnv,
): Promise<Finding[]> {
  const { overrides } = settings;
  const named = overrides.summarization_model ?? settings.summarization_model;
  if (named !== null && isOffline(named)) {
    return [ok(CHECK, `${named}: summaries are taken from the log, and no model is asked`)];
  }
  const chosen = chosenModel({ ...overrides, summarization_model: named });
  const names =
    chosen === null
      ? modelsByDefault(environment, settings.models).filter((name) => !name.endsWith(')'))
      : [chosen];
  if (names.length === 0) {
    const advice =
      'set the key of a provider, such as ANTHROPIC_API_KEY, to have a model write them';
    return [note(CHECK, 'none is set up: summaries are taken from the log', advice)];
  }
  const missing = missingPart('models');
  if (missing !== null)
    return [trouble(CHECK, missing, 'until then summaries are taken from the log')];
  const ask = proxiedFetch(settings.proxies);
  return Promise.all(names.map((name) => askOne(name, environment, ask)));
}

async function askOne(
  name: string,
  environment: NodeJS.ProcessEnv,
  ask: typeof fetch,
): Promise<Finding> {
  try {
    const answer = await textModel(name, environment, ask).ask({
      system: 'You are asked whether you can be reached.',
      prompt: 'Answer with the word OK.',
      max_output_tokens: MOST_TOKENS,
      timeout_ms: LONGEST_MS,
      signal: AbortSignal.timeout(LONGEST_MS),
    });
    if (answer.ok) return ok(CHECK, `${name} answers`);
    const advice =
      'check its key, its address and its name; until then summaries are taken from the log';
    return trouble(CHECK, `${name}: ${answer.message}`, advice);
  } catch (error) {
    if (!(error instanceof ModelNameError)) throw error;
    return trouble(
      CHECK,
      error.message,
      'correct PALIMPSEST_SUMMARIZATION_MODEL, or set what is missing',
    );
  }
}
