import { setTimeout } from 'node:timers/promises';
import type { WrittenSummary } from '../domain/compaction/stateless.ts';
import type { SummaryOrder } from '../domain/compaction/summary-order.ts';
import { NO_TOKENS, sumOfUsage } from '../domain/session/summarizer-usage.ts';
import type { WorkerDependencies } from './compaction/dependencies.ts';
import { retryAfterMs } from './compaction/retry-policy.ts';
import { summarise } from './compaction/summarise.ts';
import { apiError } from './summarizers/failures.ts';
import { OFFLINE } from './summarizers/registry.ts';
import type { Summarizer, Task, WrittenText } from './summarizers/summarizer.ts';

type SummarizeNowDependencies = Pick<
  WorkerDependencies,
  'templates' | 'chooseSummarizer' | 'now' | 'random' | 'observe'
> & {
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
  return async (order, signal) => {
    const { view, model, config } = order;
    const task: Task = { ...order, templates: deps.templates };
    const choice = deps.chooseSummarizer({ model, format: view.format }, config);
    const answer =
      choice.kind === 'unusable'
        ? apiError(choice.message, false)
        : await askPatiently(deps, choice, task, signal);
    if (answer.ok) return answer;
    const { message, usage = NO_TOKENS } = answer;
    if (signal.aborted) return { ok: false, message };
    deps.onFailure(message);
    const fallback = config.summarizer_fallback.find((name) => name !== 'micro');
    if (fallback === undefined) return { ok: false, message };
    const written = await askPatiently(deps, OFFLINE[fallback], task, signal);
    return written.ok ? { ok: true, summary: { ...written.summary, usage } } : written;
  };
}

async function askPatiently(
  deps: SummarizeNowDependencies,
  summarizer: Summarizer<WrittenText>,
  task: Task,
  signal: AbortSignal,
) {
  const most = task.config.summarizer_max_attempts;
  let usage = NO_TOKENS;
  for (let attempt = 1; ; attempt++) {
    const answer = await summarise(deps, summarizer, task, signal);
    usage = sumOfUsage(usage, (answer.ok ? answer.summary.usage : answer.usage) ?? NO_TOKENS);
    if (answer.ok) {
      const summary = { ...answer.summary, usage, summarizer_ms: answer.took_ms };
      return { ok: true, summary } as const;
    }
    const failure = { ...answer, usage };
    const pause = retryAfterMs(answer, attempt, most, deps.random());
    if (pause === null || pause > LONGEST_PAUSE_MS || signal.aborted) return failure;
    try {
      await setTimeout(pause, undefined, { signal });
    } catch {
      // The client has gone: what the model said is all that there will be.
      return failure;
    }
  }
}
