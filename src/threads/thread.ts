import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { OpenAPIHono } from '@hono/zod-openapi';
import { move, transferableSymbol, valueSymbol } from 'piscina';
import { createApp } from '../api/create-app.ts';
import { answerSent, type SentAnswer, type SentRequest } from '../api/http/elsewhere.ts';
import type { ForClient } from '../app/gateway/compact-for-client.ts';
import type { LookUp } from '../app/gateway/look-up.ts';
import type { TurnPlan } from '../app/gateway/plan-turn.ts';
import type { Recorded } from '../app/gateway/record-answer.ts';
import { Recordings } from '../app/gateway/recordings.ts';
import type { Revised, Revision } from '../app/gateway/revise-turn.ts';
import type { TurnAsked } from '../app/gateway/turn-request.ts';
import { type TurnTasks, turnTasks } from '../app/gateway/turn-tasks.ts';
import { OpaqueContent } from '../app/opaque-content.ts';
import type { SessionRef } from '../app/ports/event-store.ts';
import type { SearchableStore } from '../app/ports/search-index.ts';
import type { Tracer } from '../app/ports/tracer.ts';
import { Indexer } from '../app/search/indexer.ts';
import { compactionWorker, rulesOf } from '../compaction-worker.ts';
import type { LookedUp } from '../domain/gateway/recall/recall-protocol.ts';
import type { Outcome } from '../domain/session/errors.ts';
import { explainCommits } from '../explain-commits.ts';
import { GATEWAY_TOOLS, lookUpTool } from '../mcp/look-up.ts';
import type { Measurement } from '../metrics/catalogue.ts';
import { measuredSteps } from '../metrics/measured-steps.ts';
import { measuredStore } from '../metrics/measured-store.ts';
import { searchObserver } from '../metrics/of-searches.ts';
import { observeSteps } from '../observe-steps.ts';
import { openLog } from '../open-log.ts';
import { openStore } from '../open-store.ts';
import { restApi } from '../rest-api.ts';
import { openTracingOfThread } from '../tracing/open-tracing.ts';
import { asksModel } from '../workers/compaction/asks-model.ts';
import { compactSession } from '../workers/compaction/compact-session.ts';
import type { WorkerDependencies } from '../workers/compaction/dependencies.ts';
import type { CompactionJob, JobResult } from '../workers/engines/job-engine.ts';
import {
  type Answer,
  answerOf,
  type Sent,
  type ThreadData,
  type ThreadMessage,
} from './messages.ts';

/*
 * What runs in a thread: each exported function is a task that the process may hand over by its name.
 * A thread has a connection of its own to the store and reads what it works on, since to copy a large
 * context from thread to thread would hold up both.
 */

// It is what threads.ts starts a thread with.
const { settings, environment, storedSecret } = workerData as ThreadData;
const log = openLog(settings);
const rules = rulesOf(settings, environment);
let opening: Promise<Parts> | null = null;

type Parts = {
  store: SearchableStore;
  worker: WorkerDependencies;
  app: OpenAPIHono;
  turns: TurnTasks;
  indexer: Indexer;
  tracer: Tracer;
};

/** Runs one attempt at a compaction; whatever is said through `abort` aborts it. */
export function compact({
  task,
  trace,
}: Sent<{ job: CompactionJob; abort: MessagePort }>): Promise<Answer<JobResult>> {
  return answered(trace, ({ worker }) =>
    abortable(task.abort, (signal) => compactSession(worker)(task.job, signal)),
  );
}

/** Whether a job is going to ask a model. */
export function looksAhead({ task, trace }: Sent<CompactionJob>): Promise<Answer<boolean>> {
  return answered(trace, ({ worker }) => asksModel(worker)(task));
}

/** Answers a request as the process itself would. */
export async function answer({
  task,
  trace,
}: Sent<{ request: SentRequest; abort: MessagePort }>): Promise<Answer<SentAnswer>> {
  const sent = await answered(trace, ({ app }) =>
    abortable(task.abort, (signal) => answerSent(app, task.request, signal)),
  );
  if (!sent.ok) return sent;
  const { buffer } = sent.value.body;
  // Piscina takes it apart again, which its types cannot tell: the buffer is not copied.
  return move({
    [transferableSymbol]: [buffer],
    [valueSymbol]: sent,
  }) as unknown as typeof sent;
}

/** Plans a turn of the gateway. */
export function planTurn({ task, trace }: Sent<TurnAsked>): Promise<Answer<Outcome<TurnPlan>>> {
  return answered(trace, ({ turns }) => turns.plan(task));
}

/** Records an answer of the gateway. */
export function recordAnswer({ task, trace }: Sent<Recorded>): Promise<Answer<Outcome<null>>> {
  return answered(trace, ({ turns }) => turns.record(task));
}

/** Makes a turn of the gateway ready for its provider from its body alone. */
export function reviseTurn({
  task,
  trace,
}: Sent<{ request: TurnAsked; revision: Revision }>): Promise<Answer<Outcome<Revised>>> {
  return answered(trace, ({ turns }) => turns.revise(task.request, task.revision));
}

/** Answers a compaction that a client of the gateway asks for. */
export function compactForClient({
  task,
  trace,
}: Sent<{ request: TurnAsked; wait_seconds: number }>): Promise<Answer<Outcome<ForClient>>> {
  return answered(trace, ({ turns }) => turns.compact(task.request, task.wait_seconds));
}

/** Answers a call of a tool of ours inside of the gateway. */
export function lookUp({ task, trace }: Sent<LookUp>): Promise<Answer<LookedUp>> {
  return answered(trace, ({ turns }) => turns.lookUp(task));
}

/** Indexes the next events of a session; whether there are more. */
export function index({ task, trace }: Sent<SessionRef>): Promise<Answer<boolean>> {
  return answered(trace, ({ indexer }) => indexer.advance(task));
}

/** Brings a session back from the archive, where it is still there. */
export function bringBack({ task, trace }: Sent<SessionRef>): Promise<Answer<void>> {
  return answered(trace, async ({ store }) => {
    await store.events(task, { after: 0, limit: 1 });
  });
}

/** What a task comes to that belongs to `trace`. */
function answered<T>(
  trace: string | undefined,
  run: (own: Parts) => Promise<T>,
): Promise<Answer<T>> {
  return answerOf(async () => {
    const own = await parts();
    return own.tracer.within(trace, () => run(own));
  });
}

async function abortable<T>(port: MessagePort, run: (signal: AbortSignal) => Promise<T>) {
  const controller = new AbortController();
  port.once('message', () => controller.abort());
  try {
    return await run(controller.signal);
  } finally {
    port.close();
  }
}

/** A thread whose store cannot be opened now may open it for its next task. */
function parts(): Promise<Parts> {
  opening ??= openParts().catch((error: unknown) => {
    opening = null;
    throw error;
  });
  return opening;
}

async function openParts(): Promise<Parts> {
  const opened = await openStore(
    settings.database,
    (error) => log.error({ err: error }, 'the connection to the store is in trouble'),
    {
      archive: settings.archive,
      onCommitted: (key) => tell({ kind: 'committed', key }),
      onTrouble: () => tell({ kind: 'trouble' }),
    },
  );
  const tracer = await openTracingOfThread(settings, (span) => tell({ kind: 'traced', span }));
  const record = (measurement: Measurement) => tell({ kind: 'measured', measurement });
  const store = measuredStore(opened, {
    record,
    tracer,
    ...explainCommits(
      log,
      () => rules.world,
      () => new Date(),
    ),
  });
  const dispatch = (job: CompactionJob) =>
    tell({ kind: 'dispatch', job: { ...job, trace: tracer.current() } });
  const observe = measuredSteps(observeSteps(log, tracer), record);
  // The process follows the log: this one sees to what a search waits for, and to what is large.
  const indexer = new Indexer(store, () => {});
  const api = restApi(rules, settings, log, {
    observe,
    store,
    indexer,
    dispatch,
    awaitPacket: (ref, deadline_ms) => tell({ kind: 'await_packet', ref, deadline_ms }),
    cancelJob: (compaction_id) => tell({ kind: 'cancel', compaction_id }),
    storedSecret,
    // The process has looked already.
    knownBodies: {
      beginning: async () => null,
      keep: (session, body) => tell({ kind: 'body_kept', session, body }),
    },
    // The process answers for both itself.
    probes: { store: () => store.ping(), queue: async () => {} },
    dashboard: { jobs: null, operatorKey: null },
    recordings: new Recordings(),
    // The process counts a request when it comes.
    onTurn: () => {},
    onSearch: searchObserver(record, log),
    metrics: { page: () => Promise.reject(new Error('a thread has no metrics')) },
  });
  // The process has counted the request already.
  const limits = { ...api.limits, rate_per_minute_per_key: null };
  const opaque = new OpaqueContent(settings.compaction_secret, settings.api_keys, storedSecret);
  return {
    store,
    tracer,
    indexer,
    worker: compactionWorker(rules, settings, environment, { store, log, observe, dispatch }),
    app: createApp({ ...api, limits }),
    turns: turnTasks({ ...api, opaque, offered: GATEWAY_TOOLS }, lookUpTool(api), null),
  };
}

function tell(message: ThreadMessage): void {
  parentPort?.postMessage(message);
}
