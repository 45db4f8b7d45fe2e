import type { Queue } from 'bullmq';
import type { Logger } from 'pino';
import { SettingsError } from './config/settings-error.ts';
import type { ServerSettings } from './config.ts';
import { missingPart } from './optional-parts.ts';
import { InProcessEngine } from './workers/engines/in-process-engine.ts';
import type { CompactionJob, JobEngine } from './workers/engines/job-engine.ts';

/** The engine, and its queue for the dashboard; null: there is none, jobs run in this process. */
type OpenEngine = { engine: JobEngine; queue: Queue | null };

/**
 * The engine that the settings name: jobs in this process, or in Redis. `onAvailable` is called when
 * Redis can be reached again: what was requested meanwhile has to be handed over. Throws SettingsError
 * where the packages of the queue are not installed.
 */
export async function openEngine(
  settings: Pick<ServerSettings, 'queue' | 'worker_concurrency'>,
  log: Logger,
  onAvailable: () => void,
): Promise<OpenEngine> {
  const concurrency = settings.worker_concurrency;
  const onError = (error: unknown, job: CompactionJob | null) => {
    if (job !== null) {
      log.error(
        { err: error, compaction_id: job.compaction_id },
        'a compaction job failed with an unexpected error',
      );
      return;
    }
    // Its text may be logged: Redis holds ids only, and the engine takes arguments out.
    log.error({ err: error }, error instanceof Error ? error.message : 'trouble with the queue');
  };
  if (settings.queue === null) {
    return {
      engine: new InProcessEngine({ concurrency, onError }),
      queue: null,
    };
  }
  const missing = missingPart('queue');
  if (missing !== null) throw new SettingsError(`REDIS_URL cannot be used: ${missing}`);
  const { BullMqEngine } = await import('./workers/engines/bullmq-engine.ts');
  const engine = new BullMqEngine({
    ...settings.queue,
    concurrency,
    onError,
    onUnavailable: (error) =>
      log.error(
        `${error.message}; compactions wait in the log, and are handed over when it is back`,
      ),
    onAvailable: () => {
      log.info('the queue can be reached again');
      onAvailable();
    },
  });
  return { engine, queue: engine.queue };
}
