import { resultPartText } from '../items/convert.ts';
import type { ToolResult } from '../items/item.ts';
import { callsByResult, pairedParts } from '../items/pairing.ts';
import { keptBehind } from '../items/reminders.ts';
import type { ResultEdit } from '../session/result-edits.ts';
import { truncateMiddle } from '../tokens/truncate.ts';
import { type Digester, digester } from './digest-result.ts';
import { itemsOf } from './material.ts';
import type { PlanInput } from './plan-input.ts';
import { withKept } from './replace-result.ts';

/** A tool result of the log, as it stands in the context and as it was appended, before any edit. */
export type SizedResult = {
  /** Of its item. */
  seq: number;
  call_id: string;
  /** What an edit could give back, without margin. */
  tokens: number;
  result: ToolResult;
  original: ToolResult;
};

/** The edit that shortens a result to so many tokens; none when it is no longer than that. */
type Shorten = (result: SizedResult, most: number) => ResultEdit[];

/**
 * Shortens results that stay: to a digest of the original where that is configured and says something,
 * else by cutting its middle out. They are no digests of old results, which nothing touches again: once
 * they are old, they are cleared like others.
 */
export function shortener(input: PlanInput): Shorten {
  const { config, count } = input;
  let digest: Digester | null = null;
  let calls: ReturnType<typeof callsByResult> | null = null;
  return ({ seq, call_id, tokens, result, original }, most) => {
    if (tokens <= most) return [];
    const text = original.content.map(resultPartText).join('\n');
    let content: string | null = null;
    if (config.micro_compact_replacement === 'digest') {
      digest ??= digester(input);
      calls ??= callsByResult(pairedParts(itemsOf(input.material)));
      const call = calls.get(result) ?? null;
      const kept = truncateMiddle(keptBehind(call, text), Math.floor(most / 2), count);
      const left = most - (kept === '' ? 0 : count(kept));
      const shown = digest(call, original, { tokens, most: left });
      if (shown !== null) content = withKept(shown, kept);
    }
    // From the whole, so that the note in the middle tells of all that was left out.
    content ??= truncateMiddle(text, most, count);
    const tokens_after = count(content);
    if (tokens_after >= tokens) return [];
    const of = { seq, tool_use_id: call_id, tokens_before: tokens, tokens_after };
    return [{ ...of, kind: 'truncated', content }];
  };
}
