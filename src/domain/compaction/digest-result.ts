import type { Names } from '../digests/choose.ts';
import { digestOf } from '../digests/digest.ts';
import { callsInCode } from '../items/code-mode/with-code-calls.ts';
import { resultPartText } from '../items/convert.ts';
import type { Normalised, ToolCall, ToolResult } from '../items/item.ts';
import { splitReminders } from '../items/reminders.ts';
import { readNames } from '../names.ts';
import { callKey } from '../session/call-key.ts';
import { answerToCall } from '../workspace/call-answer.ts';
import { recallOf } from '../workspace/recall-mark.ts';
import { inputOf, ownName, pathOf } from '../workspace/tool-input.ts';
import { originalsOf } from './material.ts';
import type { PlanInput } from './plan-input.ts';
import { recallable } from './recallable.ts';

/**
 * The digest of a result as it was appended, which now takes so many tokens, in `most` if that is
 * given; null where it would say nothing. `call` is null where nobody knows what it answers.
 */
export type Digester = (
  call: ToolCall | null,
  original: ToolResult,
  size: { tokens: number; most?: number },
) => string | null;

/** Digests results by the names that stand in the conversation, which is read once, when it is needed. */
export function digester(input: PlanInput): Digester {
  const { material, count } = input;
  const isRecallable = recallable(input);
  let names: Omit<Names, 'known'> | null = null;
  return (asked, original, size) => {
    const [call = null] = asked === null ? [] : callsInCode(asked);
    names ??= namesIn(originalsOf(material));
    const result = {
      // The text that the tool-results route gives, so that its lines have these numbers there.
      text: splitReminders(original.content.map(resultPartText).join('\n')).text,
      tool: call === null ? '' : ownName(call.name),
      path: call === null ? null : (pathOf(inputOf(call)) ?? null),
      isFailed: answerToCall(call, original).isFailed,
      recall: isRecallable(original.call_id) ? recallOf(callKey(original.call_id)) : null,
    };
    const known = asked === null ? '' : textOfCall(asked);
    return digestOf(result, { ...size, count, names: { ...names, known } });
  };
}

/** The names that user and assistant have written, in words and in calls: they may need them again. */
function namesIn(items: readonly Normalised[]): Omit<Names, 'known'> {
  const written = new Set<string>();
  const write = (_: string, key: string) => written.add(key);
  for (const item of items) {
    if (item.kind !== 'message' || item.role === 'system') continue;
    for (const part of item.parts) {
      if (part.kind === 'text') readNames(part.text, write);
      else if (part.kind === 'tool_call') readNames(textOfCall(part), write);
    }
  }
  return { isUsed: (key) => written.has(key) };
}

function textOfCall({ input }: ToolCall): string {
  return typeof input === 'string' ? input : JSON.stringify(input);
}
