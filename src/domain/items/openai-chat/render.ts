import { addTo } from '../../group-by.ts';
import { isJsonObject, type Json, type JsonObject, objectsIn } from '../../json.ts';
import { withLastCacheMarks } from '../cache-marks.ts';
import { visibleItems } from '../control-items.ts';
import type { Item, ToolCall } from '../item.ts';
import { MISSING_RESULT_NOTE, pairedParts } from '../pairing.ts';
import { isEmptyText } from '../shape.ts';
import { uniqueIds } from '../unique-ids.ts';
import { answeredCallId, callsOf, resultMessage } from './calls.ts';
import { openaiChatMessage } from './encode.ts';
import { normaliseOpenaiChat } from './normalise.ts';
import { openaiChatRequestMessage } from './request.ts';
import { attached, withTextsOnly } from './result-attachments.ts';

/** A message that is shown, and its index among all items. */
type Placed = { message: Item; at: number };

/** The items as the Chat Completions API accepts them, see `Codec.render`. */
export function renderOpenaiChat(items: readonly Item[]): Item[] {
  const shown = items.flatMap((posted, at): Placed[] =>
    visibleItems([posted], (text) => openaiChatMessage('user', text))
      .map((item) => openaiChatRequestMessage(repaired(item)))
      .filter(hasContent)
      .map((message) => ({ message, at })),
  );
  const answers = answersOf(items);
  const messageAt = new Map(shown.map(({ message, at }) => [at, message]));
  const lastTurn = shown.findLastIndex(({ message }) => answeredCallId(message) === undefined);
  const rendered = shown.flatMap(({ message: own, at }, index): Item[] => {
    // Results are written after their call; those that answer none are left out.
    if (answeredCallId(own) !== undefined) return [];
    const message = withUniqueIds(own);
    const found = answers.get(at) ?? [];
    const results = callsOf(message).map(({ id }, place) => ({ id, at: found[place] ?? null }));
    const answered = results
      .filter((result): result is { id: string; at: number } => result.at !== null)
      .sort((a, b) => a.at - b.at)
      .flatMap((result) => {
        const recorded = messageAt.get(result.at);
        return recorded === undefined ? [] : [answering(recorded, result.id)];
      });
    const isOpen = index === lastTurn;
    const missing = callsOf(message).filter((_, place) => !isOpen && results[place]?.at === null);
    return [message, ...withTextsOnly(answered), ...missing.map(noteFor), ...attached(answered)];
  });
  return withLastCacheMarks(rendered);
}

/** Per index of an item with calls: for each of its calls the index of the result, or null. */
function answersOf(items: readonly Item[]): Map<number, (number | null)[]> {
  const paired = pairedParts(items.map(normaliseOpenaiChat));
  const answers = new Map<number, (number | null)[]>();
  for (const { part, at, partner } of paired) {
    if (part.kind !== 'tool_call') continue;
    addTo(answers, at, partner === null ? null : (paired[partner]?.at ?? null));
  }
  return answers;
}

/** Of calls with the same id a later one gets an id of its own. */
function withUniqueIds(message: Item): Item {
  const calls = objectsIn(message.tool_calls);
  const given = calls.map(({ id }) => String(id));
  if (new Set(given).size === given.length) return message;
  const ids = uniqueIds(given);
  return {
    ...message,
    tool_calls: calls.map((call, place) => ({ ...call, id: ids[place] ?? '' })),
  };
}

function answering(result: Item, id: string): Item {
  return answeredCallId(result) === id || result.role !== 'tool'
    ? result
    : { ...result, tool_call_id: id };
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

/** Each call with a type, and with its arguments as the string that the API wants. */
function repairedCalls(calls: Json[]): JsonObject[] {
  return objectsIn(calls).map((call) => {
    const definition = call.function;
    // Whatever else the type says, the check has seen to it that the call holds a function.
    const isTyped = call.type === 'function' || call.type === 'custom';
    const typed = isTyped ? call : { ...call, type: 'function' };
    if (!isJsonObject(definition) || typeof definition.arguments === 'string') return typed;
    const text = JSON.stringify(definition.arguments ?? {});
    return { ...typed, function: { ...definition, arguments: text } };
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
