import { type FinishContext, finishFull } from '../../domain/compaction/finish-full.ts';
import { finishRemote } from '../../domain/compaction/remote.ts';
import type { Clock } from '../../domain/session/compaction-commands.ts';
import type { FullResult } from '../../domain/session/complete-compaction.ts';
import { sumOfUsage } from '../../domain/session/summarizer-usage.ts';
import { counterFor } from '../../domain/tokens/tokenizers.ts';
import { clockOf } from './commit-step.ts';
import type { WorkerDependencies } from './dependencies.ts';
import type { Loaded } from './load.ts';
import type { Planned } from './plan.ts';
import { refreshFromWorkspace } from './restore-files.ts';
import type { Written } from './write.ts';

type Full = Extract<Planned, { kind: 'full' }>;

/** What comes of a full compaction, built at a time that the log is to show. */
export type Finished = Pick<Full, 'packet'> & {
  kind: 'finished';
  result: FullResult;
  clock: Clock;
};

/** The plan with the files to restore as they are on disk now; a provider's own items bring none. */
export async function restore(
  { workspaceRoot }: Pick<WorkerDependencies, 'workspaceRoot'>,
  { terms }: Loaded,
  planned: Full,
  { checked }: Extract<Written, { kind: 'written' }>,
): Promise<Full> {
  if (checked.kind === 'replacement' || workspaceRoot === null) return planned;
  const { config, tokenizers } = terms;
  const count = counterFor(config, tokenizers);
  const files = await refreshFromWorkspace(planned.plan.files, workspaceRoot, config, count);
  return { ...planned, plan: { ...planned.plan, files } };
}

/** Builds what stands in the context from now on (SPEC section 8, phases 5 and 6). */
export function finish(
  { now, newId }: Pick<WorkerDependencies, 'now' | 'newId'>,
  { terms, view, running, started_ms }: Loaded,
  { plan, packet }: Full,
  { checked, paid }: Extract<Written, { kind: 'written' }>,
  hooks: Pick<FinishContext, 'hook_items' | 'user_display_message'>,
): Finished {
  const { config, tokenizers } = terms;
  const clock = clockOf(now());
  const context: FinishContext = {
    view,
    compaction_id: running.id,
    config,
    count: counterFor(config, tokenizers),
    is_automatic: running.trigger === 'auto',
    boundary_uuid: newId(),
    at: clock.at,
    duration_ms: clock.now_ms - started_ms,
    ...hooks,
    keeps_answer: running.attribution.path === 'command',
  };
  switch (checked.kind) {
    case 'summary': {
      const usage = sumOfUsage(checked.summary.usage, paid);
      // Files give way to the packet, which says what they are needed for.
      const room = packet === null ? 0 : counterFor(config, tokenizers)(packet.text);
      const kept_tokens = plan.kept_tokens + room;
      const result = finishFull({ ...plan, kept_tokens }, { ...checked.summary, usage }, context);
      return { kind: 'finished', packet, result, clock };
    }
    case 'replacement': {
      const usage = sumOfUsage(checked.replacement.usage, paid);
      const result = finishRemote(plan, { ...checked.replacement, usage }, context);
      return { kind: 'finished', packet, result, clock };
    }
    default:
      return checked satisfies never;
  }
}
