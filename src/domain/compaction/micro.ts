import type { ToolCall, ToolResult } from '../items/item.ts';
import { callsByResult, pairedParts } from '../items/pairing.ts';
import type { Config } from '../policy/config.ts';
import type { ResultEdit } from '../session/events.ts';
import { editKey, savedBy } from '../session/result-edits.ts';
import { countToolResult, type TextCounter } from '../tokens/count.ts';
import { truncateMiddle } from '../tokens/truncate.ts';
import type { PlanInput } from './plan-input.ts';

export type MicroPlan = {
  edits: ResultEdit[];
  /** Tokens of the results that are cleared or cut away, without margin. */
  tokens_saved: number;
  /** Of the eligible results that were not cleared before, without margin. */
  result_tokens_before: number;
  result_tokens_after: number;
};

/** The result that answers an eligible call. */
type Candidate = { call: ToolCall; seq: number; tokens: number; result: ToolResult };

/**
 * Plans a micro-compaction of the live context, or null when it would save less than the minimum
 * (SPEC section 7). Cutting long results in the middle, where configured, is tried first and is enough
 * when it brings the context under its threshold.
 */
export function planMicro(input: PlanInput): MicroPlan | null {
  const { config, count, tokens, threshold } = input;
  const overBy = Math.ceil((tokens - threshold + 1) / config.token_safety_multiplier);
  const { calls, candidates } = collect(input);
  const kept = new Set(
    calls.slice(Math.max(0, calls.length - config.micro_compact_keep_last_n_tools)),
  );
  const older = candidates.filter(
    (candidate) =>
      !kept.has(candidate.call) &&
      (config.micro_compact_clear_errors || !candidate.result.is_error),
  );
  const truncated = truncations(older, config, count);
  const savedByTruncation = savedBy(truncated);
  if (savedByTruncation >= Math.max(1, overBy, config.micro_compact_min_tokens_to_save)) {
    return planOf(candidates, truncated, savedByTruncation);
  }
  const chosen = choose(older, candidates, config);
  const saved = sum(chosen.map((candidate) => candidate.tokens));
  if (chosen.length === 0 || saved < config.micro_compact_min_tokens_to_save) return null;
  const edits = chosen.map((candidate) => clearing(candidate, config, count));
  // Placeholders of very short results can cost more than clearing gives back.
  return savedBy(edits) > 0 ? planOf(candidates, edits, saved) : null;
}

function planOf(candidates: Candidate[], edits: ResultEdit[], tokens_saved: number): MicroPlan {
  const result_tokens_before = sum(candidates.map((candidate) => candidate.tokens));
  const result_tokens_after = result_tokens_before - tokens_saved;
  return { edits, tokens_saved, result_tokens_before, result_tokens_after };
}

/** Eligible calls that were not cleared yet, oldest first, and the results that answer them. */
function collect({ view, material, config, count }: PlanInput) {
  const eligible = new Set(config.micro_compact_eligible_tools.map((name) => name.toLowerCase()));
  const isEligible = ({ name }: ToolCall) => eligible.has(name.toLowerCase());
  const paired = pairedParts(material.map(({ item }) => item));
  const answered = callsByResult(paired);
  const calls = paired.flatMap(({ part }) =>
    part.kind === 'tool_call' && isEligible(part) ? [part] : [],
  );
  const cleared = new Set<ToolCall>();
  const candidates: Candidate[] = [];
  for (const { entry, item } of material) {
    if (item.kind !== 'message' || entry.seq === null) continue;
    // The item was counted when it was appended, perhaps under another configuration: no result can
    // give back more than the item was counted for.
    let left = entry.tokens;
    const take = (result: ToolResult): number => {
      const tokens = Math.min(left, countToolResult(result, count, config));
      left -= tokens;
      return tokens;
    };
    const here = new Map<string, Candidate>();
    for (const part of item.parts) {
      if (part.kind !== 'tool_result') continue;
      const twin = here.get(part.call_id);
      if (twin !== undefined) {
        // An edit changes every result of the id in its item, so all of them are saved.
        twin.tokens += take(part);
        continue;
      }
      const call = answered.get(part);
      if (call === undefined || !isEligible(call)) continue;
      if (view.edits.get(editKey(entry.seq, part.call_id))?.kind === 'cleared') cleared.add(call);
      else {
        const candidate = { call, seq: entry.seq, tokens: take(part), result: part };
        here.set(part.call_id, candidate);
        candidates.push(candidate);
      }
    }
  }
  return { calls: calls.filter((call) => !cleared.has(call)), candidates };
}

function choose(older: Candidate[], all: Candidate[], config: Config): Candidate[] {
  switch (config.micro_compact_strategy) {
    case 'all_older':
      return older;
    case 'until_target': {
      let left = sum(all.map((candidate) => candidate.tokens));
      return older.filter((candidate) => {
        if (left <= config.micro_compact_target_tokens) return false;
        left -= candidate.tokens;
        return true;
      });
    }
    default:
      return config.micro_compact_strategy satisfies never;
  }
}

function clearing(candidate: Candidate, config: Config, count: TextCounter): ResultEdit {
  const content = config.micro_compact_placeholder.replaceAll(
    '{tool_use_id}',
    () => candidate.call.id,
  );
  return edit(candidate, 'cleared', content, count);
}

/** Long text results cut in the middle; results with other parts are left for clearing. */
function truncations(older: Candidate[], config: Config, count: TextCounter): ResultEdit[] {
  const limit = config.micro_compact_truncate_over_tokens;
  if (limit === null) return [];
  return older.flatMap((candidate) => {
    if (candidate.tokens <= limit) return [];
    const texts = candidate.result.content.flatMap((p) => (p.kind === 'text' ? [p.text] : []));
    if (texts.length < candidate.result.content.length) return [];
    return [edit(candidate, 'truncated', truncateMiddle(texts.join('\n'), limit, count), count)];
  });
}

function edit(
  candidate: Candidate,
  kind: ResultEdit['kind'],
  content: string,
  count: TextCounter,
): ResultEdit {
  return {
    seq: candidate.seq,
    tool_use_id: candidate.call.id,
    kind,
    content,
    tokens_before: candidate.tokens,
    tokens_after: count(content),
  };
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
