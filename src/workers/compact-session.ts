import { type FullPlan, finishFull, type Summary } from '../domain/compaction/full.ts';
import { type CompactionPlan, planCompaction } from '../domain/compaction/plan.ts';
import type { Templates } from '../domain/compaction/prompt.ts';
import type { Config } from '../domain/policy/config.ts';
import {
  completeFull,
  completeMicro,
  skipCompaction,
  startCompaction,
} from '../domain/session/compaction-commands.ts';
import { configOf, type Settings } from '../domain/session/head.ts';
import { withSafetyMargin } from '../domain/tokens/count.ts';
import { counterFor } from '../domain/tokens/tokenizers.ts';
import {
  AttemptLog,
  commitStep,
  DONE,
  type FailureText,
  isStoreAway,
  type Loaded,
  type LogDependencies,
} from './attempt-log.ts';
import { backoffMs } from './backoff.ts';
import type { SummarizerChoice } from './choose-summarizer.ts';
import type { CompactionJob, JobHandler, JobResult } from './job-engine.ts';
import { type SummaryJob, summarizeFromLog, summarizeWithModel } from './summarize-plan.ts';
import { refreshFromWorkspace } from './workspace.ts';

export type WorkerDependencies = LogDependencies & {
  templates: Templates;
  chooseSummarizer: (settings: Settings, config: Config) => SummarizerChoice;
  /** The operator's folder that files may be restored from, or null. */
  workspaceRoot: string | null;
  /** Makes the tokenizer of a session's configuration available in `world`. */
  prepare: (settings: Settings) => Promise<void>;
  /** Told of what a run throws; the log of the session gets the name of the error only. */
  onError: (error: unknown, job: CompactionJob) => void;
  /** Told of a job whose session the store does not have: erased, or of another store. */
  onUnknownSession: (job: CompactionJob) => void;
  newId: () => string;
};

/** Attempts beyond this many were cut off by crashes: the job itself may be what kills the process. */
const MOST_STARTS = 20;
/** An attempt from this one on that throws is the last: what throws is most likely the job itself. */
const MOST_THROWS = 5;
const INTERRUPTED = {
  reason: 'interrupted',
  message: 'the attempts before this one were cut off by restarts of the worker, or broke off',
} as const;

/** The wait for a store that is away is that after an attempt of this number: four to eight seconds. */
const STORE_AWAY_ATTEMPT = 5;

/**
 * The one handler of compaction jobs. Running it after the end changes nothing; of two runs at the
 * same time only the one that started last is listened to (SPEC section 17). What a run throws
 * becomes a failed attempt; when the store is away the job comes again. Throws only when a failure
 * cannot be written for another reason.
 */
export function compactSession(deps: WorkerDependencies): JobHandler {
  return async (job, signal) => {
    try {
      return await attempt(deps, job, signal);
    } catch (error) {
      if (!isStoreAway(error)) throw error;
      deps.onError(error, job);
      return { kind: 'retry', after_ms: backoffMs(STORE_AWAY_ATTEMPT, undefined, deps.random()) };
    }
  };
}

async function attempt(
  deps: WorkerDependencies,
  job: CompactionJob,
  signal: AbortSignal,
): Promise<JobResult> {
  const startedMs = deps.now().getTime();
  const started = await commitStep(deps, job.ref, () =>
    startCompaction(deps.world, job.compaction_id),
  );
  if (started === null) deps.onUnknownSession(job);
  if (!started?.applied) return DONE;
  const { compaction_id } = job;
  const log = new AttemptLog(deps, job.ref, { compaction_id, attempt: started.attempt });
  const run = new Run(deps, log, signal, startedMs);
  try {
    return await run.compact();
  } catch (error) {
    if (isStoreAway(error)) throw error;
    deps.onError(error, job);
    return run.breakOff(error);
  }
}

/** One attempt at one compaction: plan, then skip, micro or full (SPEC sections 7, 8, 10). */
class Run {
  readonly #deps: WorkerDependencies;
  readonly #log: AttemptLog;
  readonly #signal: AbortSignal;
  readonly #startedMs: number;

  constructor(deps: WorkerDependencies, log: AttemptLog, signal: AbortSignal, startedMs: number) {
    this.#deps = deps;
    this.#log = log;
    this.#signal = signal;
    this.#startedMs = startedMs;
  }

  async compact(): Promise<JobResult> {
    const state = await this.#log.load();
    if (state === null) return DONE;
    const { head, view, running } = state;
    if (running.attempt > MOST_STARTS) return this.#log.end(INTERRUPTED);
    await this.#deps.prepare(head.settings);
    const plan = planCompaction(this.#deps.world, head, view, {
      mode: running.mode,
      trigger: running.trigger,
    });
    switch (plan.kind) {
      case 'skip':
        await this.#log.commit((clock) =>
          skipCompaction(this.#deps.world, this.#log.attempt, plan.skip, clock),
        );
        return DONE;
      case 'micro':
        return this.#micro(plan);
      case 'full':
        return this.#full(plan, state);
      default:
        return plan satisfies never;
    }
  }

  /** Ends the attempt after a mistake of our own; never its message, which may quote the items. */
  breakOff(error: unknown): Promise<JobResult> {
    const name = error instanceof Error ? error.name : typeof error;
    const failure = {
      reason: 'interrupted',
      message: `the attempt broke off: ${name}`,
    } as const;
    return this.#log.attempt.attempt < MOST_THROWS
      ? this.#log.retry(failure)
      : this.#log.end(failure);
  }

  async #micro(plan: Extract<CompactionPlan, { kind: 'micro' }>): Promise<JobResult> {
    await this.#log.commit((clock) =>
      completeMicro(
        this.#deps.world,
        this.#log.attempt,
        {
          strategy: plan.strategy,
          edits: plan.micro.edits,
          tokens_saved: plan.micro.tokens_saved,
          duration_ms: clock.now_ms - this.#startedMs,
        },
        clock,
      ),
    );
    return DONE;
  }

  async #full(plan: FullPlan, state: Loaded): Promise<JobResult> {
    const { head, running, request } = state;
    const config = configOf(head.settings, this.#deps.world.server);
    const count = counterFor(config, this.#deps.world.tokenizers);
    const job: SummaryJob = {
      plan,
      config,
      count,
      templates: this.#deps.templates,
      instructions: request.instructions,
      focus: request.focus,
      signal: this.#signal,
      now: () => this.#deps.now().getTime(),
    };
    const choice = this.#deps.chooseSummarizer(head.settings, config);
    if (choice.kind === 'extractive') return this.#finish(state, summarizeFromLog(job), job);
    if (choice.kind === 'unusable') {
      const { message } = choice;
      return this.#fallBack(state, job, { reason: 'api_error', message });
    }
    if (running.attempt > config.summarizer_max_attempts) {
      return this.#fallBack(state, job, INTERRUPTED);
    }
    const result = await summarizeWithModel(choice.model, job);
    if (result.ok) return this.#finishModel(state, result.summary, job);
    if (this.#signal.aborted) return DONE;
    // Not the whole result: what is spread into an event becomes part of the log.
    const { reason, message } = result;
    const most = Math.min(config.summarizer_max_attempts, result.most_attempts ?? Infinity);
    return result.retryable && running.attempt < most
      ? this.#log.retry({ reason, message }, result.retry_after_ms)
      : this.#fallBack(state, job, { reason, message });
  }

  /** What remains when the model has failed for good (SPEC section 10, fallback chain). */
  async #fallBack(state: Loaded, job: SummaryJob, failure: FailureText): Promise<JobResult> {
    const { head, view, running } = state;
    for (const fallback of job.config.summarizer_fallback) {
      switch (fallback) {
        case 'extractive':
          await this.#log.goOn(failure);
          return this.#finish(state, summarizeFromLog(job), job);
        case 'micro': {
          const micro = planCompaction(this.#deps.world, head, view, {
            mode: 'micro',
            trigger: running.trigger,
          });
          if (micro.kind !== 'micro') break;
          await this.#log.goOn(failure);
          return this.#micro(micro);
        }
        default:
          fallback satisfies never;
      }
    }
    return this.#log.end(failure);
  }

  /** A model's summary that is longer than what it stands for gives way to the one from the log. */
  async #finishModel(state: Loaded, summary: Summary, job: SummaryJob): Promise<JobResult> {
    const { config, plan } = job;
    const { report } = finishFull({ ...plan, files: [] }, summary, {
      ...this.#finishContext(state, job),
      boundary_uuid: '',
      at: '',
      duration_ms: 0,
    });
    const after = withSafetyMargin(plan.kept_tokens + report.replacement_tokens, config);
    const isSmaller =
      report.replacement_tokens < report.covered_tokens && after < plan.tokens_before;
    if (isSmaller || !config.summarizer_fallback.includes('extractive')) {
      return this.#finish(state, summary, job);
    }
    const message = `the summary of ${summary.model} would not make the context smaller`;
    await this.#log.goOn({ reason: 'no_summary', message });
    // The answer has cost what it cost.
    return this.#finish(state, { ...summarizeFromLog(job), usage: summary.usage }, job);
  }

  async #finish(state: Loaded, summary: Summary, job: SummaryJob): Promise<JobResult> {
    const { plan, config, count } = job;
    const root = this.#deps.workspaceRoot;
    const files =
      root === null ? plan.files : await refreshFromWorkspace(plan.files, root, config, count);
    await this.#log.commit((clock) =>
      completeFull(
        this.#deps.world,
        this.#log.attempt,
        finishFull({ ...plan, files }, summary, {
          ...this.#finishContext(state, job),
          boundary_uuid: this.#deps.newId(),
          at: clock.at,
          duration_ms: clock.now_ms - this.#startedMs,
        }),
        clock,
      ),
    );
    return DONE;
  }

  #finishContext({ view, running }: Loaded, { config, count }: SummaryJob) {
    return { view, config, count, is_automatic: running.trigger === 'auto' };
  }
}
