import { setTimeout } from 'node:timers/promises';
import type { Templates } from '../domain/compaction/prompt.ts';
import type { SummaryOrder, WrittenSummary } from '../domain/compaction/stateless.ts';
import type { Format, Usage } from '../domain/items/item.ts';
import type { Config } from '../domain/policy/config.ts';
import { NO_TOKENS, sumOfUsage } from '../domain/session/summarizer-usage.ts';
import { backoffMs } from './backoff.ts';
import type { SummarizerChoice } from './choose-summarizer.ts';
import {
  type SummaryJob,
  type SummaryResult,
  summarizeFromLog,
  summarizeWithModel,
} from './summarize-plan.ts';
import type { ModelSummarizer } from './summarizers/summarizer.ts';

export type SummarizeNowDependencies = {
  templates: Templates;
  chooseSummarizer: (
    session: { model: string | null; format: Format },
    config: Config,
  ) => SummarizerChoice;
  /** Milliseconds. */
  now: () => number;
  random: () => number;
  /** Told why a model wrote no summary: nothing else remembers it. */
  onFailure: (message: string) => void;
};

/** Somebody waits for the answer: a provider that asks for more patience is given up. */
const LONGEST_PAUSE_MS = 10_000;

/**
 * Writes a summary while a client waits, by the rules of SPEC section 10: the model that fits, asked
 * again after failures that may pass, else from the log where `summarizer_fallback` allows that.
 * Nothing is recorded. Fails with a message that quotes nothing of the conversation.
 */
export function summarizeNow(
  deps: SummarizeNowDependencies,
): (order: SummaryOrder, signal: AbortSignal) => Promise<WrittenSummary> {
  return async ({ model, format, ...order }, signal) => {
    const job: SummaryJob = { ...order, templates: deps.templates, signal, now: deps.now };
    const choice = deps.chooseSummarizer({ model, format }, job.config);
    if (choice.kind === 'extractive') return { ok: true, summary: summarizeFromLog(job) };
    const answer =
      choice.kind === 'unusable'
        ? { ok: false as const, message: choice.message, usage: NO_TOKENS }
        : await askModel(choice.model, job, deps.random);
    if (answer.ok) return answer;
    if (signal.aborted) return { ok: false, message: answer.message };
    deps.onFailure(answer.message);
    return job.config.summarizer_fallback.includes('extractive')
      ? { ok: true, summary: { ...summarizeFromLog(job), usage: answer.usage } }
      : { ok: false, message: answer.message };
  };
}

async function askModel(
  model: ModelSummarizer,
  job: SummaryJob,
  random: () => number,
): Promise<SummaryResult> {
  let paid = NO_TOKENS;
  for (let attempt = 1; ; attempt++) {
    const result = withPaid(await summarizeWithModel(model, job), paid);
    paid = result.ok ? result.summary.usage : result.usage;
    if (result.ok || !result.retryable || job.signal.aborted) return result;
    const most = Math.min(job.config.summarizer_max_attempts, result.most_attempts ?? Infinity);
    const pause = backoffMs(attempt, result.retry_after_ms, random());
    if (attempt >= most || pause > LONGEST_PAUSE_MS) return result;
    try {
      await setTimeout(pause, undefined, { signal: job.signal });
    } catch {
      // The client has gone: what the model said is all that there will be.
      return result;
    }
  }
}

/** The same with what earlier attempts have cost. */
function withPaid(result: SummaryResult, paid: Usage): SummaryResult {
  if (!result.ok) return { ...result, usage: sumOfUsage(result.usage, paid) };
  const { summary } = result;
  return { ok: true, summary: { ...summary, usage: sumOfUsage(summary.usage, paid) } };
}
