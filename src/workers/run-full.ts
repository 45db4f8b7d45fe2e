import { type FinishContext, finishFull, type Summary } from '../domain/compaction/finish-full.ts';
import { type FullPlan, makesSmaller } from '../domain/compaction/full.ts';
import type { Templates } from '../domain/compaction/prompt.ts';
import type { Config } from '../domain/policy/config.ts';
import type { FullResult, PacketText } from '../domain/session/complete-compaction.ts';
import { configOf, type Settings } from '../domain/session/head.ts';
import { sumOfUsage } from '../domain/session/summarizer-usage.ts';
import { counterFor } from '../domain/tokens/tokenizers.ts';
import {
  type AttemptLog,
  DONE,
  type FailureText,
  INTERRUPTED,
  type Loaded,
  type LogDependencies,
} from './attempt-log.ts';
import type { SummarizerChoice } from './choose-summarizer.ts';
import type { JobResult } from './job-engine.ts';
import { type SummaryJob, summarizeFromLog, summarizeWithModel } from './summarize-plan.ts';
import { refreshFromWorkspace } from './workspace.ts';

export type FullDependencies = Pick<LogDependencies, 'world' | 'now'> & {
  templates: Templates;
  chooseSummarizer: (settings: Settings, config: Config) => SummarizerChoice;
  /** The operator's folder that files may be restored from, or null. */
  workspaceRoot: string | null;
};

export type FullRun = {
  deps: FullDependencies;
  log: AttemptLog;
  signal: AbortSignal;
  plan: FullPlan;
  state: Loaded;
  /** What is appended with the compaction, where a packet belongs to it. */
  packet: PacketText | null;
  /** Ends the compaction with what `finish` builds. */
  apply: (finish: (context: FinishContext) => FullResult) => Promise<JobResult>;
  /** Ends it with a micro-compaction; null when there is nothing to clear. */
  clearInstead: () => (() => Promise<JobResult>) | null;
};

/** One attempt at a full compaction: ask the summariser, then finish, retry or fall back (SPEC 8, 10). */
export async function runFull(run: FullRun): Promise<JobResult> {
  const { deps, plan, signal } = run;
  const { head, running, request } = run.state;
  const config = configOf(head.settings, deps.world.server);
  const job: SummaryJob = {
    plan,
    config,
    count: counterFor(config, deps.world.tokenizers),
    templates: deps.templates,
    instructions: request.instructions,
    focus: request.focus,
    signal,
    now: () => deps.now().getTime(),
  };
  const choice = deps.chooseSummarizer(head.settings, config);
  if (choice.kind === 'extractive') return finish(run, job, summarizeFromLog(job));
  if (choice.kind === 'unusable') {
    return fallBack(run, job, { reason: 'api_error', message: choice.message });
  }
  if (running.attempt > config.summarizer_max_attempts) return fallBack(run, job, INTERRUPTED);
  const result = await summarizeWithModel(choice.model, job);
  if (result.ok) return finishModel(run, job, result.summary);
  if (signal.aborted) return DONE;
  // Not the whole result: what is spread into an event becomes part of the log.
  const { reason, message, usage } = result;
  const most = Math.min(config.summarizer_max_attempts, result.most_attempts ?? Infinity);
  return result.retryable && running.attempt < most
    ? run.log.retry({ reason, message, usage }, result.retry_after_ms)
    : fallBack(run, job, { reason, message, usage });
}

/** What remains when the model has failed for good (SPEC section 10, fallback chain). */
async function fallBack(run: FullRun, job: SummaryJob, failure: FailureText): Promise<JobResult> {
  for (const fallback of job.config.summarizer_fallback) {
    switch (fallback) {
      case 'extractive':
        await run.log.goOn(failure);
        return finish(run, job, summarizeFromLog(job));
      case 'micro': {
        const clear = run.clearInstead();
        if (clear === null) break;
        await run.log.goOn(failure);
        return clear();
      }
      default:
        fallback satisfies never;
    }
  }
  return run.log.end(failure);
}

/** A model's summary that is longer than what it stands for gives way to the one from the log. */
async function finishModel(run: FullRun, job: SummaryJob, summary: Summary): Promise<JobResult> {
  const { config, count, plan } = job;
  const { view, running } = run.state;
  const { report } = finishFull({ ...plan, files: [] }, summary, {
    view,
    config,
    count,
    is_automatic: running.trigger === 'auto',
    boundary_uuid: '',
    at: '',
    duration_ms: 0,
  });
  const isSmaller = makesSmaller(plan, report.replacement_tokens, config);
  if (isSmaller || !config.summarizer_fallback.includes('extractive')) {
    return finish(run, job, summary);
  }
  const message = `the summary of ${summary.model} would not make the context smaller`;
  await run.log.goOn({ reason: 'no_summary', message, usage: summary.usage });
  return finish(run, job, summarizeFromLog(job));
}

async function finish(run: FullRun, job: SummaryJob, summary: Summary): Promise<JobResult> {
  const { plan, config, count } = job;
  const { packet } = run;
  const root = run.deps.workspaceRoot;
  const files =
    root === null ? plan.files : await refreshFromWorkspace(plan.files, root, config, count);
  const usage = sumOfUsage(summary.usage, run.log.paid);
  // Files give way to the packet, which says what they are needed for.
  const kept_tokens = plan.kept_tokens + (packet === null ? 0 : count(packet.text));
  return run.apply((context) =>
    finishFull({ ...plan, files, kept_tokens }, { ...summary, usage }, context),
  );
}
