import type { z } from '@hono/zod-openapi';
import type { FullPlan } from '../domain/compaction/full.ts';
import { type CompactionPlan, planCompaction } from '../domain/compaction/plan.ts';
import type { View } from '../domain/context/view.ts';
import { codecFor } from '../domain/items/codecs.ts';
import type { Mode, ResultEdit, Trigger } from '../domain/session/events.ts';
import { configOf, contextTokens, type Head } from '../domain/session/head.ts';
import type { World } from '../domain/session/world.ts';
import { countItem } from '../domain/tokens/count.ts';
import { counterFor } from '../domain/tokens/tokenizers.ts';
import { editBody } from './compaction-body.ts';
import type { dryRun } from './schemas/compaction.ts';

type DryRun = z.infer<typeof dryRun>;

/**
 * What a compaction would do now, as the worker plans it; nothing is written (SPEC section 2). The
 * tokenizer of the session must be loaded.
 */
export function dryRunBody(
  world: World,
  head: Head,
  view: View,
  request: { mode: Mode; trigger: Trigger },
): DryRun {
  const tokens = contextTokens(head.state, configOf(head.settings, world.server));
  const plan = planCompaction(world, head, view, { ...request, may_micro: true });
  if (plan.kind !== 'micro') {
    return {
      ...planBody(world, head, plan),
      cleared_tool_results: [],
      tokens_before: tokens,
      tokens_after_micro: tokens,
    };
  }
  const { edits } = plan.micro;
  const body = {
    cleared_tool_results: edits.map(editBody),
    tokens_before: tokens,
    tokens_after_micro: plan.tokens_after,
  };
  if (plan.is_final) return { ...planBody(world, head, null), action: 'micro', ...body };
  const next = planCompaction(world, editedHead(head, edits), editedView(view, edits), {
    ...request,
    may_micro: false,
  });
  if (next.kind === 'micro') throw new Error('a second micro step was planned');
  if (next.kind === 'skip') return { ...planBody(world, head, next), action: 'micro', ...body };
  return { ...planBody(world, head, next), action: 'micro_then_full', ...body };
}

type PlanBody = Omit<DryRun, 'cleared_tool_results' | 'tokens_before' | 'tokens_after_micro'>;

function planBody(
  world: World,
  head: Head,
  plan: Exclude<CompactionPlan, { kind: 'micro' }> | null,
): PlanBody {
  const full = plan?.kind === 'full' ? plan : null;
  const skip = plan?.kind === 'skip' ? plan.skip : null;
  return {
    dry_run: true,
    action: full === null ? 'skip' : 'full',
    skip: skip && {
      reason: skip.reason,
      detail: skip.detail,
      contributors: skip.contributors ?? [],
    },
    through: full?.through ?? null,
    covered_tokens: full?.covered_tokens ?? null,
    kept_tokens: full?.kept_tokens ?? null,
    prompt_tokens: full && promptTokens(world, head, full),
    summary_budget: full?.summary_budget ?? null,
    files: full?.files.map(({ path }) => path) ?? [],
  };
}

function promptTokens(world: World, head: Head, { conversation }: FullPlan): number {
  const config = configOf(head.settings, world.server);
  const count = counterFor(config, world.tokenizers);
  return conversation.reduce((sum, item) => sum + countItem(item, count, config), 0);
}

/** The view as it would be after these edits. */
function editedView(view: View, edits: readonly ResultEdit[]): View {
  const codec = codecFor(view.format);
  const entries = view.entries.map((entry) => {
    const own = edits.filter(({ seq }) => seq === entry.seq);
    if (own.length === 0) return entry;
    const contents = new Map(own.map((edit) => [edit.tool_use_id, edit.content]));
    return {
      ...entry,
      item: codec.editResults(entry.item, contents),
      tokens: entry.tokens - savedBy(own),
    };
  });
  return { ...view, entries };
}

function editedHead(head: Head, edits: readonly ResultEdit[]): Head {
  const tokens = head.state.tokens - savedBy(edits);
  // A usage figure from before a compaction must never be used after it (SPEC section 5).
  return { ...head, state: { ...head.state, tokens, usage: null, tokens_since_usage: 0 } };
}

function savedBy(edits: readonly ResultEdit[]): number {
  return edits.reduce((sum, edit) => sum + edit.tokens_before - edit.tokens_after, 0);
}
