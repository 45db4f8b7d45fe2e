import type { FinishContext } from '../domain/compaction/finish-full.ts';
import type { FullPlan } from '../domain/compaction/full.ts';
import { type CompactionPlan, planCompaction, planRequest } from '../domain/compaction/plan.ts';
import type { RemotePlan } from '../domain/compaction/remote.ts';
import { skipCompaction, startCompaction } from '../domain/session/compaction-commands.ts';
import {
  completeFull,
  completeMicro,
  type FullResult,
  type PacketText,
} from '../domain/session/complete-compaction.ts';
import type { Mode } from '../domain/session/events.ts';
import { configOf, type Settings } from '../domain/session/head.ts';
import { requestAgain } from '../domain/session/request-again.ts';
import { counterFor } from '../domain/tokens/tokenizers.ts';
import {
  AttemptLog,
  commitStep,
  DONE,
  INTERRUPTED,
  isStoreAway,
  type Loaded,
} from './attempt-log.ts';
import { backoffMs } from './backoff.ts';
import {
  CompactionHooks,
  displayMessage,
  type HookDependencies,
  type HookVerdict,
  joinedInstructions,
} from './hooks/compaction-hooks.ts';
import type { CompactionJob, JobHandler, JobResult } from './job-engine.ts';
import { packetText } from './packet-text.ts';
import type { RemoteCompactor } from './remote/remote-compactor.ts';
import { runRemote } from './remote/run-remote.ts';
import { type FullDependencies, runFull } from './run-full.ts';

export type WorkerDependencies = HookDependencies &
  FullDependencies & {
    compactRemotely: RemoteCompactor;
    /** Makes the tokenizer of a session's configuration available in `world`. */
    prepare: (settings: Settings) => Promise<void>;
    /** Told of what a run throws; the log of the session gets the name of the error only. */
    onError: (error: unknown, job: CompactionJob) => void;
    /** Told of a job whose session the store does not have: erased, or of another store. */
    onUnknownSession: (job: CompactionJob) => void;
    newId: () => string;
    /** Hands over the compaction that has to follow. */
    dispatch: (job: CompactionJob) => void;
  };

/** Attempts beyond this many were cut off by crashes: the job itself may be what kills the process. */
const MOST_STARTS = 20;
/** An attempt from this one on that throws is the last: what throws is most likely the job itself. */
const MOST_THROWS = 5;
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
  const number = await start(deps, job);
  if (number === null) return DONE;
  const { compaction_id } = job;
  const log = new AttemptLog(deps, job.ref, { compaction_id, attempt: number });
  const hooks = new CompactionHooks(deps, job.ref, log, signal);
  const run = new Run(deps, log, hooks, signal, startedMs);
  let result: JobResult;
  try {
    result = await run.compact();
  } catch (error) {
    if (isStoreAway(error)) throw error;
    deps.onError(error, job);
    return run.breakOff(error);
  }
  // The compaction has ended: what goes wrong from here on is no failure of it.
  if (result.kind === 'done') {
    await goOnIfFull(deps, job, run).catch((error) => deps.onError(error, job));
  }
  return result;
}

/** The number of the attempt that begins; null when there is nothing left to do. */
async function start(deps: WorkerDependencies, job: CompactionJob): Promise<number | null> {
  const started = await commitStep(deps, job.ref, () =>
    startCompaction(deps.world, job.compaction_id),
  );
  if (started === null) deps.onUnknownSession(job);
  return started?.applied ? started.attempt : null;
}

/** Items that came while it ran may have filled the window, and nobody else would ask for more. */
async function goOnIfFull(
  deps: WorkerDependencies,
  { ref }: CompactionJob,
  { itemsSeen }: Run,
): Promise<void> {
  const head = await deps.store.head(ref);
  if (itemsSeen === null || head === null || head.state.items <= itemsSeen) return;
  const compaction_id = deps.newId();
  const again = await commitStep(deps, ref, ({ now_ms }) =>
    requestAgain(deps.world, { compaction_id, items_seen: itemsSeen, now_ms }),
  );
  if (again?.applied) deps.dispatch({ ref, compaction_id });
}

/** One attempt at one compaction: plan, then skip, micro or full (SPEC sections 7, 8, 10). */
class Run {
  readonly #deps: WorkerDependencies;
  readonly #log: AttemptLog;
  readonly #hooks: CompactionHooks;
  readonly #signal: AbortSignal;
  readonly #startedMs: number;
  #displayMessage: string | undefined;
  /** What is appended with the compaction, where a packet belongs to it. */
  #packet: PacketText | null = null;
  /** Items of the session when the compaction was planned; null when it was not. */
  itemsSeen: number | null = null;

  constructor(
    deps: WorkerDependencies,
    log: AttemptLog,
    hooks: CompactionHooks,
    signal: AbortSignal,
    startedMs: number,
  ) {
    this.#deps = deps;
    this.#log = log;
    this.#hooks = hooks;
    this.#signal = signal;
    this.#startedMs = startedMs;
  }

  async compact(): Promise<JobResult> {
    const state = await this.#log.load();
    if (state === null) return DONE;
    const { head, running } = state;
    if (running.attempt > MOST_STARTS) return this.#log.end(INTERRUPTED);
    await this.#deps.prepare(head.settings);
    this.itemsSeen = head.state.items;
    const plan = this.#plan(state, running.mode);
    if (plan.kind !== 'skip') this.#packet = await packetText(this.#deps, this.#log, state);
    switch (plan.kind) {
      case 'skip':
        await this.#log.commit((clock) =>
          skipCompaction(this.#deps.world, this.#log.attempt, plan.skip, clock),
        );
        return DONE;
      case 'micro':
        return this.#micro(plan);
      case 'full':
        return this.#afterPreCompact(state, (instructed) => this.#full(plan, instructed));
      case 'remote':
        return this.#afterPreCompact(state, (instructed) => this.#remote(plan, instructed));
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

  /** Goes on with the instructions of the hooks beside those of the request (SPEC section 8, phase 2). */
  async #afterPreCompact(
    state: Loaded,
    goOn: (instructed: Loaded) => Promise<JobResult>,
  ): Promise<JobResult> {
    const verdict = await this.#hooks.run('PreCompact', state);
    if (verdict.kind !== 'ran') return this.#stopped(verdict);
    this.#displayMessage = displayMessage(verdict.results);
    const instructions = joinedInstructions(state.request.instructions, verdict.results);
    const request = { ...state.request, ...(instructions !== undefined && { instructions }) };
    return goOn({ ...state, request });
  }

  #stopped(verdict: Exclude<HookVerdict, { kind: 'ran' }>): Promise<JobResult> {
    return verdict.kind === 'gone'
      ? Promise.resolve(DONE)
      : this.#log.end({ reason: 'hook_blocked', message: verdict.message });
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
          result_tokens_before: plan.micro.result_tokens_before,
          result_tokens_after: plan.micro.result_tokens_after,
          duration_ms: clock.now_ms - this.#startedMs,
        },
        clock,
        this.#packet,
      ),
    );
    return DONE;
  }

  #remote(plan: RemotePlan, state: Loaded): Promise<JobResult> {
    return runRemote({
      deps: this.#deps,
      log: this.#log,
      signal: this.#signal,
      plan,
      state,
      apply: (finish) => this.#apply(state, finish),
      compactLocally: () => this.#full(plan.full, state),
    });
  }

  #full(plan: FullPlan, state: Loaded): Promise<JobResult> {
    return runFull({
      deps: this.#deps,
      log: this.#log,
      signal: this.#signal,
      plan,
      state,
      packet: this.#packet,
      apply: (finish) => this.#apply(state, finish),
      clearInstead: () => {
        const micro = this.#plan(state, 'micro');
        return micro.kind === 'micro' ? () => this.#micro(micro) : null;
      },
    });
  }

  #plan({ head, view, running, request }: Loaded, mode: Mode): CompactionPlan {
    const wanted = planRequest({ ...running, mode }, request);
    return planCompaction(this.#deps.world, head, view, wanted);
  }

  /** The items of the hooks, then one commit, then the hooks that are told (SPEC section 8). */
  async #apply(state: Loaded, finish: (context: FinishContext) => FullResult): Promise<JobResult> {
    const begun = await this.#hooks.run('SessionStart', state);
    if (begun.kind !== 'ran') return this.#stopped(begun);
    const { head, view, running } = state;
    const config = configOf(head.settings, this.#deps.world.server);
    const isOurTurn = await this.#log.commit((clock) =>
      completeFull(
        this.#deps.world,
        this.#log.attempt,
        finish({
          view,
          config,
          count: counterFor(config, this.#deps.world.tokenizers),
          is_automatic: running.trigger === 'auto',
          boundary_uuid: this.#deps.newId(),
          at: clock.at,
          duration_ms: clock.now_ms - this.#startedMs,
          hook_items: begun.results.flatMap(({ items = [] }) => items),
          user_display_message: this.#displayMessage,
          keeps_answer: running.attribution.path === 'command',
        }),
        clock,
        this.#packet,
      ),
    );
    if (isOurTurn) await this.#hooks.afterCommit(state);
    return DONE;
  }
}
