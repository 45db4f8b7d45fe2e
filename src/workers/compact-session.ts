import type { EventStore, SessionRef } from '../db/event-store.ts';
import { loadView } from '../db/load-view.ts';
import { type FullPlan, finishFull, type Summary } from '../domain/compaction/full.ts';
import { type CompactionPlan, planCompaction } from '../domain/compaction/plan.ts';
import type { Templates } from '../domain/compaction/prompt.ts';
import type { View } from '../domain/context/view.ts';
import type { Config } from '../domain/policy/config.ts';
import {
  type Applied,
  completeFull,
  completeMicro,
  type Failure,
  failCompaction,
  type Skip,
  skipCompaction,
  startCompaction,
} from '../domain/session/compaction-commands.ts';
import type { Decide } from '../domain/session/decision.ts';
import type { EventOf } from '../domain/session/events.ts';
import { configOf, type Head, type Running, type Settings } from '../domain/session/head.ts';
import type { World } from '../domain/session/world.ts';
import { counterFor } from '../domain/tokens/tokenizers.ts';
import { backoffMs } from './backoff.ts';
import type { SummarizerChoice } from './choose-summarizer.ts';
import type { CompactionJob, JobHandler, JobResult } from './job-engine.ts';
import { type SummaryJob, summarizeFromLog, summarizeWithModel } from './summarize-plan.ts';
import { refreshFromWorkspace } from './workspace.ts';

export type WorkerDependencies = {
  store: EventStore;
  world: World;
  templates: Templates;
  chooseSummarizer: (settings: Settings, config: Config) => SummarizerChoice;
  /** The operator's folder that files may be restored from, or null. */
  workspaceRoot: string | null;
  /** Makes the tokenizer of a session's configuration available in `world`. */
  prepare: (settings: Settings) => Promise<void>;
  now: () => Date;
  newId: () => string;
  random: () => number;
};

/**
 * Attempts beyond this many were cut off by crashes: the job itself may be what kills the process.
 */
const MOST_STARTS = 20;
const INTERRUPTED = {
  reason: 'interrupted',
  message: 'the attempts were cut off by restarts of the worker',
} as const;
const DONE: JobResult = { kind: 'done' };

/** The one handler of compaction jobs. Running it twice, or after the end, changes nothing. */
export function compactSession(deps: WorkerDependencies): JobHandler {
  return (job, signal) => new Compaction(deps, job, signal).run();
}

/** One run of one compaction: start, plan, then skip, micro or full (SPEC sections 7, 8, 10). */
class Compaction {
  readonly #deps: WorkerDependencies;
  readonly #ref: SessionRef;
  readonly #id: string;
  readonly #signal: AbortSignal;
  readonly #startedMs: number;

  constructor(deps: WorkerDependencies, job: CompactionJob, signal: AbortSignal) {
    this.#deps = deps;
    this.#ref = job.ref;
    this.#id = job.compaction_id;
    this.#signal = signal;
    this.#startedMs = deps.now().getTime();
  }

  async run(): Promise<JobResult> {
    const { world } = this.#deps;
    if (!(await this.#commit(() => startCompaction(world, this.#id)))) return DONE;
    const state = await this.#load();
    if (state === null) return DONE;
    const { head, view, running } = state;
    if (running.attempt > MOST_STARTS) {
      await this.#fail({ ...INTERRUPTED, will_retry: false });
      return DONE;
    }
    await this.#deps.prepare(head.settings);
    const plan = planCompaction(world, head, view, {
      mode: running.mode,
      trigger: running.trigger,
    });
    switch (plan.kind) {
      case 'skip':
        return this.#skip(plan.skip);
      case 'micro':
        return this.#micro(plan);
      case 'full':
        return this.#full(plan, state);
      default:
        return plan satisfies never;
    }
  }

  async #micro(plan: Extract<CompactionPlan, { kind: 'micro' }>): Promise<JobResult> {
    await this.#commit((clock) =>
      completeMicro(
        this.#deps.world,
        this.#id,
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
    const { head, view, running, request } = state;
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
    if (choice.kind === 'extractive') {
      return this.#finish(plan, view, running, summarizeFromLog(job), job);
    }
    if (choice.kind === 'unusable') {
      const { message } = choice;
      return this.#fallBack(plan, state, job, { reason: 'api_error', message });
    }
    if (running.attempt > config.summarizer_max_attempts) return this.#fallBack(plan, state, job);
    const result = await summarizeWithModel(choice.model, job);
    if (result.ok) return this.#finish(plan, view, running, result.summary, job);
    if (this.#signal.aborted) return DONE;
    const isLast = running.attempt >= config.summarizer_max_attempts;
    if (result.retryable && !isLast) {
      await this.#fail({ reason: result.reason, message: result.message, will_retry: true });
      const { random } = this.#deps;
      return {
        kind: 'retry',
        after_ms: backoffMs(running.attempt, result.retry_after_ms, random()),
      };
    }
    // Not the whole result: what is spread into an event becomes part of the log.
    const { reason, message } = result;
    return this.#fallBack(plan, state, job, { reason, message });
  }

  /** What remains when the model has failed for good (SPEC section 10, fallback chain). */
  async #fallBack(
    plan: FullPlan,
    { head, view, running }: Loaded,
    job: SummaryJob,
    failure: Pick<Failure, 'reason' | 'message'> = INTERRUPTED,
  ): Promise<JobResult> {
    for (const fallback of job.config.summarizer_fallback) {
      switch (fallback) {
        case 'extractive':
          await this.#fail({ ...failure, will_retry: true });
          return this.#finish(plan, view, running, summarizeFromLog(job), job);
        case 'micro': {
          const micro = planCompaction(this.#deps.world, head, view, {
            mode: 'micro',
            trigger: running.trigger,
          });
          if (micro.kind !== 'micro') break;
          await this.#fail({ ...failure, will_retry: true });
          return this.#micro(micro);
        }
        default:
          fallback satisfies never;
      }
    }
    await this.#fail({ ...failure, will_retry: false });
    return DONE;
  }

  async #finish(
    plan: FullPlan,
    view: View,
    running: Running,
    summary: Summary,
    { config, count }: SummaryJob,
  ): Promise<JobResult> {
    const root = this.#deps.workspaceRoot;
    const files =
      root === null ? plan.files : await refreshFromWorkspace(plan.files, root, config, count);
    await this.#commit((clock) =>
      completeFull(
        this.#deps.world,
        this.#id,
        finishFull({ ...plan, files }, summary, {
          view,
          config,
          count,
          is_automatic: running.trigger === 'auto',
          boundary_uuid: this.#deps.newId(),
          at: clock.at,
          duration_ms: clock.now_ms - this.#startedMs,
        }),
        clock,
      ),
    );
    return DONE;
  }

  async #skip(skip: Skip): Promise<JobResult> {
    await this.#commit((clock) => skipCompaction(this.#deps.world, this.#id, skip, clock));
    return DONE;
  }

  async #fail(failure: Failure): Promise<void> {
    await this.#commit((clock) => failCompaction(this.#deps.world, this.#id, failure, clock));
  }

  /** Head, view and request of this compaction while it is the one under way, else null. */
  async #load(): Promise<Loaded | null> {
    const { store } = this.#deps;
    const head = await store.head(this.#ref);
    const running = head?.state.running;
    if (!head || running?.id !== this.#id) return null;
    const view = await loadView(store, this.#ref, head.state.version);
    const [event] = await store.events(this.#ref, {
      after: running.requested_version - 1,
      up_to: running.requested_version,
    });
    if (view === null || event?.type !== 'compaction.requested') return null;
    return { head, view, running, request: event.data };
  }

  /** Commits a step; false when the compaction had ended, or the session was erased, meanwhile. */
  async #commit(
    decide: (clock: { now_ms: number; at: string }) => Decide<Applied>,
  ): Promise<boolean> {
    const now = this.#deps.now();
    const clock = { now_ms: now.getTime(), at: now.toISOString() };
    const outcome = await this.#deps.store.commit(this.#ref, decide(clock), { at: clock.at });
    if (outcome.ok) return outcome.value.value.applied;
    const { code } = outcome.rejection;
    if (code === 'session_not_found') return false;
    throw new Error(`a worker's step was refused: ${code}`);
  }
}

type Loaded = {
  head: Head;
  view: View;
  running: Running;
  request: EventOf<'compaction.requested'>['data'];
};
