import type { Logger } from 'pino';
import { v7 as uuidv7 } from 'uuid';
import type { Probes } from './api/app-dependencies.ts';
import { createApp } from './api/create-app.ts';
import { createHealthApp } from './api/health/health-app.ts';
import type { EventStore } from './app/ports/event-store.ts';
import { compactionWorker, rulesOf } from './compaction-worker.ts';
import { SettingsError } from './config/settings-error.ts';
import type { ServerSettings } from './config.ts';
import { describeSummarizer } from './describe-summarizer.ts';
import { JSON_DEPTH } from './domain/exact-json.ts';
import { contextWindowOf } from './domain/policy/model-table.ts';
import { openEngine } from './open-engine.ts';
import { openLog } from './open-log.ts';
import { openStore } from './open-store.ts';
import { packageVersion } from './package-version.ts';
import { storedSecret } from './stored-secret.ts';
import { openThreads } from './threads/threads.ts';
import { asksModel } from './workers/compaction/asks-model.ts';
import { compactSession } from './workers/compaction/compact-session.ts';
import { Dispatcher } from './workers/dispatcher.ts';
import { PacketTimer } from './workers/packet-timer.ts';
import { summarizeNow } from './workers/summarize-now.ts';
import { configRefusal } from './workers/summarizers/model-policy.ts';

/** Running compactions may finish for this long when the service stops; they go on after a restart. */
const STOP_GRACE_MS = 10_000;
const ITEMS_PER_REQUEST = 10_000;
/** Real conversations hold one value in 30 to 150 bytes; a body of the default limit fits with room. */
const JSON_VALUES = 400_000;

/** The service without a socket: what `serve` listens with and `import` talks to in process. */
export type Service = {
  /** `bindings`: what the server that listens knows of the request beside it. */
  fetch: (request: Request, bindings?: object) => Response | Promise<Response>;
  store: EventStore;
  /** How summaries are written when a session does not choose, for the start-up message. */
  summarizer: string;
  /**
   * Hands over what has not ended, at once and then every `dispatch_every_ms`. Only for a process that serves the store:
   * a compaction that two of them run in process is paid for twice.
   */
  takeUpPending: () => Promise<void>;
  stop: () => Promise<void>;
};

/**
 * Wires store, API, dispatcher and workers together (the composition root), as `settings.role` says
 * (SPEC section 17). Hands over the compactions that its own API requests; those that others left
 * wait for `takeUpPending`.
 */
export async function startService(
  settings: ServerSettings,
  environment: NodeJS.ProcessEnv,
): Promise<Service> {
  const log = openLog(settings);
  const store = await openStore(
    settings.database,
    (error) => log.error({ err: error }, 'the connection to the store is in trouble'),
    // Not what is wrong: that may quote a conversation.
    {
      onDamage: (problems) =>
        log.warn(
          { problems },
          'the log of some sessions is damaged: "palimpsest verify" names them',
        ),
    },
  );
  const { engine, queue } = openEngine(settings, log, () => void dispatcher.handOverPending());
  const dispatcher = new Dispatcher(store, engine, (error) =>
    log.error(
      { err: error },
      'pending compactions could not be handed to the queue: they are tried again',
    ),
  );
  const threads = openThreads({ settings, environment }, log, (message) => {
    switch (message.kind) {
      case 'committed':
        return store.ring(message.key);
      case 'dispatch':
        return dispatcher.dispatch(message.job);
      default:
        return message satisfies never;
    }
  });
  const rules = rulesOf(settings, environment);
  const { world, templates, policy, chooseSummarizer } = rules;
  const packetTimer = new PacketTimer({
    store,
    world,
    dispatch: (job) => dispatcher.dispatch(job),
    now: () => new Date(),
    newId: uuidv7,
    onError: (error) =>
      log.error({ err: error }, 'the wait for a packet could not be ended: this is tried again'),
  });
  if (settings.role !== 'api') {
    const worker = compactionWorker(rules, settings, environment, {
      store,
      log,
      dispatch: (job) => dispatcher.dispatch(job),
    });
    if (threads === null) engine.start(compactSession(worker), asksModel(worker));
    else engine.start(threads.compact, threads.asksModel);
  }
  const probes: Probes = { store: () => store.ping(), queue: () => engine.ping() };
  const version = packageVersion();
  const app =
    settings.role === 'worker'
      ? createHealthApp({ probes, version, log })
      : createApp({
          store,
          world,
          dispatch: (job) => dispatcher.dispatch(job),
          awaitPacket: (ref, deadlineMs) => packetTimer.await(ref, deadlineMs),
          packetPrompt: templates.packet,
          cancelJob: (id) => engine.cancel(id),
          clock: { now: () => new Date() },
          newId: uuidv7,
          keys: settings.api_keys,
          limits: {
            body_bytes: settings.body_limit_bytes,
            items_per_request: ITEMS_PER_REQUEST,
            json_depth: JSON_DEPTH,
            json_values: JSON_VALUES,
            rate_per_minute_per_key: settings.rate_limit_per_minute,
          },
          contextWindowOf,
          modelRefusal: (config) => configRefusal(policy, config),
          loadTokenizer: rules.prepareTokenizer,
          summarize: summarizeNow({
            templates,
            chooseSummarizer,
            now: () => new Date(),
            random: Math.random,
            onFailure: (reason) =>
              log.warn({ reason }, 'no model could write a summary for /v1/responses/compact'),
          }),
          compactionSecret: settings.compaction_secret,
          storedSecret: keptSecret(settings, log),
          probes,
          dashboard: {
            jobs: queue && { queue, ping: probes.queue },
            operatorKey: settings.operator_key,
          },
          version,
          log,
        });
  return {
    fetch: (request, bindings) => app.fetch(request, bindings),
    store,
    summarizer: describeSummarizer(settings, environment, chooseSummarizer),
    takeUpPending: async () => {
      packetTimer.start(settings.dispatch_every_ms);
      dispatcher.start(settings.dispatch_every_ms);
      const pending = await dispatcher.handOverPending();
      if (pending > 0) log.info({ pending }, 'pending compactions handed over');
    },
    stop: async () => {
      dispatcher.stop();
      await packetTimer.stop();
      await engine.stop(STOP_GRACE_MS);
      await threads?.close();
      await store.close();
    },
  };
}

/** The secret beside the database, made where nothing else is set; says so where there can be none. */
function keptSecret(settings: ServerSettings, log: Logger): string | null {
  const isNeeded = settings.compaction_secret === null && settings.api_keys.length === 0;
  const willNotLast = (why: string) =>
    log.warn(
      `compaction items of /v1/responses/compact are readable until this process ends, because ${why}: ` +
        'set PALIMPSEST_COMPACTION_SECRET to keep them readable',
    );
  try {
    const secret = storedSecret(settings.database, isNeeded);
    if (secret === null && isNeeded) willNotLast('this store has no file beside it');
    return secret;
  } catch (error) {
    if (error instanceof SettingsError) throw error;
    if (isNeeded) willNotLast('no file can be written beside the database');
    return null;
  }
}
