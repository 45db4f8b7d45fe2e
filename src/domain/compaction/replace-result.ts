import { resultPartText } from '../items/convert.ts';
import type { ToolCall, ToolResult } from '../items/item.ts';
import { keptBehind } from '../items/reminders.ts';
import { linesOf } from '../line-piece.ts';
import { callKey } from '../session/call-key.ts';
import type { ResultEdit } from '../session/result-edits.ts';
import { recallNote } from '../workspace/recall-mark.ts';
import { ownName } from '../workspace/tool-input.ts';
import { digester } from './digest-result.ts';
import type { PlanInput } from './plan-input.ts';
import { recallable } from './recallable.ts';

/** The result that answers an eligible call. */
export type Candidate = {
  call: ToolCall;
  seq: number;
  /** What an edit could give back, without margin. */
  tokens: number;
  result: ToolResult;
  /** As it was appended; null where one id has several, each of which an edit would change. */
  original: ToolResult | null;
};

/**
 * What stands in place of old results: a digest of the original where that is configured and says
 * something, else the placeholder. It is decided here, and stored, once and for all.
 */
export function replacer(input: PlanInput): (candidate: Candidate) => ResultEdit {
  const { config } = input;
  const digest = digester(input);
  const isRecallable = recallable(input);
  return (candidate) => {
    const kept = keptOf(candidate);
    const replaced = (kind: ResultEdit['kind'], content: string) =>
      edit(candidate, kind, withKept(content, kept), input);
    if (config.micro_compact_replacement === 'digest' && candidate.original !== null) {
      const tokens = ownTokens(candidate, input);
      const content = digest(candidate.call, candidate.original, { tokens });
      if (content !== null) return replaced('digested', content);
    }
    if (config.recall && candidate.original !== null && isRecallable(candidate.call.id)) {
      return replaced('cleared', noteOf(candidate));
    }
    // Whoever sends the ids must not decide how long a placeholder becomes, which may name one often.
    const id = callKey(candidate.call.id);
    const content = config.micro_compact_placeholder.replaceAll('{tool_use_id}', () => id);
    return replaced('cleared', content);
  };
}

/** The tokens of a result without what is said behind it. */
export function ownTokens(candidate: Candidate, { count }: Pick<PlanInput, 'count'>): number {
  const kept = keptOf(candidate);
  return kept === '' ? candidate.tokens : Math.max(0, candidate.tokens - count(kept));
}

function keptOf(candidate: Candidate): string {
  return keptBehind(candidate.call, originalText(candidate));
}

function originalText({ original, result }: Candidate): string {
  return (original ?? result).content.map(resultPartText).join('\n');
}

/** What stands in place of a result, and what users, hooks and tasks have said behind that. */
export function withKept(content: string, kept: string): string {
  return kept === '' ? content : `${content}\n\n${kept}`;
}

/** The note that says how to recall the original. */
function noteOf(candidate: Candidate): string {
  const { call } = candidate;
  const text = originalText(candidate);
  return recallNote(linesOf(text), ownName(call.name), callKey(call.id));
}

/** The edit that puts a content in the place of a result. */
export function edit(
  { seq, call, tokens }: Candidate,
  kind: ResultEdit['kind'],
  content: string,
  { count }: Pick<PlanInput, 'count'>,
): ResultEdit {
  return {
    seq,
    tool_use_id: call.id,
    kind,
    content,
    tokens_before: tokens,
    tokens_after: count(content),
  };
}
