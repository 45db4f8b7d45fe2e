import { sumTokens, type View } from '../context/view.ts';
import { codecFor } from '../items/codecs.ts';
import type { Item } from '../items/item.ts';
import type { Config } from '../policy/config.ts';
import type { FullResult } from '../session/complete-compaction.ts';
import type { Entry } from '../session/entry.ts';
import type { CompletedReport } from '../session/events.ts';
import type { TextCounter } from '../tokens/count.ts';
import { measureItem } from '../tokens/measure.ts';
import { callsOn } from '../workspace/known-workspace.ts';
import { type FullPlan, isTooLarge, makesSmaller } from './full.ts';
import { withEpoch } from './ledgers-of.ts';
import { cleanSummary, formatSummary } from './summary.ts';

/** A summary, and how it came about. */
export type Summary = { text: string } & Pick<
  CompletedReport,
  | 'summarizer'
  | 'model'
  | 'template'
  | 'usage'
  | 'left_out'
  | 'truncated_turns'
  | 'summarizer_ms'
  | 'retention'
>;
export type FinishContext = {
  view: View;
  compaction_id: string;
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

/** What the summary and what comes with it are written for. */
type SummaryContext = Pick<
  FinishContext,
  'view' | 'config' | 'count' | 'is_automatic' | 'hook_items'
>;

/** `entries` stand behind the instructions and the boundary. */
type StandIn = { cleaned: string; entries: Entry[]; files_restored: number };

/**
 * What stands for the covered part with this summary, as the model wrote it, in the order of SPEC
 * section 8. Of the restored files those stay that fit under the limit of the context, the newest
 * first; of the hook items the newest are left out until it fits.
 */
export function standIn(plan: FullPlan, text: string, context: SummaryContext): StandIn {
  const { view, config, is_automatic } = context;
  const codec = codecFor(view.format);
  const entry = entryMaker(context);
  const cleaned = cleanSummary(text, config.summary_include_analysis);
  const summary = entry(
    'summary',
    codec.message(
      'user',
      formatSummary(cleaned, {
        style: config.summary_style,
        automatic: is_automatic,
        recallThrough: config.recall ? plan.through : undefined,
      }),
      { is_compact_summary: true, is_visible_in_transcript_only: true },
    ),
  );
  const hooks = (context.hook_items ?? []).map((item) => entry('hook', item));
  const before = [...plan.carried, ...plan.preserved, summary];
  const files: Entry[] = [];
  const replacement = (file?: Entry) =>
    sumTokens(plan.instructions) +
    sumTokens([...before, ...plan.attachments, ...files, ...(file ? [file] : []), ...hooks]);
  // The newest first: a large one that does not fit leaves its room to those after it.
  for (const { path, content, lines } of plan.files) {
    const calls = callsOn(path, plan.changes);
    const attachment = {
      kind: 'file',
      path,
      content,
      ...(lines && { known_lines: lines }),
      ...(calls.length > 0 && { known_calls: calls }),
    };
    const file = entry('file', { type: 'attachment', attachment });
    if (!isTooLarge(plan, replacement(file), config)) files.push(file);
    else if (config.restore_over_budget === 'stop') break;
  }
  while (hooks.length > 0 && isTooLarge(plan, replacement(), config)) hooks.pop();
  const entries = [...before, ...files, ...plan.attachments, ...hooks, ...plan.ghosts];
  return { cleaned, entries, files_restored: files.length };
}

/** Whether the context becomes smaller with this summary alone: files give way where they have to. */
export function isSmallerWith(plan: FullPlan, text: string, context: SummaryContext): boolean {
  const { entries } = standIn({ ...plan, files: [] }, text, context);
  return makesSmaller(plan, sumTokens([...plan.instructions, ...entries]), context.config);
}

/** Builds what the compaction puts in place of everything up to the cut. */
export function finishFull(plan: FullPlan, summary: Summary, context: FinishContext): FullResult {
  const { cleaned, entries: behind, files_restored } = standIn(plan, summary.text, context);
  const { text, ...by } = summary;
  return fullResult('full', plan, context, behind, cleaned, {
    ...by,
    files_restored,
    ...(context.keeps_answer === true && text !== cleaned && { answer: text }),
  });
}

/** A full or remote compaction; `behind` stands behind the instructions and the boundary. */
export function fullResult(
  mode: FullResult['mode'],
  plan: FullPlan,
  context: FinishContext,
  behind: readonly Entry[],
  summary_text: string,
  by: Omit<FullResult['report'], 'covered_tokens' | 'replacement_tokens' | 'duration_ms'>,
): FullResult {
  const { user_display_message, duration_ms } = context;
  const boundary = entryMaker(context)('boundary', boundaryItem(plan, context));
  const entries = [...plan.instructions, boundary, ...behind];
  return {
    mode,
    through: plan.through,
    previous: plan.previous,
    summary_text,
    entries,
    ...(plan.edits.length > 0 && { edits: plan.edits }),
    ...(plan.pins_version > 0 && { pins_version: plan.pins_version }),
    ledger: withEpoch(plan.ledger, plan.previous?.through ?? 0, {
      ...context,
      said_at: plan.said_at,
    }),
    report: {
      covered_tokens: plan.covered_tokens,
      replacement_tokens: sumTokens(entries),
      ...by,
      duration_ms,
      ...(user_display_message !== undefined && { user_display_message }),
    },
  };
}
/** Makes the entries that a compaction puts in place of what it covers. */
export function entryMaker({
  view,
  config,
  count,
}: Pick<FinishContext, 'view' | 'config' | 'count'>): (
  origin: Entry['origin'],
  item: Item,
) => Entry {
  const codec = codecFor(view.format);
  return (origin, item) => {
    const { tokens } = measureItem(codec, item, count, config);
    return { seq: null, item, tokens, origin };
  };
}

/** The marker that a full or remote compaction leaves (SPEC section 8). */
function boundaryItem(plan: FullPlan, context: FinishContext): Item {
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
