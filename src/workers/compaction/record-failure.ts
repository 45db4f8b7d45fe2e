import { failCompaction } from '../../domain/session/compaction-commands.ts';
import { isPaid, NO_TOKENS } from '../../domain/session/summarizer-usage.ts';
import type { SummaryFailure } from '../summarizers/summarizer.ts';
import { commitStep } from './commit-step.ts';
import type { LogDependencies } from './dependencies.ts';
import type { Begun } from './load.ts';

/** Why an attempt failed; it is not tried again unless it says so. */
export type FailureText = Omit<SummaryFailure, 'ok' | 'retryable' | 'model'> & {
  retryable?: boolean;
  /** Whom the usage was paid to, as `provider/model`. */
  model?: string | null;
};

export const INTERRUPTED = {
  reason: 'interrupted',
  message: 'earlier attempts were interrupted, for instance by restarts of the worker',
} as const;

/**
 * Records a failure: one after which the attempt, or another one, goes on, or the one that ends the
 * compaction. False when it came too late.
 */
export async function recordFailure(
  deps: LogDependencies,
  { ref, attempt, terms }: Begun,
  // Not the whole failure: what is spread into an event becomes part of the log.
  { reason, message, usage = NO_TOKENS, model = null }: FailureText,
  will_retry: boolean,
): Promise<boolean> {
  const paid = isPaid(usage) && { usage, ...(model !== null && { model }) };
  const failure = { reason, message, ...paid, will_retry };
  const step = await commitStep(deps, ref, (clock) =>
    failCompaction(terms, attempt, failure, clock),
  );
  return step?.applied ?? false;
}
