import { turnNumbers } from '../context/invariants/turns.ts';
import type { Normalised, ToolResult } from '../items/item.ts';
import type { Config } from '../policy/config.ts';
import type { ResultEdit } from '../session/result-edits.ts';
import { countToolResult, type TextCounter, withSafetyMargin } from '../tokens/count.ts';
import { evenShare } from '../tokens/even-share.ts';
import { itemsOf, type Material } from './material.ts';
import type { PlanInput } from './plan-input.ts';
import { type SizedResult, shortener } from './shorten-result.ts';

/** A tool result of the log that stands in the context; twins of one id in an item count as one. */
export type LoggedResult = SizedResult & {
  /** Of its item in the material. */
  index: number;
};

/** Every result of the log in the context that is not pinned, oldest first. */
export function loggedResults({ material, count, config }: PlanInput): LoggedResult[] {
  return material.flatMap(({ entry, item, original }, index) => {
    const { seq } = entry;
    if (seq === null || entry.pinned || item.kind !== 'message') return [];
    const own = resultsOf(item);
    if (own.length === 0) return [];
    const before = new Map(resultsOf(original).map((result) => [result.call_id, result]));
    // One that stands alone is all of its item.
    const isAlone = item.parts.length === 1;
    const sizeOf = isAlone ? () => entry.tokens : sizer(count, config);
    return budgeted(own, entry.tokens, sizeOf).map(({ result, tokens }) => {
      const { call_id } = result;
      return { index, seq, call_id, tokens, result, original: before.get(call_id) ?? result };
    });
  });
}

/** How many tokens a result counts by itself. */
export function sizer(count: TextCounter, config: Config): (result: ToolResult) => number {
  return (result) => countToolResult(result, count, config);
}

/**
 * Results of one item with the tokens that an edit of each could give back: never more together than
 * the item was counted for, perhaps under another configuration, when it was appended. An edit changes
 * every result of its id, so that twins count as one.
 */
export function budgeted(
  results: readonly ToolResult[],
  budget: number,
  sizeOf: (result: ToolResult) => number,
): { result: ToolResult; tokens: number }[] {
  const found = new Map<string, { result: ToolResult; tokens: number }>();
  let left = budget;
  for (const result of results) {
    const tokens = Math.min(left, sizeOf(result));
    left -= tokens;
    const twin = found.get(result.call_id);
    if (twin === undefined) found.set(result.call_id, { result, tokens });
    else twin.tokens += tokens;
  }
  return [...found.values()];
}

export function resultsOf(item: Normalised): ToolResult[] {
  if (item.kind !== 'message') return [];
  const results: ToolResult[] = [];
  for (const part of item.parts) if (part.kind === 'tool_result') results.push(part);
  return results;
}

/** The results that came together last; `isUnread`: the model has said nothing since. */
type NewestResults = { results: LoggedResult[]; isUnread: boolean };

/**
 * The newest results: all that answer the model's latest turn with results. Its pieces may stand
 * between them, since clients log a result as soon as it is there. Null when the log holds none in the
 * context.
 */
export function newestResults(
  material: readonly Material[],
  results: readonly LoggedResult[],
): NewestResults | null {
  const last = results.at(-1);
  if (last === undefined) return null;
  const turns = turnNumbers(itemsOf(material));
  const turn = turns.slice(0, last.index).findLast((number) => number !== null) ?? null;
  // Without a turn before it the result came first: whatever stands there belongs to it.
  const first = turn === null ? 0 : turns.indexOf(turn);
  return {
    results: results.filter(({ index }) => index >= first),
    isUnread: !turns.slice(last.index + 1).some((number) => number !== null && number !== turn),
  };
}

/** Tokens without margin that one result may keep that the window cannot carry: a tenth of it. */
export function mostOfOne(contextWindow: number, config: Config): number {
  return Math.max(16, Math.floor(contextWindow / 10 / config.token_safety_multiplier));
}

/**
 * The results that no compaction can leave whole, shortened: each that alone would fill
 * half of what the threshold allows, and those of the newest that do so together, which share a quarter
 * of it. None keeps more than a tenth of the window.
 */
export function shortenedResults(
  input: PlanInput & { context_window: number },
  results: readonly LoggedResult[],
  newest: NewestResults | null,
): ResultEdit[] {
  const { config, threshold } = input;
  const shorten = shortener(input);
  const half = threshold / 2;
  const isTooMuch = (tokens: number) => withSafetyMargin(tokens, config) > half;
  const most = mostOfOne(input.context_window, config);
  const together = newest?.results ?? [];
  const isTogetherTooMuch = isTooMuch(sum(together.map(({ tokens }) => tokens)));
  const share = isTogetherTooMuch
    ? evenShare(
        together.map(({ tokens }) => tokens),
        Math.floor(threshold / 4 / config.token_safety_multiplier),
      )
    : most;
  const seqs = new Set(isTogetherTooMuch ? together : []);
  return results.flatMap((result) => {
    if (seqs.has(result)) return shorten(result, Math.min(most, share));
    return isTooMuch(result.tokens) ? shorten(result, most) : [];
  });
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
