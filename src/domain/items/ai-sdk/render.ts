import { addTo } from '../../group-by.ts';
import { type JsonObject, objectsIn } from '../../json.ts';
import { visibleItems } from '../control-items.ts';
import type { Item, ToolCall } from '../item.ts';
import { withoutOwnFields } from '../own-fields.ts';
import { MISSING_RESULT_NOTE, pairedParts } from '../pairing.ts';
import { isEmptyText } from '../shape.ts';
import { uniqueIds } from '../unique-ids.ts';
import { aiSdkMessage } from './encode.ts';
import { normaliseAiSdk } from './normalise.ts';
import { callsOf, isCall, isResult, textOutput } from './parts.ts';

/** A message that is shown, and its index among all items. */
type Placed = { message: Item; at: number };

/** A call of an item, and where its result stands: which part of which item. */
type Answered = { call: ToolCall; result: { at: number; place: number } | null };

/** Messages of the AI SDK have none. */
function withoutId({ id: _, ...item }: Item): Item {
  return item;
}

/** The items as functions of the AI SDK take them as `messages`, see `Codec.render`. */
export function renderAiSdk(items: readonly Item[]): Item[] {
  const shown = items.flatMap((posted, at): Placed[] =>
    visibleItems([posted], (text) => aiSdkMessage('user', text))
      .map((item) => withoutEmptyTexts(withoutId(withoutOwnFields(item))))
      .filter(hasContent)
      .map((message) => ({ message, at })),
  );
  const messageAt = new Map(shown.map(({ message, at }) => [at, message]));
  const answers = answersOf(items);
  const lastTurn = shown.findLastIndex(({ message }) => message.role !== 'tool');
  return shown.flatMap(({ message, at }, index): Item[] => {
    if (message.role === 'tool') return withoutResults(message);
    const calls = answers.get(at) ?? [];
    if (calls.length === 0) return [message];
    const ids = uniqueIds(calls.map(({ call }) => call.id));
    const named = calls.map((answered, place) => ({ ...answered, id: ids[place] ?? '' }));
    const results = resultMessages(named, messageAt);
    const isOpen = index === lastTurn;
    const missing = isOpen ? [] : named.filter(({ result }) => result === null);
    const notes = missing.map(({ call, id }) => ({
      type: 'tool-result',
      toolCallId: id,
      toolName: call.name,
      output: textOutput(MISSING_RESULT_NOTE, true),
    }));
    const added: Item[] = notes.length === 0 ? [] : [{ role: 'tool', content: notes }];
    return [withIds(message, ids), ...results, ...added];
  });
}

/** Per index of an item with calls: each of its calls, with the place of its result. */
function answersOf(items: readonly Item[]): Map<number, Answered[]> {
  const paired = pairedParts(items.map(normaliseAiSdk));
  /** Which result of its item each one is. */
  const placeOf = new Map<number, number>();
  const counts = new Map<number, number>();
  for (const [index, { part, at }] of paired.entries()) {
    if (part.kind !== 'tool_result') continue;
    const place = counts.get(at) ?? 0;
    counts.set(at, place + 1);
    placeOf.set(index, place);
  }
  const answers = new Map<number, Answered[]>();
  for (const { part, at, partner } of paired) {
    if (part.kind !== 'tool_call') continue;
    const other = partner === null ? undefined : paired[partner];
    const place = partner === null ? undefined : placeOf.get(partner);
    const result = other === undefined || place === undefined ? null : { at: other.at, place };
    addTo(answers, at, { call: part, result });
  }
  return answers;
}

/** The recorded results of a turn, in the messages and the order in which they came. */
function resultMessages(
  calls: readonly (Answered & { id: string })[],
  messageAt: ReadonlyMap<number, Item>,
): Item[] {
  const places = [...new Set(calls.flatMap(({ result }) => result?.at ?? []))];
  return places
    .sort((a, b) => a - b)
    .flatMap((at) => {
      const message = messageAt.get(at);
      if (message === undefined) return [];
      const byPlace = new Map(
        calls.flatMap((call) => (call.result?.at === at ? [[call.result.place, call]] : [])),
      );
      const parts = objectsIn(message.content);
      const results = parts.filter((part) => isResult(message, part));
      const content = results.flatMap((part, place) => {
        const answered = byPlace.get(place);
        return answered === undefined ? [] : [answering(part, answered.id, answered.call.name)];
      });
      const isSame =
        content.length === parts.length && content.every((part, place) => part === parts[place]);
      return [isSame ? message : { ...message, content }];
    });
}

function answering(part: JsonObject, id: string, name: string): JsonObject {
  const isNamed = typeof part.toolName === 'string' && part.toolName !== '';
  if (part.toolCallId === id && isNamed) return part;
  return { ...part, toolCallId: id, ...(!isNamed && { toolName: name }) };
}

/** What else a message of tools holds, such as the answers to requests for leave. */
function withoutResults(message: Item): Item[] {
  const content = objectsIn(message.content).filter((part) => !isResult(message, part));
  return content.length === 0 ? [] : [{ ...message, content }];
}

function withIds(message: Item, ids: readonly string[]): Item {
  if (callsOf(message).every(({ id }, place) => id === ids[place])) return message;
  let place = 0;
  const content = objectsIn(message.content).map((part) =>
    isCall(part) ? { ...part, toolCallId: ids[place++] ?? '' } : part,
  );
  return { ...message, content };
}

function withoutEmptyTexts(message: Item): Item {
  const { content } = message;
  if (!Array.isArray(content)) return message;
  const kept = content.filter((part) => !isEmptyText(part));
  return kept.length === content.length ? message : { ...message, content: kept };
}

function hasContent({ content }: Item): boolean {
  return Array.isArray(content) ? content.length > 0 : (content ?? '') !== '';
}
