import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import type { Probes } from './api/app-dependencies.ts';
import { createWorkerApp } from './api/create-worker-app.ts';
import { Recordings } from './app/gateway/recordings.ts';
import { KnownBodies } from './app/known-bodies.ts';
import type { SearchableStore } from './app/ports/search-index.ts';
import { Indexer } from './app/search/indexer.ts';
import { compactionWorker, rulesOf } from './compaction-worker.ts';
import { SettingsError } from './config/settings-error.ts';
import type { ServerSettings } from './config.ts';
import { describeSummarizer } from './describe-summarizer.ts';
import { explainCommits } from './explain-commits.ts';
import { gauges } from './metrics/gauges.ts';
import { measuredSteps } from './metrics/measured-steps.ts';
import { measuredStore } from './metrics/measured-store.ts';
import { searchObserver } from './metrics/of-searches.ts';
import { measurementsOfTurn } from './metrics/of-turns.ts';
import { openMetrics } from './metrics/registry.ts';
import { newId } from './new-id.ts';
import { observeSteps } from './observe-steps.ts';
import { observedRequests } from './observed-requests.ts';
import { openEngine } from './open-engine.ts';
import { openLog } from './open-log.ts';
import { openStore } from './open-store.ts';
import { restApi, withElsewhere } from './rest-api.ts';
import { createRoomyApp } from './room-for-bodies.ts';
import { storedSecret as readStoredSecret } from './stored-secret.ts';
import { smallHere } from './threads/small-here.ts';
import { openThreads } from './threads/threads.ts';
import { openTracing } from './tracing/open-tracing.ts';
import { tracedEngine } from './tracing/traced-engine.ts';
import { asksModel } from './workers/compaction/asks-model.ts';
import { compactSession } from './workers/compaction/compact-session.ts';
import { Dispatcher } from './workers/dispatcher.ts';
import type { CompactionJob } from './workers/engines/job-engine.ts';
import { PacketTimer } from './workers/packet-timer.ts';

/** Running compactions may finish for this long when the service stops; they go on after a restart. */
const STOP_GRACE_MS = 10_000;
const SECRET_BYTES = 32;

/** The service without a socket: what `serve` listens with and `import` talks to in process. */
export type Service = {
  /** `bindings`: what the server that listens knows of the request beside it. */
  fetch: (request: Request, bindings?: object) => Response | Promise<Response>;
  store: SearchableStore;
  /** How summaries are written when a session does not choose, for the start-up message. */
  summarizer: string;
  /**
   * Hands over what has not ended, at once and then every `dispatch_every_ms`. Only for a process that serves the store:
   * a compaction that two of them run in process is paid for twice.
   */
  takeUpPending: () => Promise<void>;
  /** Hands over one that others have left, as `takeUpPending` does with all of them. */
  takeUp: (job: CompactionJob) => void;
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
  const tracing = await openTracing(settings, log);
  const { tracer } = tracing;
  const opened = await openStore(
    settings.database,
    (error) => log.error({ err: error }, 'the connection to the store is in trouble'),
    // Not what is wrong: that may quote a conversation.
    {
      archive: settings.archive,
      bringBack: (ref) => threads?.bringBack(ref) ?? null,
      onDamage: (problems) =>
        log.warn(
          { problems },
          'the log of some sessions is damaged: "palimpsest verify" names them',
        ),
    },
  );
  const now = () => new Date();
  const metrics = openMetrics(() => gauges(opened, indexer, now));
  const explain = explainCommits(log, () => rules.world, now);
  const store = measuredStore(opened, { record: metrics.record, tracer, ...explain });
  const { engine: plain, queue } = await openEngine(
    settings,
    log,
    () => void dispatcher.handOverPending(),
  );
  const engine = tracing.isOn ? tracedEngine(plain, tracer) : plain;
  const dispatcher = new Dispatcher(store, engine, (error) =>
    log.error(
      { err: error },
      'pending compactions could not be handed to the queue: they are tried again',
    ),
  );
  const kept = settings.role === 'worker' ? null : keptSecret(settings);
  // What compaction items are sealed with where nothing is set, by all threads of this process.
  const storedSecret = kept && (kept.secret ?? randomBytes(SECRET_BYTES).toString('base64url'));
  const knownBodies = new KnownBodies();
  const recordings = new Recordings();
  const threads = openThreads({ settings, environment, storedSecret }, log, tracer, (message) => {
    switch (message.kind) {
      case 'committed':
        return store.ring(message.key);
      case 'trouble':
        return store.doubt();
      case 'dispatch':
        return dispatcher.dispatch(message.job);
      case 'await_packet':
        return packetTimer.await(message.ref, message.deadline_ms);
      case 'cancel':
        return engine.cancel(message.compaction_id);
      case 'body_kept':
        return knownBodies.keep(message.session, message.body);
      case 'measured':
        return metrics.record(message.measurement);
      case 'traced':
        return tracing.take(message.span);
      default:
        return message satisfies never;
    }
  });
  const observe = measuredSteps(observeSteps(log, tracer), metrics.record);
  const rules = rulesOf(settings, environment);
  const { world, chooseSummarizer } = rules;
  const packetTimer = new PacketTimer({
    store,
    world,
    dispatch: (job) => dispatcher.dispatch(job),
    now,
    newId,
    onError: (error) =>
      log.error({ err: error }, 'the wait for a packet could not be ended: this is tried again'),
  });
  if (settings.role !== 'api') {
    const worker = compactionWorker(rules, settings, environment, {
      store,
      log,
      observe,
      dispatch: (job) => dispatcher.dispatch(job),
    });
    const here = { compact: compactSession(worker), asksModel: asksModel(worker) };
    const handlers = threads === null ? here : smallHere({ store, world }, here, threads);
    engine.start(handlers.compact, handlers.asksModel);
  }
  const indexer = new Indexer(
    store,
    (error) =>
      log.error({ err: error }, 'the search index could not be written: this is tried again'),
    threads?.index,
  );
  const probes: Probes = { store: () => store.ping(), queue: () => engine.ping() };
  const api = restApi(rules, settings, log, {
    observe,
    store,
    indexer,
    dispatch: (job) => dispatcher.dispatch(job),
    awaitPacket: (ref, deadlineMs) => packetTimer.await(ref, deadlineMs),
    cancelJob: (id) => engine.cancel(id),
    storedSecret,
    knownBodies,
    probes,
    metrics,
    recordings,
    onTurn: (told) => measurementsOfTurn(told).forEach(metrics.record),
    onSearch: searchObserver(metrics.record, log),
    dashboard: { jobs: queue && { queue, ping: probes.queue }, operatorKey: settings.operator_key },
  });
  const app =
    settings.role === 'worker'
      ? createWorkerApp(api)
      : createRoomyApp(threads === null ? api : withElsewhere(api, threads));
  return {
    fetch: observedRequests(app, { record: metrics.record, log, tracer }),
    store,
    summarizer: describeSummarizer(settings, environment, chooseSummarizer),
    takeUpPending: async () => {
      // Told here: a command, which nobody asks for such items, opens a service and takes up nothing.
      if (kept !== null && kept.lost_because !== null) warnOfLostItems(log, kept.lost_because);
      if (settings.role !== 'worker') indexer.start();
      packetTimer.start(settings.dispatch_every_ms);
      dispatcher.start(settings.dispatch_every_ms);
      const pending = await dispatcher.handOverPending();
      if (pending > 0) log.info({ pending }, 'pending compactions handed over');
    },
    takeUp: (job) => dispatcher.dispatch(job),
    stop: async () => {
      // Answers have gone out: what goes on from one is known by what is written down of it.
      await recordings.allSettled();
      dispatcher.stop();
      await packetTimer.stop();
      await engine.stop(STOP_GRACE_MS);
      const indexed = indexer.stop();
      await threads?.close();
      await indexed;
      await store.close();
      await tracing.close();
    },
  };
}

/**
 * The secret beside the database, made where nothing else is set; where one is needed and there can be none,
 * why. Throws SettingsError for a file that holds something else.
 */
function keptSecret(settings: ServerSettings): {
  secret: string | null;
  lost_because: string | null;
} {
  const isNeeded = settings.compaction_secret === null && settings.api_keys.length === 0;
  const none = (why: string) => ({ secret: null, lost_because: isNeeded ? why : null });
  try {
    const secret = readStoredSecret(settings.database, isNeeded);
    return secret === null
      ? none('this store has no file beside it')
      : { secret, lost_because: null };
  } catch (error) {
    if (error instanceof SettingsError) throw error;
    return none('no file can be written beside the database');
  }
}

function warnOfLostItems(log: Logger, why: string): void {
  log.warn(
    `compaction items of /v1/responses/compact are readable until this process ends, because ${why}: ` +
      'set PALIMPSEST_COMPACTION_SECRET to keep them readable',
  );
}
