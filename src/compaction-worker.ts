import type { Logger } from 'pino';
import type { EventStore } from './app/ports/event-store.ts';
import type { ServerSettings } from './config.ts';
import type { World } from './domain/session/world.ts';
import type { TokenizerName } from './domain/tokens/tokenizers.ts';
import { newId } from './new-id.ts';
import { missingPart } from './optional-parts.ts';
import { proxiedFetch } from './proxied-fetch.ts';
import { loadTokenizer } from './tokenizer-loader.ts';
import type { WorkerDependencies } from './workers/compaction/dependencies.ts';
import { chosenModel } from './workers/summarizers/default-model.ts';
import { type ModelPolicy, modelPolicy } from './workers/summarizers/model-policy.ts';
import { summarizerChooser } from './workers/summarizers/registry.ts';
import { remoteSummarizer } from './workers/summarizers/remote/remote.ts';
import { remoteCompactor } from './workers/summarizers/remote/remote-compactor.ts';
import { loadTemplates } from './workers/templates.ts';

/** What the rules are handed in the process and in each of its threads. */
export type Rules = ReturnType<typeof rulesOf>;

/** Reads the templates; a tokenizer is loaded when it is asked for. */
export function rulesOf(settings: ServerSettings, environment: NodeJS.ProcessEnv) {
  const tokenizers: { -readonly [N in TokenizerName]?: World['tokenizers'][N] } = {};
  const world: World = { server: settings.overrides, tokenizers };
  const missingPackages = missingPart('models');
  const ask = proxiedFetch(settings.proxies);
  const policy = modelPolicy({
    allowed: settings.allowed_models,
    serverModels: [
      chosenModel({ ...settings.overrides, summarization_model: settings.summarization_model }),
      chosenModel(settings.overrides),
    ].filter((name) => name !== null),
    table: settings.models,
    environment,
    isCalling: settings.role !== 'api',
    missingPackages,
  });
  return {
    world,
    policy,
    prepareTokenizer: async (name: TokenizerName) => {
      tokenizers[name] ??= await loadTokenizer(name);
    },
    chooseSummarizer: summarizerChooser(
      settings.summarization_model,
      // Without the packages no session gets a model by default; who names one is told.
      missingPackages === null ? environment : {},
      settings.models,
      policy,
      ask,
    ),
    fetch: ask,
    templates: loadTemplates(),
  };
}

/** What an attempt at a compaction works with, in the process or in one of its threads. */
export function compactionWorker(
  { world, policy, prepareTokenizer, chooseSummarizer, templates, fetch }: Rules,
  settings: ServerSettings,
  environment: NodeJS.ProcessEnv,
  {
    store,
    log,
    observe,
    dispatch,
  }: { store: EventStore; log: Logger } & Pick<WorkerDependencies, 'dispatch' | 'observe'>,
): WorkerDependencies {
  return {
    store,
    world,
    templates,
    prices: settings.prices,
    chooseSummarizer,
    remote: remoteSummarizer(remoteCompactor(environment, remotePolicy(settings, policy), fetch)),
    workspaceRoot: settings.workspace_root,
    hooks: settings.hooks,
    fetch,
    prepare: async ({ token_counter }) => {
      if (token_counter !== 'estimate') await prepareTokenizer(token_counter);
    },
    onError: (error, { compaction_id }) =>
      log.error(
        { err: error, compaction_id },
        'an attempt at a compaction failed with an unexpected error',
      ),
    onUnknownSession: ({ compaction_id }) =>
      log.warn(
        { compaction_id },
        'a job names a session that this store does not have: it was erased, or belongs to another DATABASE_URL',
      ),
    now: () => new Date(),
    newId,
    observe,
    dispatch,
    random: Math.random,
  };
}

/** Without a list, an operator who switches remote compaction on allows it for OpenAI's models. */
function remotePolicy(settings: ServerSettings, policy: ModelPolicy): ModelPolicy {
  const isOn = settings.allowed_models === null && settings.overrides.remote_compaction === true;
  return isOn ? () => null : policy;
}
