import { isJsonObject, type Json } from '../../json.ts';
import { visibleItems } from '../control-items.ts';
import type { Item } from '../item.ts';
import { withoutOwnFields } from '../own-fields.ts';
import { MISSING_RESULT_NOTE, pairTools, type ToolEvent } from '../pairing.ts';
import { openaiResponsesMessage } from './encode.ts';
import { answeredId, calledId, isOutputOfKind, missingOutput, withPairingId } from './tools.ts';

type PlacedEvent = ToolEvent & { item: Item; at: number };

/** The items as the Responses API accepts them, see `Codec.render`. */
export function renderOpenaiResponses(items: readonly Item[]): Item[] {
  const shown = visibleItems(items, (text) => openaiResponsesMessage('user', text)).flatMap(
    (item) => withoutEmptyText(withoutOwnFields(item, false)),
  );
  return keepReasoningWithFollower(pairOutputs(keepLastTrigger(shown)));
}

function isMessage(item: Item): boolean {
  return item.type === undefined || item.type === null || item.type === 'message';
}

/** The message without its empty text parts; nothing when no content is left. */
function withoutEmptyText(item: Item): Item[] {
  if (!isMessage(item)) return [item];
  const { content } = item;
  if (!Array.isArray(content)) return content === '' ? [] : [item];
  const parts = content.filter((part) => !isEmptyText(part));
  if (parts.length === 0) return [];
  return [parts.length === content.length ? item : { ...item, content: parts }];
}

function isEmptyText(part: Json): boolean {
  return isJsonObject(part) && part.text === '';
}

/** The API takes a compaction trigger as the last item only; an earlier one has done its work. */
function keepLastTrigger(items: readonly Item[]): Item[] {
  return items.filter(
    (item, index) => item.type !== 'compaction_trigger' || index === items.length - 1,
  );
}

/** Per index of a call or an output: the index of the item that it is paired with, or null. */
type Pairs = ReadonlyMap<number, number | null>;

/** Drops outputs that answer no call, and answers abandoned calls right behind them by a note. */
function pairOutputs(items: readonly Item[]): Item[] {
  const pairs = pairsOf(items);
  const isOrphan = (item: Item, at: number) =>
    answeredId(item) !== undefined && pairs.get(at) === null;
  const openFrom = startOfOpenTurn(items, isOrphan);
  const newIds = idsOfHiddenCalls(items, pairs, openFrom);
  return items.flatMap((item, at) => {
    if (isOrphan(item, at)) return [];
    const newId = newIds.get(at);
    if (newId !== undefined) return [withPairingId(item, newId)];
    const isAnsweredOrOpen = pairs.get(at) !== null || at >= openFrom;
    return isAnsweredOrOpen ? [item] : [item, ...missingOutput(item, MISSING_RESULT_NOTE)];
  });
}

/** Pairs by id, as everything else in the domain does; a pair of unlike kinds is none. */
function pairsOf(items: readonly Item[]): Pairs {
  const events = items.flatMap((item, at): PlacedEvent[] => {
    const called = calledId(item);
    if (called !== undefined) return [{ kind: 'call', id: called, item, at }];
    const answered = answeredId(item);
    return answered === undefined ? [] : [{ kind: 'result', id: answered, item, at }];
  });
  const partners = pairTools(events);
  return new Map(
    events.map((event, index) => {
      const partner = partners[index];
      const other = typeof partner === 'number' ? events[partner] : undefined;
      if (other === undefined) return [event.at, null];
      const [call, output] = event.kind === 'call' ? [event, other] : [other, event];
      return [event.at, isOutputOfKind(output.item, call.item) ? other.at : null];
    }),
  );
}

/**
 * An output could belong to either of two calls when the first of them is still open and the second
 * has its id: the second one and its output get an id of their own, by their index.
 */
function idsOfHiddenCalls(
  items: readonly Item[],
  pairs: Pairs,
  openFrom: number,
): Map<number, string> {
  const taken = new Set(items.flatMap((item) => calledId(item) ?? []));
  const nextUse = new Map<string, number>();
  const open = new Set<string>();
  const newIds = new Map<number, string>();
  for (const [at, item] of items.entries()) {
    const id = calledId(item);
    if (at < openFrom || id === undefined) continue;
    const output = pairs.get(at) ?? null;
    if (open.has(id)) {
      let use = nextUse.get(id) ?? 2;
      while (taken.has(`${id}_${use}`)) use++;
      nextUse.set(id, use + 1);
      newIds.set(at, `${id}_${use}`);
      if (output !== null) newIds.set(output, `${id}_${use}`);
    }
    if (output === null) open.add(id);
  }
  return newIds;
}

/** Where the last turn of the model starts when nothing but outputs follows it, else the end. */
function startOfOpenTurn(
  items: readonly Item[],
  isOrphan: (item: Item, at: number) => boolean,
): number {
  const isOutput = (item: Item) => answeredId(item) !== undefined;
  const lastOther = items.findLastIndex((item) => !isOutput(item));
  let start = lastOther + 1;
  for (let at = lastOther; at >= 0; at--) {
    const item = items[at];
    if (item === undefined || !(isOfModel(item) || isOrphan(item, at))) break;
    start = at;
  }
  return start;
}

/** Whether the model produced the item: its messages, calls, reasoning, what its tools report. */
function isOfModel(item: Item): boolean {
  if (isMessage(item)) return item.role === 'assistant';
  return answeredId(item) === undefined && item.type !== 'compaction_trigger';
}

/** Reasoning without the item that it led to is refused; at the very end that item is yet to come. */
function keepReasoningWithFollower(items: readonly Item[]): Item[] {
  let next: Item | undefined;
  return items
    .toReversed()
    .filter((item) => {
      if (item.type === 'reasoning') return next === undefined || isOfModel(next);
      next = item;
      return true;
    })
    .reverse();
}
