import type { Entry } from '../context/entry.ts';
import { sumTokens, type View } from '../context/view.ts';
import { codecFor } from '../items/codecs.ts';
import type { Item, Normalised } from '../items/item.ts';
import { measureItem } from '../items/measure.ts';
import type { Config } from '../policy/config.ts';
import type { Skip } from '../session/compaction-commands.ts';
import type { FullResult } from '../session/complete-compaction.ts';
import type { Base, Contributor, LeftOut, ResultEdit, SummarizerUsage } from '../session/events.ts';
import { type TextCounter, withSafetyMargin } from '../tokens/count.ts';
import { usableWindow } from '../tokens/thresholds.ts';
import type { RestoredFile } from '../workspace/restored-lines.ts';
import { filterForSummary } from './filter.ts';
import { waysToKeepNewest } from './kept-newest.ts';
import type { PlanInput } from './plan-input.ts';
import { preservedUserMessages, withLatestRequest } from './preserve.ts';
import { type RestoredNote, restorable } from './restore.ts';
import { cleanSummary, formatSummary } from './summary.ts';
import { leadingInstructions, providerCompactions, roomyCut, verbatimEntries } from './verbatim.ts';

/** Everything of a full compaction that needs no model (SPEC section 8, phases 1, 3 and 5). */
export type FullPlan = {
  kind: 'full';
  through: number;
  previous: Base | null;
  /** Results behind the cut that have to be shortened to stay. */
  edits: ResultEdit[];
  /** Estimates without margin of what comes with the summary, of what is covered and of what stays. */
  fixed_tokens: number;
  covered_tokens: number;
  kept_tokens: number;
  /** The filtered conversation to summarise. */
  conversation: Normalised[];
  instructions: Entry[];
  /** What the provider has compacted before: no summary can stand for it, so it is carried along. */
  provider_compactions: Entry[];
  preserved: Entry[];
  files: RestoredFile[];
  attachments: Entry[];
  ghosts: Entry[];
  /** Tokens that the summary may count, without margin. */
  summary_budget: number;
  /** The context with margin has to stay below this to be worth it and under the threshold. */
  limit: number;
  tokens_before: number;
};

/** Plans a full compaction, or says why there is none. Pure; a dry run shows this plan. */
export function planFull(input: PlanInput): FullPlan | { kind: 'skip'; skip: Skip } {
  const initial = input.material.filter(({ entry }) => entry.origin === 'initial').length;
  for (const { end, edits, material } of waysToKeepNewest(input, initial)) {
    const plan = planCovering({ ...input, material }, initial, end, edits);
    if (plan.kind === 'full' && isWorthIt(plan, input)) return plan;
  }
  const plan = planCovering(input, initial, input.material.length, []);
  const isBlocked = plan.kind === 'skip' && plan.skip.reason === 'irreducible_floor';
  return isBlocked && isBeyondWindow(input) ? planFull({ ...input, before: null }) : plan;
}

/** Whether what the cut has to stand before fills the window by itself: it is summarised with the rest. */
function isBeyondWindow({ material, before, config, context_window }: PlanInput): boolean {
  if (before === null || context_window === null) return false;
  const asked = material.filter(({ entry }) => (entry.seq ?? 0) >= before);
  const tokens = withSafetyMargin(sumTokens(asked.map(({ entry }) => entry)), config);
  return tokens >= usableWindow(config, context_window);
}

/** Whether what is covered is more than the summary and what comes with it. */
function isWorthIt(plan: FullPlan, { config }: PlanInput): boolean {
  return !isTooLarge(plan, plan.fixed_tokens + Math.min(plan.summary_budget, 500), config);
}

/** Plans the compaction of everything up to `end` or less. */
function planCovering(
  input: PlanInput,
  initial: number,
  end: number,
  edits: ResultEdit[],
): FullPlan | { kind: 'skip'; skip: Skip } {
  const { view, material, config, count, threshold } = input;
  const cut = roomyCut(input, initial, end);
  const lastCovered = cut === null ? undefined : material[cut - 1];
  if (cut === null || !lastCovered?.entry.seq) {
    return skip(
      'nothing_to_compact',
      material.length === 0
        ? 'there are no items to summarise yet'
        : `the context holds ${input.tokens} tokens, and nothing that could be summarised: all of it is ` +
            'protected or belongs to an open tool call',
    );
  }
  const verbatim = verbatimEntries(material, initial, cut);
  if (withSafetyMargin(sumTokens(verbatim), config) >= threshold) {
    return irreducible(verbatim, config, threshold);
  }
  const covered = material.slice(initial, cut);
  const covered_tokens = sumTokens(covered.map(({ entry }) => entry));
  const instructions = leadingInstructions(covered);
  const provider_compactions = providerCompactions(covered);
  const carried = new Set([...instructions, ...provider_compactions].map(({ item }) => item));
  const conversation = filterForSummary(
    covered.filter(({ entry }) => !carried.has(entry.item)).map(({ item }) => item),
  );
  if (conversation.length === 0) {
    return skip(
      'nothing_to_compact',
      `the ${covered_tokens} tokens that could be summarised hold no conversation`,
    );
  }
  // A small limit of one's own would be filled by them: they get at most half of it.
  const half = Math.floor(threshold / 2 / config.token_safety_multiplier);
  const user_message_max_tokens = Math.min(config.user_message_max_tokens, half);
  const preserving = { ...config, user_message_max_tokens };
  const preserved = withLatestRequest(
    preservedUserMessages(covered, view.format, preserving, count),
    input,
    cut,
  );
  const { files, todos, plan } = restorable(material, cut, config, count);
  const attachments = [todos, plan].flatMap((note) =>
    note === null ? [] : [restored(note, input)],
  );
  const ghosts = covered
    .filter(({ item }) => item.kind === 'ghost_snapshot')
    .map(({ entry }): Entry => ({ ...entry, seq: null, origin: 'ghost' }));
  const kept_tokens = sumTokens(material.map(({ entry }) => entry)) - covered_tokens;
  const limit = Math.min(threshold, input.tokens);
  const fixed =
    kept_tokens +
    sumTokens([...instructions, ...provider_compactions, ...preserved, ...attachments]);
  return {
    kind: 'full',
    through: lastCovered.entry.seq,
    previous: view.base,
    edits,
    fixed_tokens: fixed - kept_tokens,
    covered_tokens,
    kept_tokens,
    conversation,
    instructions,
    provider_compactions,
    preserved,
    files,
    attachments,
    ghosts,
    summary_budget: summaryBudget(
      config,
      count,
      covered_tokens - sumTokens(provider_compactions),
      limit,
      fixed,
    ),
    limit,
    tokens_before: input.tokens,
  };
}

/** Tokens that the summary may count: a share of what it covers, and what fits under the limit. */
function summaryBudget(
  config: Config,
  count: TextCounter,
  covered: number,
  limit: number,
  fixed: number,
): number {
  // The sentences around the summary count too; those of automatic compactions are the longer ones.
  const frame = count(formatSummary('', { style: config.summary_style, automatic: true }));
  const room = Math.floor((limit - 1) / config.token_safety_multiplier) - fixed - frame;
  return Math.max(64, Math.min(config.summary_max_tokens, Math.floor(covered / 2), room));
}

export type Summary = {
  text: string;
  summarizer: string;
  model: string | null;
  template: string;
  usage: SummarizerUsage;
  left_out: LeftOut;
  truncated_turns: number;
  summarizer_ms: number;
};

export type FinishContext = {
  view: View;
  config: Config;
  count: TextCounter;
  is_automatic: boolean;
  boundary_uuid: string;
  at: string;
  duration_ms: number;
  /** What SessionStart hooks add, where there are hooks. */
  hook_items?: readonly Item[] | undefined;
  /** What PreCompact hooks want the user to see. */
  user_display_message?: string | undefined;
  /** The user is shown what the summariser has written, as it was written. */
  keeps_answer?: boolean;
};

/**
 * Builds what the compaction puts in place of everything up to the cut, in the order of SPEC section
 * 8. Restored files, oldest first, and then hook items, newest first, are left out until the context
 * fits under its limit.
 */
export function finishFull(plan: FullPlan, summary: Summary, context: FinishContext): FullResult {
  const { view, config } = context;
  const codec = codecFor(view.format);
  const entry = entryMaker(context);
  const cleaned = cleanSummary(summary.text, config.summary_include_analysis);
  const text = formatSummary(cleaned, {
    style: config.summary_style,
    automatic: context.is_automatic,
  });
  const summaryEntry = entry(
    'summary',
    codec.message('user', text, {
      is_compact_summary: true,
      is_visible_in_transcript_only: true,
    }),
  );
  const files = plan.files.map(({ path, content, lines }) => {
    const attachment = { kind: 'file', path, content, ...(lines && { known_lines: lines }) };
    return entry('file', { type: 'attachment', attachment });
  });
  const hooks = (context.hook_items ?? []).map((item) => entry('hook', item));
  const others = [
    ...plan.instructions,
    ...plan.provider_compactions,
    ...plan.preserved,
    summaryEntry,
    ...plan.attachments,
  ];
  const replacement = () => sumTokens([...others, ...files, ...hooks]);
  while (files.length > 0 && isTooLarge(plan, replacement(), config)) files.pop();
  while (hooks.length > 0 && isTooLarge(plan, replacement(), config)) hooks.pop();
  const entries = [
    ...plan.instructions,
    entry('boundary', boundaryItem(plan, context)),
    ...plan.provider_compactions,
    ...plan.preserved,
    summaryEntry,
    ...files,
    ...plan.attachments,
    ...hooks,
    ...plan.ghosts,
  ];
  return {
    mode: 'full',
    through: plan.through,
    previous: plan.previous,
    summary_text: cleaned,
    entries,
    ...(plan.edits.length > 0 && { edits: plan.edits }),
    report: {
      covered_tokens: plan.covered_tokens,
      replacement_tokens: sumTokens(entries),
      summarizer: summary.summarizer,
      model: summary.model,
      template: summary.template,
      usage: summary.usage,
      left_out: summary.left_out,
      truncated_turns: summary.truncated_turns,
      files_restored: files.length,
      duration_ms: context.duration_ms,
      summarizer_ms: summary.summarizer_ms,
      ...(context.keeps_answer === true && summary.text !== cleaned && { answer: summary.text }),
      ...(context.user_display_message !== undefined && {
        user_display_message: context.user_display_message,
      }),
    },
  };
}

/** Makes the entries that a compaction puts in place of what it covers. */
export function entryMaker({
  view,
  config,
  count,
}: FinishContext): (origin: Entry['origin'], item: Item) => Entry {
  const codec = codecFor(view.format);
  return (origin, item) => {
    const { tokens } = measureItem(codec, item, count, config);
    return { seq: null, item, tokens, origin };
  };
}

/** Whether so many tokens (without margin) in place of what is covered lift the context to its limit. */
export function isTooLarge(
  plan: Pick<FullPlan, 'covered_tokens' | 'kept_tokens' | 'limit'>,
  replacement: number,
  config: Config,
): boolean {
  const after = withSafetyMargin(plan.kept_tokens + replacement, config);
  return replacement >= plan.covered_tokens || after >= plan.limit;
}

/** Whether the context becomes smaller by so many tokens (without margin) in place of what is covered. */
export function makesSmaller(
  plan: Pick<FullPlan, 'covered_tokens' | 'kept_tokens' | 'tokens_before'>,
  replacement: number,
  config: Config,
): boolean {
  const after = withSafetyMargin(plan.kept_tokens + replacement, config);
  return replacement < plan.covered_tokens && after < plan.tokens_before;
}

/** The marker that a full or remote compaction leaves (SPEC section 8). */
export function boundaryItem(plan: FullPlan, context: FinishContext): Item {
  return {
    type: 'system',
    subtype: 'compact_boundary',
    content: 'Conversation compacted',
    is_meta: false,
    level: 'info',
    timestamp: context.at,
    uuid: context.boundary_uuid,
    compact_metadata: {
      trigger: context.is_automatic ? 'auto' : 'manual',
      pre_tokens: plan.tokens_before,
    },
  };
}

/** The entry of a todo list or a plan; one that was posted stays as it is. */
function restored(note: RestoredNote, { view, config, count }: PlanInput): Entry {
  if (note.kind === 'posted') {
    const { entry, item } = note.material;
    const isTodo = item.kind === 'attachment' && item.attachment === 'todo';
    return { ...entry, seq: null, origin: isTodo ? 'todo' : 'plan' };
  }
  const { kind, content } = note;
  const path = note.kind === 'plan' ? note.path : null;
  const item: Item = {
    type: 'attachment',
    attachment: { kind, ...(path !== null && { path }), content },
  };
  const { tokens } = measureItem(codecFor(view.format), item, count, config);
  return { seq: null, item, tokens, origin: kind };
}

function irreducible(
  verbatim: Entry[],
  config: Config,
  threshold: number,
): { kind: 'skip'; skip: Skip } {
  const contributors = verbatim
    .map((entry): Contributor => ({ what: nameOf(entry), tokens: entry.tokens }))
    .sort((a, b) => b.tokens - a.tokens)
    .slice(0, 5);
  const tokens = withSafetyMargin(sumTokens(verbatim), config);
  const detail =
    `initial context, instructions and open tool calls alone take ${tokens} tokens, and the ` +
    `threshold is ${threshold}: make them shorter, or the window larger`;
  return { kind: 'skip', skip: { reason: 'irreducible_floor', detail, contributors } };
}

function nameOf({ seq, origin }: Entry): string {
  if (seq !== null) return `item ${seq}`;
  return origin === 'initial' ? 'initial context' : origin;
}

function skip(reason: Skip['reason'], detail: string): { kind: 'skip'; skip: Skip } {
  return { kind: 'skip', skip: { reason, detail } };
}
