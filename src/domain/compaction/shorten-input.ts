import { codecFor } from '../items/codecs.ts';
import type { Message, Normalised, Part, ToolCall, ToolResult } from '../items/item.ts';
import { partnersIn } from '../items/pairing.ts';
import { inputText } from '../items/replace-input.ts';
import { editKey, type ResultEdit } from '../session/result-edits.ts';
import type { TextCounter } from '../tokens/count.ts';
import type { FileAction } from '../workspace/action.ts';
import { actionsOfCall } from '../workspace/call-actions.ts';
import { answerToCall } from '../workspace/call-answer.ts';
import { Effort } from '../workspace/effort.ts';
import { cutInput } from './cut-input.ts';
import { originalsOf } from './material.ts';
import type { PlanInput } from './plan-input.ts';

/**
 * The inputs of old calls that have written or edited files, cut where they count more than configured:
 * what they wrote is on disk (SPEC section 20). Their paths and the beginning and end of each text stay.
 */
export function shortenedInputs(input: PlanInput): ResultEdit[] {
  const limit = input.config.micro_compact_truncate_inputs_over_tokens;
  if (limit === null) return [];
  const { material, view, count } = input;
  const codec = codecFor(view.format);
  const { results } = partnersIn(originalsOf(material));
  const isOld = oldCalls(input);
  const effort = new Effort();
  return material.flatMap(({ entry, original }) => {
    const { seq } = entry;
    if (seq === null || entry.pinned || original.kind !== 'message') return [];
    if (entry.tokens <= limit) return [];
    let left = entry.tokens;
    return callsOf(original).flatMap((call): ResultEdit[] => {
      const answer = results.get(call);
      if (answer === undefined || !isOld(call) || view.edits.has(editKey(seq, call.id))) return [];
      const size = Math.min(left, sizeOf(call, count));
      if (size <= limit || partsOf(original, call.id) > 1) return [];
      if (!hasWritten(call, answer.result, effort)) return [];
      const content = inputText(cutInput(call, limit, count));
      const item = codec.editInputs(entry.item, new Map([[call.id, content]]));
      const cut = callsOf(codec.normalise(item)).find(({ id }) => id === call.id);
      const tokens_after = cut === undefined ? size : sizeOf(cut, count);
      if (tokens_after >= size) return [];
      left -= size;
      const of = { seq, tool_use_id: call.id, tokens_before: size, tokens_after };
      return [{ ...of, kind: 'input_truncated', content }];
    });
  });
}

/** Whether a call is none of the newest. */
function oldCalls({ material, config }: PlanInput): (call: ToolCall) => boolean {
  const keep = config.micro_compact_keep_last_n_tools;
  const calls = material.flatMap(({ original }) => callsOf(original));
  const newest = new Set(keep > 0 ? calls.slice(-keep) : []);
  return (call) => !newest.has(call);
}

function callsOf(item: Normalised): ToolCall[] {
  if (item.kind !== 'message') return [];
  return item.parts.flatMap((part) => (part.kind === 'tool_call' ? [part] : []));
}

function sizeOf({ source }: ToolCall, count: TextCounter): number {
  return count(JSON.stringify(source));
}

/** How many calls and results of an item have this id: an edit names one of them by it. */
function partsOf(item: Message, id: string): number {
  const isNamed = (part: Part) =>
    (part.kind === 'tool_call' && part.id === id) ||
    (part.kind === 'tool_result' && part.call_id === id);
  return item.parts.filter(isNamed).length;
}

/** Whether a call has put a text into a file for certain. */
function hasWritten(call: ToolCall, result: ToolResult, effort: Effort): boolean {
  if (answerToCall(call, result).isFailed) return false;
  const { actions } = actionsOfCall(call, result, { session: null, shell: null }, effort);
  return actions.some(({ kind }) => WRITING.has(kind));
}

const WRITING: ReadonlySet<FileAction['kind']> = new Set([
  'written',
  'replaced',
  'inserted',
  'appended',
  'patched',
]);
