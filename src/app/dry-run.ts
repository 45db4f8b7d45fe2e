import type { CutPlan } from '../domain/compaction/full.ts';
import { type CompactionPlan, planCompaction, planRequest } from '../domain/compaction/plan.ts';
import { sessionNotFound } from '../domain/session/create-session.ts';
import { accept } from '../domain/session/errors.ts';
import { contextTokens, type Head, termsOf } from '../domain/session/head.ts';
import type { Terms } from '../domain/session/world.ts';
import { countItem } from '../domain/tokens/count.ts';
import { counterFor } from '../domain/tokens/tokenizers.ts';
import { type Asked, compactCommand } from './compact.ts';
import { shownSkip, withoutContent } from './compaction-detail.ts';
import { findSession } from './find.ts';
import { loadViewHere } from './load-view.ts';
import type { SessionRef } from './ports/event-store.ts';
import type { Ports } from './ports/ports.ts';
import { prepareTokenizer } from './tokenizer.ts';

/**
 * What a compaction would do now, as the worker plans it; nothing is written (SPEC section 2).
 * Rejects where the request itself would be.
 */
export async function dryRun(
  ports: Pick<Ports, 'store' | 'largestHere' | 'world' | 'loadTokenizer' | 'newId'>,
  ref: SessionRef,
  asked: Asked,
) {
  const { store, world } = ports;
  const found = await findSession(store, ref);
  if (!found.ok) return found;
  const head = found.value;
  const command = compactCommand(world, head, { compaction_id: ports.newId(), ...asked });
  if (!command.ok) return command;
  const requested = command.value(head);
  if (!requested.ok) return requested;
  await prepareTokenizer(ports, head.settings.config);
  const view = await loadViewHere(ports, ref, head.state.version);
  // Erased since the head was read.
  if (view === null) return sessionNotFound();
  const { mode, trigger } = asked;
  const wanted = planRequest(
    { mode, trigger, attribution: { path: 'request' }, before: null },
    asked,
  );
  const refused = requested.value.events.find((event) => event.type === 'compaction.skipped');
  const terms = termsOf(head.settings, world);
  const plan: CompactionPlan =
    refused === undefined
      ? planCompaction(terms, head, view, wanted)
      : { kind: 'skip', skip: refused.data };
  return accept(shown(terms, head, plan));
}

function shown(terms: Terms, head: Head, plan: CompactionPlan) {
  const tokens = contextTokens(head.state, terms.config);
  const full = plan.kind === 'full' ? plan : plan.kind === 'remote' ? plan.full : null;
  const micro = plan.kind === 'micro' ? plan : null;
  const skip = plan.kind === 'skip' ? plan.skip : null;
  return {
    dry_run: true as const,
    action: plan.kind,
    skip: skip && shownSkip(skip),
    cleared_tool_results: (micro?.micro.edits ?? full?.edits ?? []).map(withoutContent),
    tokens_before: tokens,
    tokens_after_micro: micro?.tokens_after ?? tokens,
    through: full?.through ?? null,
    covered_tokens: full?.covered_tokens ?? null,
    kept_tokens: full?.kept_tokens ?? null,
    prompt_tokens: full && promptTokens(terms, full),
    summary_budget: plan.kind === 'full' ? plan.summary_budget : null,
    files: plan.kind === 'full' ? plan.files.map(({ path }) => path) : [],
  };
}

function promptTokens({ config, tokenizers }: Terms, { conversation }: CutPlan): number {
  const count = counterFor(config, tokenizers);
  return conversation.reduce((sum, item) => sum + countItem(item, count, config), 0);
}
