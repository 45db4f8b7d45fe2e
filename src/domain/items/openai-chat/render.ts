import { isJsonObject, type Json, type JsonObject } from '../../json.ts';
import { visibleItems } from '../control-items.ts';
import type { Item, ToolCall } from '../item.ts';
import { withoutOwnFields } from '../own-fields.ts';
import { MISSING_RESULT_NOTE, pairTools, type ToolEvent } from '../pairing.ts';
import { blocksOf } from '../shape.ts';
import { answeredCallId, callsOf, resultMessage } from './calls.ts';
import { openaiChatMessage } from './encode.ts';

type PlacedEvent = ToolEvent & { at: number };

/** The items as the Chat Completions API accepts them, see `Codec.render`. */
export function renderOpenaiChat(items: readonly Item[]): Item[] {
  const messages = visibleItems(items, (text) => openaiChatMessage('user', text))
    .map((item) => repaired(withoutOwnFields(item, true)))
    .filter(hasContent);
  const answers = answersOf(messages);
  const lastTurn = messages.findLastIndex((message) => answeredCallId(message) === undefined);
  return messages.flatMap((message, index): Item[] => {
    // Results are written behind their call; those that answer none are left out.
    if (answeredCallId(message) !== undefined) return [];
    const calls = callsOf(message);
    const found = answers.get(index) ?? new Map<string, number>();
    const results = [...found.values()]
      .sort((a, b) => a - b)
      .map((at) => messages[at])
      .filter((result) => result !== undefined);
    const missing = index === lastTurn ? [] : calls.filter((call) => !found.has(call.id));
    return [message, ...results, ...missing.map(noteFor)];
  });
}

/** Per index of a message with calls: the index of the result message of each call id. */
function answersOf(messages: readonly Item[]): Map<number, Map<string, number>> {
  const events = messages.flatMap((message, at): PlacedEvent[] => {
    const answered = answeredCallId(message);
    if (answered !== undefined) return [{ kind: 'result', id: answered, at }];
    return callsOf(message).map(({ id }) => ({ kind: 'call', id, at }));
  });
  const answers = new Map<number, Map<string, number>>();
  for (const [index, partner] of pairTools(events).entries()) {
    const call = events[index];
    const result = typeof partner === 'number' ? events[partner] : undefined;
    if (call?.kind !== 'call' || result === undefined) continue;
    const found = answers.get(call.at) ?? new Map<string, number>();
    answers.set(call.at, found.set(call.id, result.at));
  }
  return answers;
}

function noteFor(call: ToolCall): Item {
  return resultMessage(call, MISSING_RESULT_NOTE);
}

function repaired(message: Item): Item {
  const content = repairedContent(message);
  const { tool_calls: calls, ...rest } = content === undefined ? message : { ...message, content };
  if (calls === undefined) return rest;
  if (!Array.isArray(calls)) return { ...rest, tool_calls: calls };
  // An empty list is refused.
  return calls.length === 0 ? rest : { ...rest, tool_calls: repairedCalls(calls) };
}

function repairedContent(message: Item): Json | undefined {
  const { content } = message;
  const isResult = answeredCallId(message) !== undefined;
  if (!Array.isArray(content)) return isResult ? (content ?? '') : content;
  const parts = content.filter((part) => !isEmptyText(part));
  if (parts.length === content.length && parts.length > 0) return content;
  if (parts.length > 0) return parts;
  return isResult ? '' : null;
}

function isEmptyText(part: Json): boolean {
  return isJsonObject(part) && part.type === 'text' && part.text === '';
}

/** Each call id once, with a type, and with its arguments as the string that the API wants. */
function repairedCalls(calls: Json[]): JsonObject[] {
  const seen = new Set<Json | undefined>();
  return blocksOf(calls).flatMap((call) => {
    if (seen.has(call.id)) return [];
    seen.add(call.id);
    const definition = call.function;
    // Whatever else the type says, the check has seen to it that the call holds a function.
    const isTyped = call.type === 'function' || call.type === 'custom';
    const typed = isTyped ? call : { ...call, type: 'function' };
    if (!isJsonObject(definition) || typeof definition.arguments === 'string') return [typed];
    const text = JSON.stringify(definition.arguments ?? {});
    return [{ ...typed, function: { ...definition, arguments: text } }];
  });
}

function hasContent(message: Item): boolean {
  if (answeredCallId(message) !== undefined) return true;
  if ((message.content ?? '') !== '') return true;
  if (message.role !== 'assistant') return false;
  return (
    callsOf(message).length > 0 || isJsonObject(message.audio) || (message.refusal ?? '') !== ''
  );
}
