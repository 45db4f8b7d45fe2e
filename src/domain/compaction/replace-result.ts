import type { Names } from '../digests/choose.ts';
import { digestOf } from '../digests/digest.ts';
import { resultPartText } from '../items/convert.ts';
import type { Normalised, ToolCall, ToolResult } from '../items/item.ts';
import { nameKey, nameReader } from '../names.ts';
import { callKey } from '../session/call-key.ts';
import type { ResultEdit } from '../session/result-edits.ts';
import { answerOf } from '../workspace/result-text.ts';
import { inputOf, ownName, pathOf } from '../workspace/tool-input.ts';
import type { PlanInput } from './plan-input.ts';

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
  const { config, count } = input;
  let names: Omit<Names, 'known'> | null = null;
  return (candidate) => {
    if (config.micro_compact_replacement === 'digest' && candidate.original !== null) {
      names ??= namesIn(input);
      const digest = digestOfResult(candidate.call, candidate.original, candidate.tokens, {
        count,
        names,
      });
      if (digest !== null) return edit(candidate, 'digested', digest, input);
    }
    // Whoever sends the ids must not decide how long a placeholder becomes, which may name one often.
    const id = callKey(candidate.call.id);
    const content = config.micro_compact_placeholder.replaceAll('{tool_use_id}', () => id);
    return edit(candidate, 'cleared', content, input);
  };
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

function digestOfResult(
  call: ToolCall,
  original: ToolResult,
  tokens: number,
  { count, names }: Pick<PlanInput, 'count'> & { names: Omit<Names, 'known'> },
): string | null {
  const result = {
    // The text that the tool-results route gives, so that its lines have these numbers there.
    text: original.content.map(resultPartText).join('\n'),
    tool: ownName(call.name),
    path: pathOf(inputOf(call)) ?? null,
    isFailed: answerOf(original).isFailed,
  };
  return digestOf(result, { tokens, count, names: { ...names, known: textOfCall(call) } });
}

/** The names that user and assistant have written, in words and in calls: they may need them again. */
function namesIn({ material }: PlanInput): Omit<Names, 'known'> {
  const read = nameReader();
  const written = new Set<string>();
  for (const { item } of material) {
    for (const text of textsOf(item)) read(text, (name) => written.add(nameKey(name)));
  }
  return { read, isUsed: (key) => written.has(key) };
}

function textsOf(item: Normalised): string[] {
  if (item.kind !== 'message' || item.role === 'system') return [];
  return item.parts.flatMap((part) => {
    if (part.kind === 'text') return [part.text];
    return part.kind === 'tool_call' ? [textOfCall(part)] : [];
  });
}

function textOfCall({ input }: ToolCall): string {
  return typeof input === 'string' ? input : JSON.stringify(input);
}
