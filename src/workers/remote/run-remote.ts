import type { FinishContext } from '../../domain/compaction/finish-full.ts';
import {
  checkReplacement,
  finishRemote,
  type RemotePlan,
  remoteModel,
} from '../../domain/compaction/remote.ts';
import type { Config } from '../../domain/policy/config.ts';
import type { FullResult } from '../../domain/session/complete-compaction.ts';
import { configOf } from '../../domain/session/head.ts';
import { sumOfUsage } from '../../domain/session/summarizer-usage.ts';
import { counterFor } from '../../domain/tokens/tokenizers.ts';
import { type AttemptLog, DONE, type Loaded, type LogDependencies } from '../attempt-log.ts';
import type { JobResult } from '../job-engine.ts';
import { apiError } from '../summarizers/failures.ts';
import type { RemoteAnswer } from './remote-answer.ts';
import type { RemoteCompactor } from './remote-compactor.ts';

export type RemoteRun = {
  deps: Pick<LogDependencies, 'world' | 'now'> & { compactRemotely: RemoteCompactor };
  log: AttemptLog;
  signal: AbortSignal;
  plan: RemotePlan;
  state: Loaded;
  /** Ends the compaction with what `finish` builds. */
  apply: (finish: (context: FinishContext) => FullResult) => Promise<JobResult>;
  /** The local compaction of the same part. */
  compactLocally: () => Promise<JobResult>;
};

/**
 * One attempt at a compaction by the provider (SPEC section 13). What may pass is tried again, as with
 * a summariser; what will not, and an answer that cannot be used, leaves it to the local compaction.
 */
export async function runRemote(run: RemoteRun): Promise<JobResult> {
  const { deps, log, plan, state } = run;
  const { head, view, running } = state;
  const config = configOf(head.settings, deps.world.server);
  const most = config.summarizer_max_attempts;
  if (running.attempt > most) return run.compactLocally();
  const { model, reason: why } = remoteModel(head.settings);
  const started = deps.now().getTime();
  // The session may have been configured anew since it was asked for.
  const answer =
    model === null
      ? apiError(`remote compaction is not available: ${why}`, false)
      : await askProvider(run, model, config);
  if (!answer.ok) {
    if (run.signal.aborted) return DONE;
    const { reason, message, usage } = answer;
    const failure = { reason, message, ...(usage && { usage }) };
    if (answer.retryable && running.attempt < most) {
      return log.retry(failure, answer.retry_after_ms);
    }
    await log.goOn(failure);
    return run.compactLocally();
  }
  const { usage } = answer;
  const count = counterFor(config, deps.world.tokenizers);
  const { items, problem } = checkReplacement(plan, answer.output, { view, config, count });
  if (items === null) {
    const message = `openai: the compaction cannot be used: ${problem}`;
    await log.goOn({ reason: 'api_error', message, usage });
    return run.compactLocally();
  }
  const remote_ms = deps.now().getTime() - started;
  const paid = sumOfUsage(usage, log.paid);
  const replacement = { items, model: `openai/${model}`, usage: paid, remote_ms };
  return run.apply((context) => finishRemote(plan, replacement, context));
}

function askProvider(
  { deps, plan, state, signal }: RemoteRun,
  model: string,
  config: Config,
): Promise<RemoteAnswer> {
  const { instructions, focus } = state.request;
  const texts = [plan.instructions, instructions, focus].filter((text) => text != null);
  return deps.compactRemotely({
    model,
    input: plan.input,
    instructions: texts.length === 0 ? null : texts.join('\n\n'),
    timeout_ms: config.summarizer_timeout_seconds * 1000,
    signal,
  });
}
