import { NOTHING_PINNED, sumTokens, type View } from '../context/view.ts';
import { codecFor, type Format } from '../items/codecs.ts';
import type { Item } from '../items/item.ts';
import { openaiResponsesCodec } from '../items/openai-responses/codec.ts';
import { instructionBlocks, rewrittenKind } from '../items/operator.ts';
import { isProviderCompaction } from '../items/provider-compaction.ts';
import { standingKinds } from '../items/speaker.ts';
import { isJsonObject, type Json } from '../json.ts';
import { carriedLedger } from '../ledger/condense.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Config, ConfigOverrides } from '../policy/config.ts';
import { resolveConfig } from '../policy/profiles.ts';
import type { Entry } from '../session/entry.ts';
import { NO_USAGE } from '../session/usage-state.ts';
import { type TextCounter, withSafetyMargin } from '../tokens/count.ts';
import { measureItem } from '../tokens/measure.ts';
import { chooseCut } from './cut.ts';
import { type Summary, standIn } from './finish-full.ts';
import { type CutPlan, type FullPlan, planFull, withLedgers } from './full.ts';
import { ledgersOf } from './ledgers-of.ts';
import { materialOf } from './material.ts';
import { formatSummary } from './summary.ts';

/** One place of a request's input: an item, or the items that a compaction item of ours stands for. */
export type StatelessInput =
  | { kind: 'item'; item: Item }
  | { kind: 'content'; items: Item[]; ledger?: Ledger | undefined };

/**
 * The conversation of a request; `carried` are those of its items that came out of such content, and
 * `ledger` what the newest content says of the time before; null where none does.
 */
export type Conversation = { items: Item[]; carried: ReadonlySet<Item>; ledger: Ledger | null };

/** How a conversation without a session is compacted. `full` null: it is carried as it is. */
export type StatelessPlan = {
  full: FullPlan | null;
  view: View;
  config: Config;
  count: TextCounter;
  covered: Entry[];
  /** Compaction items of other services: nobody here can read them, so they stay what they are. */
  foreign: Item[];
  /** What stays after the compaction: open tool calls. */
  tail: Item[];
  /** What all that is covered says, now and in earlier compactions. */
  ledger: Ledger;
};

/** `message` quotes nothing of the conversation. */
export type WrittenSummary = { ok: true; summary: Summary } | { ok: false; message: string };

/** What to answer: the items that the compaction item stands for, and those that follow it. */
export type StatelessResult = {
  content: Item[];
  tail: Item[];
  /** What the next compaction goes on from. */
  ledger: Ledger;
};

/** With no room for a summary of so many tokens, the conversation itself is the shorter one. */
const LEAST_SUMMARY_TOKENS = 64;

/**
 * The configuration for a model's window (tokens): profile `codex-v2` under the server's overrides,
 * with nothing protected and nothing restored, and budgets that leave small windows some room.
 */
export function statelessConfig(server: ConfigOverrides, context_window: number): Config {
  const config = resolveConfig({
    profile: 'codex-v2',
    context_window,
    server,
    session: {
      preserve_user_messages: true,
      protected_messages: null,
      protected_tokens: null,
      restore_max_files: 0,
      restore_todos: false,
      restore_plan: false,
    },
  });
  const most = Math.max(LEAST_SUMMARY_TOKENS, Math.floor(context_window / 4));
  return {
    ...config,
    // There is no session, and nothing to recall.
    recall: false,
    user_message_max_tokens: Math.min(config.user_message_max_tokens, most),
    summary_max_tokens: Math.min(config.summary_max_tokens, most),
  };
}

/**
 * Puts what our compaction items stand for in their places. What stands in front of one and is part of
 * what it stands for is not doubled, whatever stands between; and where instructions or
 * notes about its surroundings of the client's own stand there, ours are older copies and give way.
 */
export function expandInput(input: readonly StatelessInput[]): Conversation {
  const renewed = new Set<string>();
  /** Instructions of the client's own: as many of ours give way, from the first. */
  let instructions = 0;
  let items: Item[] = [];
  const carried = new Set<Item>();
  let ledger: Ledger | null = null;
  for (const part of input) {
    if (part.kind === 'item') {
      items.push(part.item);
      if (isInstruction(part.item)) instructions++;
      for (const kind of renewedKinds(part.item)) renewed.add(kind);
      continue;
    }
    ledger = part.ledger ?? null;
    let older = 0;
    const content = part.items.filter((item) => {
      if (isInstruction(item)) return ++older > instructions;
      const kinds = renewedKinds(item);
      return kinds.length === 0 || kinds.some((kind) => !renewed.has(kind));
    });
    items = withoutDoubles(items, content);
    for (const item of content) {
      items.push(item);
      carried.add(item);
    }
  }
  return { items, carried, ledger };
}

/** What clients write anew with every request that an item holds: instructions, surroundings; or nothing. */
function renewedKinds(item: Item): string[] {
  const seen = openaiResponsesCodec.normalise(item);
  if (seen.kind !== 'message') return [];
  if (seen.role !== 'system') return standingKinds(seen);
  const kinds = instructionBlocks(seen).map(({ kind }) => kind);
  return kinds.filter((kind) => !kind.startsWith('text '));
}

/** A system or developer message in words of its own: which of the client's it is, only its place tells. */
function isInstruction(item: Item): boolean {
  const seen = openaiResponsesCodec.normalise(item);
  return seen.kind === 'message' && seen.role === 'system' && rewrittenKind(seen) === null;
}

/** The items without those that are in `content` as well, each as often as it is there. */
function withoutDoubles(items: readonly Item[], content: readonly Item[]): Item[] {
  const left = new Map<string, number>();
  for (const item of content) {
    const key = comparable(item);
    left.set(key, (left.get(key) ?? 0) + 1);
  }
  // From the end: of two that say the same, the later one is the copy.
  const kept: Item[] = [];
  for (const item of items.toReversed()) {
    const key = comparable(item);
    const count = left.get(key) ?? 0;
    if (count === 0) kept.push(item);
    else left.set(key, count - 1);
  }
  return kept.reverse();
}

/** The same for items that say the same: clients leave fields out or write them in another order. */
function comparable(item: Item): string {
  const seen = openaiResponsesCodec.normalise(item);
  const said =
    seen.kind === 'message'
      ? // Rendering leaves out texts that are empty.
        [seen.role, seen.parts.filter((part) => part.kind !== 'text' || part.text !== '')]
      : item;
  return JSON.stringify(said, (_, value: Json) =>
    isJsonObject(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}

/** Plans the compaction of a conversation; null when there is nothing that it could cover. */
export function planStateless(
  { items, carried, ledger }: Conversation,
  config: Config,
  count: TextCounter,
  format: Format = 'openai-responses',
): StatelessPlan | null {
  const codec = codecFor(format);
  // Ours have been expanded before: what is left is of others.
  const foreign = items.filter(isProviderCompaction);
  const before = ledger?.through ?? 0;
  const entries = items
    .filter((item) => !isProviderCompaction(item))
    .map((item, index): Entry => {
      const { tokens } = measureItem(codec, item, count, config);
      return { seq: before + index + 1, item, tokens, origin: 'log' };
    });
  const view: View = {
    version: before + entries.length,
    format,
    base: null,
    entries,
    edits: new Map(),
    originals: new Map(),
    usage: NO_USAGE,
    ledger,
    pins: NOTHING_PINNED,
  };
  const material = materialOf(view);
  // What earlier compactions have carried over stands in their ledger.
  const unread =
    ledger === null ? material : material.filter((one) => !carried.has(one.entry.item));
  const cut = chooseCut(material, 0, material.length, config);
  if (cut === null) return null;
  const covered = entries.slice(0, cut);
  const isNew = covered.some(({ item }) => !carried.has(item));
  const planned = planFull({
    view,
    material,
    config,
    count,
    tokens: withSafetyMargin(sumTokens(entries), config),
    // Whoever asks wants it smaller, however small it is already.
    threshold: Number.MAX_SAFE_INTEGER,
    before: null,
    context_window: null,
    is_automatic: false,
  });
  const full =
    isNew && planned.kind === 'full' && hasRoom(planned, config, count)
      ? withLedgers(planned, view, unread)
      : null;
  const { covered: read } = full?.ledgers ?? ledgersOf(view, unread, before + cut);
  return {
    full,
    ledger: read,
    view,
    config,
    count,
    covered,
    foreign,
    tail: entries.slice(cut).map(({ item }) => item),
  };
}

function hasRoom(plan: CutPlan, config: Config, count: TextCounter): boolean {
  const frame = count(formatSummary('', { style: config.summary_style, automatic: false }));
  const fixed = sumTokens([...plan.instructions, ...plan.preserved]) + frame;
  return fixed + LEAST_SUMMARY_TOKENS < plan.covered_tokens;
}

/**
 * Builds the answer. Without a summary, or with one that is longer than what it stands for, the
 * compaction item carries the covered items themselves: nothing is lost, and nothing gets larger.
 */
export function finishStateless(plan: StatelessPlan, summary: Summary | null): StatelessResult {
  const { full, view, config, count, covered, foreign, tail } = plan;
  const replacement =
    full === null || summary === null
      ? null
      : [
          ...full.instructions,
          ...standIn(full, summary.text, { view, config, count, is_automatic: false }).entries,
        ];
  const isShorter = replacement !== null && sumTokens(replacement) < sumTokens(covered);
  const carried = isShorter ? replacement : covered;
  const content = [...foreign, ...carried.map(({ item }) => item)];
  return { content, tail, ledger: carriedLedger(plan.ledger) };
}
