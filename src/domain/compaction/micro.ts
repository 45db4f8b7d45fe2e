import { callsInCode } from '../items/code-mode/with-code-calls.ts';
import type { ToolCall } from '../items/item.ts';
import { callsByResult, pairedParts } from '../items/pairing.ts';
import { userAnswerIn } from '../items/user-words.ts';
import { isOwnTool, qualifiedName } from '../policy/own-tools.ts';
import { toolMatcher } from '../policy/tool-patterns.ts';
import { editKey, isTakenAway, type ResultEdit, savedBy } from '../session/result-edits.ts';
import { truncateMiddle } from '../tokens/truncate.ts';
import { itemsOf } from './material.ts';
import {
  budgeted,
  type LoggedResult,
  loggedResults,
  mostOfOne,
  newestResults,
  resultsOf,
  shortenedResults,
  sizer,
  sum,
} from './newest-results.ts';
import type { PlanInput } from './plan-input.ts';
import { type Candidate, edit, ownTokens, replacer } from './replace-result.ts';
import { shortenedInputs } from './shorten-input.ts';
import { shortener } from './shorten-result.ts';

export type MicroPlan = {
  edits: ResultEdit[];
  /** Tokens of what is cleared or cut away, without margin. */
  tokens_saved: number;
  /** Of the eligible results that were not cleared before, and of all that is edited, without margin. */
  result_tokens_before: number;
  result_tokens_after: number;
};

/**
 * Plans a micro-compaction of the live context, or null when it would save less than the minimum
 * (SPEC section 7). Cutting long results, and long inputs of calls that wrote files, where configured, is
 * tried first and is enough when it brings the context under its threshold; then old results are
 * cleared. What is kept of them is shortened only where no compaction could carry it whole
 * (`shortenedResults`).
 */
export function planMicro(input: PlanInput): MicroPlan | null {
  const { config } = input;
  const { candidates, results, newest, older } = oldResults(input);
  const pays = (edits: ResultEdit[]) =>
    // Placeholders of very short results can cost more than clearing gives back.
    savedBy(edits) > 0 && tokensSaved(edits) >= config.micro_compact_min_tokens_to_save;
  const isEnough = (edits: ResultEdit[]) => savedBy(edits) >= overBy(input) && pays(edits);
  const inputs = shortenedInputs(input);
  const truncated = [...truncations(older, input), ...inputs];
  if (isEnough(truncated)) return planOf(candidates, truncated);
  const old = new Set(older.map(({ seq, call }) => editKey(seq, call.id)));
  const others = results.filter((result) => !old.has(keyOf(result)));
  const alsoNewest = [...truncated, ...newestTruncations(input, others)];
  if (isOver(input) && isEnough(alsoNewest)) return planOf(candidates, alsoNewest);
  const cleared = [...clearings(older, candidates, input), ...inputs];
  if (isEnough(cleared) || !isOver(input)) {
    return pays(cleared) ? planOf(candidates, cleared) : null;
  }
  const gone = new Set(cleared.map(({ seq, tool_use_id }) => editKey(seq, tool_use_id)));
  const rest = results.filter((result) => !gone.has(keyOf(result)));
  const tooLarge = unfit(input, rest, newest);
  const shortened = tooLarge.length > 0 ? tooLarge : newestTruncations(input, rest);
  const all = [...cleared, ...shortened];
  if (pays(all)) return planOf(candidates, all);
  // These cannot stay as they are, whatever that saves.
  return tooLarge.length > 0 ? planOf(candidates, tooLarge) : null;
}

/** Tool results by how near they are to being cleared: how many, and their tokens without margin. */
type Clearable = Record<'eligible' | 'old' | 'chosen', { results: number; tokens: number }>;

/** The figures behind a plan to clear, whether clearing pays or not. */
export function clearable(input: PlanInput): Clearable {
  const { candidates, older } = oldResults(input);
  const sizeOf = (list: readonly Candidate[]) => ({
    results: list.length,
    tokens: sum(list.map(({ tokens }) => tokens)),
  });
  const cleared = clearings(older, candidates, input);
  const chosen = { results: cleared.length, tokens: tokensSaved(cleared) };
  return { eligible: sizeOf(candidates), old: sizeOf(older), chosen };
}

/** The eligible results, those of them that are old enough to be cleared, and the newest ones. */
function oldResults(input: PlanInput) {
  const { config } = input;
  const { calls, candidates } = collect(input);
  const results = loggedResults(input);
  const newest = newestResults(input.material, results);
  const keep = config.micro_compact_keep_last_n_tools;
  const kept = new Set(calls.slice(Math.max(0, calls.length - keep)));
  // What the model has not seen yet is not old, however many came together.
  const unread = new Set(newest?.isUnread && keep > 0 ? newest.results.map(keyOf) : []);
  const older = candidates.filter(
    (candidate) =>
      !kept.has(candidate.call) &&
      !unread.has(editKey(candidate.seq, candidate.call.id)) &&
      ownTokens(candidate, input) >= config.micro_compact_min_result_tokens &&
      // The agent can run a tool again, but cannot ask the user twice.
      userAnswerIn(candidate.call, candidate.result) === null &&
      (config.micro_compact_clear_errors || !candidate.result.is_error),
  );
  return { candidates, results, newest, older };
}

/**
 * Plans nothing but the shortening of results that the window cannot carry; null where there are none.
 * It works in every profile: the alternative would be to lose them whole.
 */
export function planShortening(input: PlanInput): MicroPlan | null {
  const results = loggedResults(input);
  const edits = unfit(input, results, newestResults(input.material, results));
  return edits.length > 0 ? planOf([], edits) : null;
}

function unfit(
  input: PlanInput,
  results: readonly LoggedResult[],
  newest: ReturnType<typeof newestResults>,
): ResultEdit[] {
  const { context_window } = input;
  if (context_window === null) return [];
  return shortenedResults({ ...input, context_window }, results, newest);
}

/** By so much, without margin, the context has to shrink to be below its threshold. */
function overBy({ tokens, threshold, config }: PlanInput): number {
  return Math.ceil((tokens - threshold + 1) / config.token_safety_multiplier);
}

function isOver({ tokens, threshold }: PlanInput): boolean {
  return tokens >= threshold;
}

function keyOf({ seq, call_id }: LoggedResult): string {
  return editKey(seq, call_id);
}

/**
 * Of the results that are cleared, digested or cut away; without what placeholders cost, as the
 * documents count.
 */
function tokensSaved(edits: readonly ResultEdit[]): number {
  return sum(
    edits.map(({ kind, tokens_before, tokens_after }) =>
      kind === 'cleared' ? tokens_before : tokens_before - tokens_after,
    ),
  );
}

function planOf(candidates: readonly Candidate[], edits: ResultEdit[]): MicroPlan {
  const tokens_saved = tokensSaved(edits);
  const known = new Set(candidates.map(({ seq, call }) => editKey(seq, call.id)));
  const others = edits.filter(({ seq, tool_use_id }) => !known.has(editKey(seq, tool_use_id)));
  const result_tokens_before =
    sum(candidates.map((candidate) => candidate.tokens)) +
    sum(others.map(({ tokens_before }) => tokens_before));
  const result_tokens_after = result_tokens_before - tokens_saved;
  return { edits, tokens_saved, result_tokens_before, result_tokens_after };
}

/** Eligible calls that were not cleared yet, oldest first, and the results that answer them. */
function collect({ view, material, config, count }: PlanInput) {
  const fits = toolMatcher(config.micro_compact_eligible_tools);
  // What was recalled would be cleared into a way to recall it.
  const isEligible = (call: ToolCall) =>
    !isOwnTool(qualifiedName(call)) && callsInCode(call).every(({ name }) => fits(name));
  const paired = pairedParts(itemsOf(material));
  const answered = callsByResult(paired);
  const calls: ToolCall[] = [];
  for (const { part } of paired) {
    if (part.kind === 'tool_call' && isEligible(part)) calls.push(part);
  }
  const cleared = new Set<ToolCall>();
  const candidates: Candidate[] = [];
  for (const { entry, item, original } of material) {
    if (item.kind !== 'message' || entry.seq === null || entry.pinned) continue;
    const { seq } = entry;
    const results = resultsOf(item);
    if (results.length === 0) continue;
    const originals = resultsOf(original);
    /** Per id the call whose results these are. */
    const callOf = new Map<string, ToolCall>();
    const own = results.filter((result) => {
      const call = callOf.get(result.call_id) ?? answered.get(result);
      if (call === undefined || !isEligible(call)) return false;
      const earlier = view.edits.get(editKey(seq, result.call_id));
      const isCleared = earlier !== undefined && isTakenAway(earlier);
      if (isCleared) cleared.add(call);
      else callOf.set(result.call_id, call);
      return !isCleared;
    });
    for (const { result, tokens } of budgeted(own, entry.tokens, sizer(count, config))) {
      const call = callOf.get(result.call_id);
      if (call === undefined) continue;
      const [first = null, ...twins] = originals.filter(
        ({ call_id }) => call_id === result.call_id,
      );
      candidates.push({ call, seq, tokens, result, original: twins.length > 0 ? null : first });
    }
  }
  return { calls: calls.filter((call) => !cleared.has(call)), candidates };
}

/** What takes the place of old results, as many as the strategy says. */
function clearings(older: Candidate[], all: Candidate[], input: PlanInput): ResultEdit[] {
  const { config } = input;
  const replace = replacer(input);
  switch (config.micro_compact_strategy) {
    case 'all_older':
      return older.map(replace);
    case 'until_target': {
      let left = sum(all.map((candidate) => candidate.tokens));
      return older.flatMap((candidate) => {
        if (left <= config.micro_compact_target_tokens) return [];
        const edited = replace(candidate);
        left -= tokensSaved([edited]);
        return [edited];
      });
    }
    default:
      return config.micro_compact_strategy satisfies never;
  }
}

/** Long text results cut in the middle; results with other parts are left for clearing. */
function truncations(older: Candidate[], { config, count }: PlanInput): ResultEdit[] {
  const limit = config.micro_compact_truncate_over_tokens;
  if (limit === null) return [];
  return older.flatMap((candidate) => {
    if (candidate.tokens <= limit) return [];
    const texts = candidate.result.content.flatMap((p) => (p.kind === 'text' ? [p.text] : []));
    if (texts.length < candidate.result.content.length) return [];
    const content = truncateMiddle(texts.join('\n'), limit, count);
    return [edit(candidate, 'truncated', content, { count })];
  });
}

/** Where long results are cut, the newest are cut too, and may keep more: a tenth of the window. */
function newestTruncations(input: PlanInput, newest: readonly LoggedResult[]): ResultEdit[] {
  const { config, context_window } = input;
  const limit = config.micro_compact_truncate_over_tokens;
  if (limit === null || context_window === null) return [];
  const most = Math.max(limit, mostOfOne(context_window, config));
  const shorten = shortener(input);
  return newest.flatMap((result) => shorten(result, most));
}
