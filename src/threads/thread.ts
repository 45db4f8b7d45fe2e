import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { compactionWorker, rulesOf } from '../compaction-worker.ts';
import { openLog } from '../open-log.ts';
import { openStore } from '../open-store.ts';
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
const { settings, environment } = workerData as ThreadData;
const log = openLog(settings);
const rules = rulesOf(settings, environment);
let opening: Promise<WorkerDependencies> | null = null;

/** Runs one attempt at a compaction; whatever is said through `abort` aborts it. */
export function compact(task: {
  job: CompactionJob;
  abort: MessagePort;
}): Promise<Answer<JobResult>> {
  const controller = new AbortController();
  task.abort.once('message', () => controller.abort());
  return answerOf(async () => {
    try {
      return await compactSession(await worker())(task.job, controller.signal);
    } finally {
      task.abort.close();
    }
  });
}

/** Whether a job is going to ask a model. */
export function looksAhead(job: CompactionJob): Promise<Answer<boolean>> {
  return answerOf(async () => asksModel(await worker())(job));
}

/** A thread whose store cannot be opened now may open it for its next task. */
function worker(): Promise<WorkerDependencies> {
  opening ??= openWorker().catch((error: unknown) => {
    opening = null;
    throw error;
  });
  return opening;
}

async function openWorker(): Promise<WorkerDependencies> {
  const store = await openStore(
    settings.database,
    (error) => log.error({ err: error }, 'the connection to the store is in trouble'),
    { onCommitted: (key) => tell({ kind: 'committed', key }) },
  );
  const dispatch = (job: CompactionJob) => tell({ kind: 'dispatch', job });
  return compactionWorker(rules, settings, environment, { store, log, dispatch });
}

function tell(message: ThreadMessage): void {
  parentPort?.postMessage(message);
}
