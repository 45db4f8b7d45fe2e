import type { z } from '@hono/zod-openapi';
import type { FullPlan } from '../../domain/compaction/full.ts';
import {
  type CompactionPlan,
  type PlanRequest,
  planCompaction,
} from '../../domain/compaction/plan.ts';
import type { View } from '../../domain/context/view.ts';
import type { Skip } from '../../domain/session/compaction-commands.ts';
import { configOf, contextTokens, type Head } from '../../domain/session/head.ts';
import type { World } from '../../domain/session/world.ts';
import { countItem } from '../../domain/tokens/count.ts';
import { counterFor } from '../../domain/tokens/tokenizers.ts';
import { editBody } from './compaction-body.ts';
import type { dryRun } from './schemas.ts';

type DryRun = z.infer<typeof dryRun>;

/**
 * What a compaction would do now, as the worker plans it; nothing is written (SPEC section 2).
 * `refused`: why it would end before it comes to a plan. The tokenizer of the session must be loaded.
 */
export function dryRunBody(
  world: World,
  head: Head,
  view: View,
  request: PlanRequest,
  refused: Skip | null,
): DryRun {
  const tokens = contextTokens(head.state, configOf(head.settings, world.server));
  const plan: CompactionPlan =
    refused === null ? planCompaction(world, head, view, request) : { kind: 'skip', skip: refused };
  const full = plan.kind === 'full' ? plan : plan.kind === 'remote' ? plan.full : null;
  const micro = plan.kind === 'micro' ? plan : null;
  const skip = plan.kind === 'skip' ? plan.skip : null;
  return {
    dry_run: true,
    action: plan.kind,
    skip: skip && {
      reason: skip.reason,
      detail: skip.detail,
      contributors: skip.contributors ?? [],
    },
    cleared_tool_results: (micro?.micro.edits ?? full?.edits ?? []).map(editBody),
    tokens_before: tokens,
    tokens_after_micro: micro?.tokens_after ?? tokens,
    through: full?.through ?? null,
    covered_tokens: full?.covered_tokens ?? null,
    kept_tokens: full?.kept_tokens ?? null,
    prompt_tokens: full && promptTokens(world, head, full),
    summary_budget: plan.kind === 'full' ? plan.summary_budget : null,
    files: plan.kind === 'full' ? plan.files.map(({ path }) => path) : [],
  };
}

function promptTokens(world: World, head: Head, { conversation }: FullPlan): number {
  const config = configOf(head.settings, world.server);
  const count = counterFor(config, world.tokenizers);
  return conversation.reduce((sum, item) => sum + countItem(item, count, config), 0);
}
