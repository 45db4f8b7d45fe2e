import { isJsonObject, type Json } from '../../json.ts';
import { visibleItems } from '../control-items.ts';
import type { Item } from '../item.ts';
import { withoutOwnFields } from '../own-fields.ts';
import { MISSING_RESULT_NOTE, pairTools, type ToolEvent } from '../pairing.ts';
import { openaiResponsesMessage } from './encode.ts';
import { answeredId, calledId, missingOutput } from './tools.ts';

type PlacedEvent = ToolEvent & { at: number };

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

/** Drops outputs that answer no call, and answers abandoned calls right behind them by a note. */
function pairOutputs(items: readonly Item[]): Item[] {
  const events = items.flatMap((item, at): PlacedEvent[] => {
    const called = calledId(item);
    if (called !== undefined) return [{ kind: 'call', id: called, at }];
    const answered = answeredId(item);
    return answered === undefined ? [] : [{ kind: 'result', id: answered, at }];
  });
  const partners = pairTools(events);
  const unpaired = new Set(events.flatMap(({ at }, index) => (partners[index] === null ? at : [])));
  const isOrphan = (item: Item, at: number) => answeredId(item) !== undefined && unpaired.has(at);
  const openFrom = startOfOpenTurn(items, isOrphan);
  return items.flatMap((item, at) => {
    if (!unpaired.has(at)) return [item];
    if (isOrphan(item, at)) return [];
    return at >= openFrom ? [item] : [item, ...missingOutput(item, MISSING_RESULT_NOTE)];
  });
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
