import { lastUsed } from '../app/last-used.ts';
import type { Tracer } from '../app/ports/tracer.ts';
import type { CompactionJob, JobEngine, JobHandler } from '../workers/engines/job-engine.ts';

/** Requests whose jobs could not be handed over are remembered, so that a later round joins them. */
const REMEMBERED = 10_000;

/**
 * The engine, with the way of each job traced: `dispatch` where it is handed over, `job` where it runs,
 * in whichever process. What belongs to no request is not told of when it is handed over: rounds of the
 * dispatcher would tell of the same jobs again and again.
 */
export function tracedEngine(engine: JobEngine, tracer: Tracer): JobEngine {
  const waiting = lastUsed<string>(REMEMBERED);
  const enqueue = async (job: CompactionJob) => {
    const { compaction_id } = job;
    const parent = job.trace ?? tracer.current() ?? waiting.get(compaction_id);
    if (parent === undefined) return engine.enqueue(job);
    waiting.set(compaction_id, parent);
    await tracer.span('dispatch', { kind: 'producer', parent, facts: factsOf(job) }, () =>
      engine.enqueue({ ...job, trace: tracer.current() }),
    );
    waiting.delete(compaction_id);
  };
  const traced =
    (handler: JobHandler): JobHandler =>
    (job, signal) =>
      tracer.span(
        'job',
        { kind: 'consumer', parent: job.trace, facts: factsOf(job) },
        async (span) => {
          const result = await handler(job, signal);
          span.add({ 'palimpsest.outcome': result.kind });
          return result;
        },
      );
  return {
    enqueue,
    start: (handler, asksModel) =>
      engine.start(
        traced(handler),
        asksModel && ((job) => tracer.within(job.trace, () => asksModel(job))),
      ),
    cancel: (id) => engine.cancel(id),
    ping: () => engine.ping(),
    stop: (graceMs) => engine.stop(graceMs),
  };
}

function factsOf({ ref, compaction_id }: CompactionJob) {
  return {
    'palimpsest.session_id': ref.session_id,
    'palimpsest.compaction_id': compaction_id,
  };
}
