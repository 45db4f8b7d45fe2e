import { editKey, type View } from '../context/view.ts';
import { codecFor } from '../items/codecs.ts';
import type { Message, ToolResult } from '../items/item.ts';
import type { Config } from '../policy/config.ts';
import type { ResultEdit } from '../session/events.ts';
import { countToolResult, type TextCounter } from '../tokens/count.ts';
import { truncateMiddle } from '../tokens/truncate.ts';

export type MicroPlan = {
  edits: ResultEdit[];
  /** Tokens of the results that are cleared or cut away, without margin. */
  tokens_saved: number;
};

/** One eligible call in the live context; an object of its own, since some clients re-use ids. */
type Call = { id: string };
/** The result that answers an eligible call. */
type Candidate = { call: Call; seq: number; tokens: number; result: ToolResult };

/**
 * Plans a micro-compaction of the live context, or null when it would save less than the minimum
 * (SPEC section 7). `overBy` says by how many tokens (without margin) the context is above its
 * threshold: cutting long results in the middle, where configured, is tried first and is enough when
 * it saves that much.
 */
export function planMicro(
  view: View,
  config: Config,
  count: TextCounter,
  overBy: number,
): MicroPlan | null {
  const { calls, candidates } = collect(view, config, count);
  const kept = new Set(
    calls.slice(Math.max(0, calls.length - config.micro_compact_keep_last_n_tools)),
  );
  const older = candidates.filter(
    (candidate) =>
      !kept.has(candidate.call) &&
      (config.micro_compact_clear_errors || !candidate.result.is_error),
  );
  const truncated = truncations(older, config, count);
  const savedByTruncation = sum(truncated.map((edit) => edit.tokens_before - edit.tokens_after));
  if (savedByTruncation >= Math.max(1, overBy, config.micro_compact_min_tokens_to_save)) {
    return { edits: truncated, tokens_saved: savedByTruncation };
  }
  const chosen = choose(older, candidates, config);
  const saved = sum(chosen.map((candidate) => candidate.tokens));
  if (chosen.length === 0 || saved < config.micro_compact_min_tokens_to_save) return null;
  return {
    edits: chosen.map((candidate) => clearing(candidate, config, count)),
    tokens_saved: saved,
  };
}

/** Eligible calls that were not cleared yet, oldest first, and the results that answer them. */
function collect(view: View, config: Config, count: TextCounter) {
  const codec = codecFor(view.format);
  const eligible = new Set(config.micro_compact_eligible_tools.map((name) => name.toLowerCase()));
  const calls: Call[] = [];
  const waiting = new Map<string, Call>();
  const cleared = new Set<Call>();
  const candidates: Candidate[] = [];
  for (const entry of view.entries) {
    const item = codec.normalise(entry.item);
    if (item.kind !== 'message') continue;
    for (const part of toolParts(item)) {
      if (part.kind === 'tool_call') {
        waiting.delete(part.id);
        if (!eligible.has(part.name.toLowerCase())) continue;
        const call = { id: part.id };
        waiting.set(part.id, call);
        calls.push(call);
        continue;
      }
      const call = waiting.get(part.call_id);
      if (entry.seq === null || call === undefined) continue;
      waiting.delete(part.call_id);
      if (view.edits.get(editKey(entry.seq, part.call_id))?.kind === 'cleared') cleared.add(call);
      else {
        const tokens = countToolResult(part, count, config);
        candidates.push({ call, seq: entry.seq, tokens, result: part });
      }
    }
  }
  return { calls: calls.filter((call) => !cleared.has(call)), candidates };
}

function toolParts(message: Message) {
  return message.parts.filter((part) => part.kind === 'tool_call' || part.kind === 'tool_result');
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
  const content = config.micro_compact_placeholder.replaceAll('{tool_use_id}', candidate.call.id);
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
