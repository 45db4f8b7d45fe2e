import { cutsThroughPrograms } from '../context/invariants/safe-cuts.ts';
import { sumTokens, type View } from '../context/view.ts';
import { codecFor } from '../items/codecs.ts';
import type { Item, Normalised } from '../items/item.ts';
import type { Json } from '../json.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { placeKey, withoutPinned } from '../ledger/pinned.ts';
import type { Config } from '../policy/config.ts';
import type { Skip } from '../session/compaction-commands.ts';
import type { Entry } from '../session/entry.ts';
import type { Base, Contributor } from '../session/events.ts';
import { occurredAt } from '../session/occurred-at.ts';
import type { ResultEdit } from '../session/result-edits.ts';
import { withSafetyMargin } from '../tokens/count.ts';
import { measureItem } from '../tokens/measure.ts';
import { usableWindow } from '../tokens/thresholds.ts';
import { truncateMiddle } from '../tokens/truncate.ts';
import type { KnownWorkspace } from '../workspace/known-workspace.ts';
import type { RestoredFile } from '../workspace/restored-lines.ts';
import type { Ledgers } from './extractive/ledgers.ts';
import { filterForSummary } from './filter.ts';
import { waysToKeepNewest } from './kept-newest.ts';
import { ledgersOf } from './ledgers-of.ts';
import { materialOf, withFailures } from './material.ts';
import type { PlanInput } from './plan-input.ts';
import { preservedUserMessages, withLatestRequest, withoutCalled } from './preserve.ts';
import { type RestoredNote, restorable } from './restore.ts';
import { formatSummary } from './summary.ts';
import { type Verbatim, verbatimPart } from './verbatim.ts';

/** Everything of a full compaction that needs no model (SPEC section 8, phases 1, 3 and 5). */
export type FullPlan = Pick<Verbatim, 'instructions' | 'carried'> & {
  kind: 'full';
  through: number;
  /** When the newest item of what is covered was said, where its client tells. */
  said_at: string | null;
  previous: Base | null;
  /** Results after the cut that have to be shortened to stay. */
  edits: ResultEdit[];
  /** Estimates without margin of what comes with the summary, of what is covered and of what stays. */
  fixed_tokens: number;
  covered_tokens: number;
  kept_tokens: number;
  /** The filtered conversation to summarise. */
  conversation: Normalised[];
  /** What the log says up to the cut, which is stored with the compaction. */
  ledger: Ledger;
  /** What the log says up to the cut and as a whole, as far as no pin says it. */
  ledgers: Ledgers;
  /** Version of the newest event about pins, 0 for none. */
  pins_version: number;
  preserved: Entry[];
  files: RestoredFile[];
  /** See `restorable`. */
  changes: KnownWorkspace['changes'];
  attachments: Entry[];
  ghosts: Entry[];
  /** Tokens that the summary may count, without margin. */
  summary_budget: number;
  /** The context with margin has to stay below this to be worth it and under the threshold. */
  limit: number;
  tokens_before: number;
};

export type Skipped = { kind: 'skip'; skip: Skip };

/** Where a full compaction cuts and what stays, before the log is folded for its summary. */
export type CutPlan = Omit<FullPlan, 'ledger' | 'ledgers'>;

/** The plan with what the log says; `material` is that of the context, where it is known already. */
export function withLedgers(plan: CutPlan, view: View, material = materialOf(view)): FullPlan {
  const ledgers = ledgersOf(view, material, plan.through, plan.instructions);
  const pinned = new Set(
    view.pins.added.flatMap(({ data: { entries, of } }) => [
      ...entries.flatMap(({ seq }) => (seq === null ? [] : [placeKey(seq)])),
      ...(of?.seqs ?? []).map((seq) => placeKey(seq, of?.session_id)),
    ]),
  );
  return {
    ...plan,
    ledger: ledgers.covered,
    ledgers: {
      ...ledgers,
      covered: withoutPinned(ledgers.covered, pinned),
      standing: withoutPinned(ledgers.standing, pinned),
    },
  };
}

/** Plans a full compaction, or says why there is none. Pure; a dry run shows this plan. */
export function planFull(input: PlanInput): CutPlan | Skipped {
  const initial = input.material.filter(({ entry }) => staysInFront(entry)).length;
  for (const { end, edits, material } of waysToKeepNewest(input, initial)) {
    const plan = planCovering({ ...input, material }, initial, end, edits);
    if (plan.kind === 'full' && isWorthIt(plan, input)) return plan;
  }
  const plan = planCovering(input, initial, input.material.length, []);
  if (plan.kind !== 'skip') return plan;
  const isBlocked = plan.skip.reason === 'irreducible_floor';
  if (isBlocked && isBeyondWindow(input)) return planFull({ ...input, before: null });
  if (input.cuts === cutsThroughPrograms || !fillsWindow(input, input.tokens)) return plan;
  const parted = planFull({ ...input, cuts: cutsThroughPrograms });
  return parted.kind === 'skip' ? plan : parted;
}

/** Whether a request with so many tokens would be refused. */
function fillsWindow({ config, context_window }: PlanInput, tokens: number): boolean {
  return context_window !== null && tokens >= usableWindow(config, context_window);
}

/** Whether what the cut has to stand before fills the window by itself: it is summarised with the rest. */
function isBeyondWindow(input: PlanInput): boolean {
  const { material, before, config } = input;
  if (before === null) return false;
  const asked = material.filter(({ entry }) => (entry.seq ?? 0) >= before);
  const tokens = withSafetyMargin(sumTokens(asked.map(({ entry }) => entry)), config);
  return fillsWindow(input, tokens);
}

/** Whether what is covered is more than the summary and what comes with it. */
function isWorthIt(plan: CutPlan, { config }: PlanInput): boolean {
  return !isTooLarge(plan, plan.fixed_tokens + Math.min(plan.summary_budget, 500), config);
}

/** Plans the compaction of everything up to `end` or less. */
function planCovering(
  input: PlanInput,
  initial: number,
  end: number,
  edits: ResultEdit[],
): CutPlan | Skipped {
  const { view, material, config, count, threshold } = input;
  const verbatim = verbatimPart(input, initial, end);
  const lastCovered = verbatim === null ? undefined : material[verbatim.cut - 1];
  if (verbatim === null || !lastCovered?.entry.seq) {
    return skip(
      'nothing_to_compact',
      material.length === 0
        ? 'there are no items to summarise yet'
        : `the context holds ${input.tokens} tokens, and nothing that could be summarised: all of it is ` +
            'protected or belongs to an open tool call',
    );
  }
  const { cut, instructions, carried } = verbatim;
  if (withSafetyMargin(sumTokens(verbatim.entries), config) >= threshold) {
    return irreducible(verbatim.entries, config, threshold);
  }
  const covered = material.slice(initial, cut).filter(({ entry }) => !entry.pinned);
  const entries = covered.map(({ entry }) => entry);
  const covered_tokens = sumTokens(entries);
  const told = new Set([...instructions, ...carried].map(({ item }) => item));
  const conversation = filterForSummary(
    covered.filter(({ entry }) => !told.has(entry.item)).map(withFailures(material)),
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
  const { files: known, todos, plan, changes } = restorable(material, cut, config, count);
  const preserved = withLatestRequest(
    preservedUserMessages(covered, view.format, preserving, count),
    input,
    cut,
    instructions,
    new Set(known.map(({ path }) => path)),
  );
  const files = withoutCalled(known, preserved, codecFor(view.format));
  // Nothing else is left out where a plan does not fit, not even the summary.
  const longest = Math.floor(half / 2);
  const attachments = [todos, plan].flatMap((note) =>
    note === null ? [] : [withShortPlan(restored(note, input), longest, input)],
  );
  const ghosts = covered
    .filter(({ item }) => item.kind === 'ghost_snapshot')
    .map(({ entry }): Entry => ({ ...entry, seq: null, origin: 'ghost' }));
  const kept_tokens = sumTokens(material.map(({ entry }) => entry)) - covered_tokens;
  const limit = Math.min(threshold, input.tokens);
  const fixed =
    kept_tokens + sumTokens([...instructions, ...carried, ...preserved, ...attachments]);
  return {
    kind: 'full',
    through: lastCovered.entry.seq,
    said_at: saidAt(entries),
    previous: view.base,
    edits,
    fixed_tokens: fixed - kept_tokens,
    covered_tokens,
    kept_tokens,
    conversation,
    instructions,
    carried,
    preserved,
    files,
    changes,
    attachments,
    ghosts,
    summary_budget: summaryBudget(input, limit, {
      covered: covered_tokens - sumTokens(carried),
      told: sumTokens(entries.filter(({ origin }) => origin === 'summary')),
      fixed,
    }),
    limit,
    tokens_before: input.tokens,
    pins_version: view.pins.version,
  };
}

function saidAt(entries: readonly Entry[]): string | null {
  for (const { seq, item } of entries.toReversed()) {
    const time = seq === null ? undefined : occurredAt(item);
    if (time !== undefined) return time;
  }
  return null;
}

/** Of as many digits as a number of an item may have. */
const LARGEST_SEQ = 999_999_999;

/**
 * Tokens that the summary may count: as many as the summary before it took (`told`) and half of what else
 * is `covered`, so that compactions close to each other do not wear it down; what fits under the limit
 * beside what is `fixed`; and under the threshold only half of that, or the next item would bring the next
 * compaction.
 */
function summaryBudget(
  { config, count, threshold }: PlanInput,
  limit: number,
  { covered, told, fixed }: { covered: number; told: number; fixed: number },
): number {
  // The sentences around the summary count too; those of automatic compactions are the longer ones.
  const frame = count(
    formatSummary('', {
      style: config.summary_style,
      automatic: true,
      recallThrough: config.recall ? LARGEST_SEQ : undefined,
    }),
  );
  const below = (tokens: number) =>
    Math.floor((tokens - 1) / config.token_safety_multiplier) - fixed - frame;
  const room = Math.min(below(limit), Math.floor(below(threshold) / 2));
  const share = Math.floor((covered + Math.max(0, told - frame)) / 2);
  return Math.max(64, Math.min(config.summary_max_tokens, share, room));
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

/** The entry of a todo list or a plan; one that was posted stays as it is. */
function restored(note: RestoredNote, input: PlanInput): Entry {
  if (note.kind === 'posted') {
    const { entry, item } = note.material;
    const isTodo = item.kind === 'attachment' && item.attachment === 'todo';
    return { ...entry, seq: null, origin: isTodo ? 'todo' : 'plan' };
  }
  const { kind, content } = note;
  const path = note.kind === 'plan' && note.path !== null ? note.path : undefined;
  return { seq: null, ...attached({ kind, path, content }, input), origin: kind };
}

/** A plan that would fill a small limit is cut in the middle; what it says in full is in the log. */
function withShortPlan(entry: Entry, most: number, input: PlanInput): Entry {
  if (entry.origin !== 'plan' || entry.tokens <= most) return entry;
  const item = codecFor(input.view.format).normalise(entry.item);
  if (item.kind !== 'attachment') return entry;
  const { attachment: kind, path, text } = item;
  const content = truncateMiddle(text, most, input.count);
  return { ...entry, ...attached({ kind, path, content }, input) };
}

function attached(
  { kind, path, content }: { kind: string; path: string | undefined; content: Json },
  { view, config, count }: PlanInput,
): Pick<Entry, 'item' | 'tokens'> {
  const attachment = { kind, ...(path !== undefined && { path }), content };
  const item: Item = { type: 'attachment', attachment };
  return { item, tokens: measureItem(codecFor(view.format), item, count, config).tokens };
}

/** Whether an entry stands in front of everything that could be covered. */
function staysInFront({ origin }: Entry): boolean {
  return origin === 'initial' || origin === 'pinned';
}

function irreducible(verbatim: Entry[], config: Config, threshold: number): Skipped {
  const contributors = verbatim
    .map((entry): Contributor => ({ what: nameOf(entry), tokens: entry.tokens }))
    .sort((a, b) => b.tokens - a.tokens)
    .slice(0, 5);
  const tokens = withSafetyMargin(sumTokens(verbatim), config);
  const [pins, unpin] = verbatim.some(({ pinned }) => pinned)
    ? ['pins, ', ', unpin some']
    : ['', ''];
  const detail =
    `initial context, ${pins}instructions and open tool calls alone take ${tokens} tokens, and the ` +
    `threshold is ${threshold}: make them shorter${unpin}, or the window larger`;
  return { kind: 'skip', skip: { reason: 'irreducible_floor', detail, contributors } };
}

function nameOf({ seq, origin, pinned }: Entry): string {
  if (seq !== null) return pinned ? `pinned item ${seq}` : `item ${seq}`;
  if (pinned) return 'pinned text';
  return origin === 'initial' ? 'initial context' : origin;
}

/** No compaction, for this reason. */
export function skip(reason: Skip['reason'], detail: string): Skipped {
  return { kind: 'skip', skip: { reason, detail } };
}
