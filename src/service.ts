import { readFileSync } from 'node:fs';
import { serve } from '@hono/node-server';
import { type Logger, pino } from 'pino';
import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import { createApp } from './api/create-app.ts';
import type { ServerSettings } from './config.ts';
import type { EventStore } from './db/event-store.ts';
import { openSqliteStore } from './db/sqlite/sqlite-store.ts';
import { contextWindowOf } from './domain/policy/model-table.ts';
import { configOf } from './domain/session/head.ts';
import type { World } from './domain/session/world.ts';
import type { TokenizerName } from './domain/tokens/tokenizers.ts';
import { errorFields } from './error-fields.ts';
import { loadTokenizer } from './tokenizer-loader.ts';
import { summarizerChooser } from './workers/choose-summarizer.ts';
import { compactSession } from './workers/compact-session.ts';
import { Dispatcher } from './workers/dispatcher.ts';
import { InProcessEngine } from './workers/in-process-engine.ts';
import type { CompactionJob } from './workers/job-engine.ts';
import { modelsByDefault } from './workers/summarizers/default-model.ts';
import { loadTemplates } from './workers/templates.ts';

const DISPATCH_EVERY_MS = 60_000;
/** Running compactions may finish for this long when the service stops; they go on after a restart. */
const STOP_GRACE_MS = 10_000;
const ITEMS_PER_REQUEST = 10_000;
const JSON_DEPTH = 64;

/** The service without a socket: what `serve` listens with and `import` talks to in process. */
export type Service = {
  fetch: (request: Request) => Response | Promise<Response>;
  store: EventStore;
  /** How summaries are written when a session does not choose, for the start-up message. */
  summarizer: string;
  /**
   * Runs what has not ended, now and every minute. Only for the process that serves the store: a
   * compaction that two of them run is paid for twice.
   */
  takeUpPending: () => Promise<void>;
  stop: () => Promise<void>;
};

/**
 * Wires store, API, dispatcher and workers together (the composition root): the embedded mode of
 * SPEC section 17, one process over one SQLite file. Runs the compactions that its own API requests;
 * those that others left wait for `takeUpPending`.
 */
export async function startService(
  settings: ServerSettings,
  environment: NodeJS.ProcessEnv,
): Promise<Service> {
  const log: Logger = pino(
    { level: settings.log_level, serializers: { err: errorFields } },
    pino.destination(2),
  );
  const tokenizers: { -readonly [N in TokenizerName]?: World['tokenizers'][N] } = {};
  const world: World = { server: settings.overrides, tokenizers };
  const prepareTokenizer = async (name: TokenizerName) => {
    tokenizers[name] ??= await loadTokenizer(name);
  };
  const store = await openSqliteStore({
    path: settings.database_path,
    synchronous: settings.synchronous,
  });
  const chooseSummarizer = summarizerChooser(settings.summarization_model, environment);
  const logThrown = (error: unknown, { compaction_id }: CompactionJob) =>
    log.error({ err: error, compaction_id }, 'a compaction job threw');
  const engine = new InProcessEngine({
    concurrency: settings.worker_concurrency,
    onError: logThrown,
  });
  engine.start(
    compactSession({
      store,
      world,
      templates: loadTemplates(),
      chooseSummarizer,
      workspaceRoot: settings.workspace_root,
      prepare: async (session) => {
        const { token_counter } = configOf(session, world.server);
        if (token_counter !== 'estimate') await prepareTokenizer(token_counter);
      },
      onError: logThrown,
      now: () => new Date(),
      newId: uuidv7,
      random: Math.random,
    }),
  );
  const dispatcher = new Dispatcher(store, engine, (error) =>
    log.error({ err: error }, 'pending compactions could not be handed over'),
  );
  const app = createApp({
    store,
    world,
    dispatch: (job) => dispatcher.dispatch(job),
    cancelJob: (id) => engine.cancel(id),
    clock: { now: () => new Date() },
    newId: uuidv7,
    keys: settings.api_keys,
    limits: {
      body_bytes: settings.body_limit_bytes,
      items_per_request: ITEMS_PER_REQUEST,
      json_depth: JSON_DEPTH,
      rate_per_minute_per_key: settings.rate_limit_per_minute,
    },
    contextWindowOf,
    loadTokenizer: prepareTokenizer,
    ready: async () => {
      await store.ping();
      await engine.ping();
    },
    version: packageVersion(),
    log,
  });
  return {
    fetch: (request) => app.fetch(request),
    store,
    summarizer: describeSummarizer(settings, environment, chooseSummarizer),
    takeUpPending: async () => {
      const recovered = await dispatcher.recover();
      if (recovered > 0) log.info({ recovered }, 'compactions taken up again');
      dispatcher.start(DISPATCH_EVERY_MS);
    },
    stop: async () => {
      dispatcher.stop();
      await engine.stop(STOP_GRACE_MS);
      await store.close();
    },
  };
}

/** The version in package.json, which lies beside both `src` and `dist`. */
export function packageVersion(): string {
  const file = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return z.object({ version: z.string() }).parse(JSON.parse(file)).version;
}

function describeSummarizer(
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
  const defaults = chosen === null ? modelsByDefault(environment) : [];
  if (defaults.length > 0) {
    return `by the session's own provider: ${defaults.join(', ')}; extractive for all others`;
  }
  const choice = choose(session, config);
  switch (choice.kind) {
    case 'extractive':
      return 'extractive (built from the log, offline: no model is asked)';
    case 'model':
      return `model ${choice.model.name}, then extractive when it fails`;
    case 'unusable':
      return `extractive, because the configured model cannot be used: ${choice.message}`;
    default:
      return choice satisfies never;
  }
}

export type Listening = { url: string; close: () => Promise<void> };

/**
 * Listens on a socket; port 0 takes a free one. Answers once connections are accepted and pending
 * compactions are under way again, in this order: a second process over the same store fails on its
 * port before it touches them. Stops the service and throws when it cannot listen.
 */
export async function listen(service: Service, host: string, port: number): Promise<Listening> {
  let listening: Listening | null = null;
  try {
    listening = await openSocket(service, host, port);
    await service.takeUpPending();
    return listening;
  } catch (error) {
    await listening?.close();
    await service.stop();
    throw error;
  }
}

function openSocket(service: Service, host: string, port: number): Promise<Listening> {
  return new Promise((resolve, reject) => {
    const server = serve({ fetch: service.fetch, hostname: host, port }, (info) => {
      const name = host.includes(':') ? `[${host}]` : host;
      resolve({
        url: `http://${name}:${info.port}`,
        close: () =>
          new Promise((closed) => {
            server.close(() => closed());
            if ('closeAllConnections' in server) server.closeAllConnections();
          }),
      });
    });
    server.on('error', reject);
  });
}
