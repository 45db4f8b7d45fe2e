import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { OpenAPIHono } from '@hono/zod-openapi';
import { move, transferableSymbol, valueSymbol } from 'piscina';
import { createApp } from '../api/create-app.ts';
import { answerSent, type SentAnswer, type SentRequest } from '../api/http/elsewhere.ts';
import type { TurnPlan } from '../app/gateway/plan-turn.ts';
import type { Recorded } from '../app/gateway/record-answer.ts';
import type { TurnRequest } from '../app/gateway/turn-request.ts';
import { type TurnTasks, turnTasks } from '../app/gateway/turn-tasks.ts';
import { OpaqueContent } from '../app/opaque-content.ts';
import { Indexer } from '../app/search/indexer.ts';
import { compactionWorker, rulesOf } from '../compaction-worker.ts';
import type { Outcome } from '../domain/session/errors.ts';
import { measuredStore } from '../metrics/measured-store.ts';
import { openLog } from '../open-log.ts';
import { openStore } from '../open-store.ts';
import { restApi } from '../rest-api.ts';
import { asksModel } from '../workers/compaction/asks-model.ts';
import { compactSession } from '../workers/compaction/compact-session.ts';
import type { WorkerDependencies } from '../workers/compaction/dependencies.ts';
import type { CompactionJob, JobResult } from '../workers/engines/job-engine.ts';
import { type Answer, answerOf, type ThreadData, type ThreadMessage } from './messages.ts';

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

type Parts = { worker: WorkerDependencies; app: OpenAPIHono; turns: TurnTasks };

/** Runs one attempt at a compaction; whatever is said through `abort` aborts it. */
export function compact(task: {
  job: CompactionJob;
  abort: MessagePort;
}): Promise<Answer<JobResult>> {
  return answerOf(async () => {
    const { worker } = await parts();
    return abortable(task.abort, (signal) => compactSession(worker)(task.job, signal));
  });
}

/** Whether a job is going to ask a model. */
export function looksAhead(job: CompactionJob): Promise<Answer<boolean>> {
  return answerOf(async () => asksModel((await parts()).worker)(job));
}

/** Answers a request as the process itself would. */
export async function answer(task: {
  request: SentRequest;
  abort: MessagePort;
}): Promise<Answer<SentAnswer>> {
  const answered = await answerOf(async () => {
    const { app } = await parts();
    return abortable(task.abort, (signal) => answerSent(app, task.request, signal));
  });
  if (!answered.ok) return answered;
  const { buffer } = answered.value.body;
  // Piscina takes it apart again, which its types cannot tell: the buffer is not copied.
  return move({
    [transferableSymbol]: [buffer],
    [valueSymbol]: answered,
  }) as unknown as typeof answered;
}

/** Plans a turn of the gateway. */
export function planTurn(request: TurnRequest): Promise<Answer<Outcome<TurnPlan>>> {
  return answerOf(async () => (await parts()).turns.plan(request));
}

/** Records an answer of the gateway. */
export function recordAnswer(recorded: Recorded): Promise<Answer<Outcome<null>>> {
  return answerOf(async () => (await parts()).turns.record(recorded));
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
      onCommitted: (key) => tell({ kind: 'committed', key }),
      onTrouble: () => tell({ kind: 'trouble' }),
    },
  );
  const store = measuredStore(opened, (measurement) => tell({ kind: 'measured', measurement }));
  const dispatch = (job: CompactionJob) => tell({ kind: 'dispatch', job });
  const api = restApi(rules, settings, log, {
    store,
    // The process follows the log: this one only sees to what a search waits for.
    indexer: new Indexer(store, () => {}),
    dispatch,
    awaitPacket: (ref, deadline_ms) => tell({ kind: 'await_packet', ref, deadline_ms }),
    cancelJob: (compaction_id) => tell({ kind: 'cancel', compaction_id }),
    storedSecret,
    // The process answers for both itself.
    probes: { store: () => store.ping(), queue: async () => {} },
    dashboard: { jobs: null, operatorKey: null },
    metrics: { page: () => Promise.reject(new Error('a thread has no metrics')) },
  });
  // The process has counted the request already.
  const limits = { ...api.limits, rate_per_minute_per_key: null };
  const opaque = new OpaqueContent(settings.compaction_secret, settings.api_keys, storedSecret);
  return {
    worker: compactionWorker(rules, settings, environment, { store, log, dispatch }),
    app: createApp({ ...api, limits }),
    turns: turnTasks({ ...api, opaque }, null),
  };
}

function tell(message: ThreadMessage): void {
  parentPort?.postMessage(message);
}
