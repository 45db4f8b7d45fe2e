import { addTo } from '../../group-by.ts';
import { isJsonObject, type Json } from '../../json.ts';
import type { Extent } from '../codec.ts';
import { visibleItems } from '../control-items.ts';
import { resultPartText } from '../convert.ts';
import type { Item, ToolResult } from '../item.ts';
import { withoutOwnFields } from '../own-fields.ts';
import { MISSING_RESULT_NOTE, type PairedPart, pairedParts } from '../pairing.ts';
import { openaiResponsesMessage } from './encode.ts';
import { normaliseOpenaiResponses } from './normalise.ts';
import { withoutStrayPrograms } from './programs.ts';
import { openaiResponsesRequestItem } from './request.ts';
import { answeredId, calledId, isOutputOfKind, outputFor, withPairingId } from './tools.ts';

/** An item that is shown, and its index among all. */
type Placed = { item: Item; at: number };

/** The items as the Responses API accepts them, see `Codec.render`. */
export function renderOpenaiResponses(items: readonly Item[], extent: Extent = 'whole'): Item[] {
  const shown = items.flatMap((posted, at): Placed[] =>
    visibleItems([posted], (text) => openaiResponsesMessage('user', text))
      .flatMap((item) => withoutEmptyText(openaiResponsesRequestItem(withoutOwnFields(item))))
      .map((item) => ({ item, at })),
  );
  const paired = pairedParts(items.map(normaliseOpenaiResponses));
  const nodes = moveEarlyOutputs(nodesOf(withoutTriggers(shown), paired));
  const answered = pairOutputs(nodes);
  return keepReasoningWithFollower(extent === 'part' ? answered : withoutStrayPrograms(answered));
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

/** A compaction trigger asks for something once; sessions of older versions may hold one. */
function withoutTriggers(items: readonly Placed[]): Placed[] {
  return items.filter(({ item }) => item.type !== 'compaction_trigger');
}

/** An item with the call or the output that it is paired with; `null` for a call without output. */
type Node = { item: Item; kind: 'call' | 'output' | 'other'; partner: Node | null };

/**
 * Answers abandoned calls right after them by a note; a request that only the user could have answered
 * is left out. A call that the model does not wait for is never abandoned.
 */
function pairOutputs(nodes: readonly Node[]): Item[] {
  const openFrom = startOfOpenTurn(nodes);
  const newIds = idsOfHiddenCalls(nodes, openFrom);
  return nodes.flatMap((node, at) => {
    const { item, kind, partner } = node;
    const newId = newIds.get(node);
    const shown = newId === undefined ? item : withPairingId(item, newId);
    if (kind !== 'call' || partner !== null || at >= openFrom || item.async === true)
      return [shown];
    const missing = outputFor(shown, MISSING_RESULT_NOTE, 'unknown');
    return missing === null ? [] : [shown, missing];
  });
}

/**
 * The items with each call joined to its output, outputs without call left out. An output of another
 * kind than its call takes is written as one of that kind.
 */
function nodesOf(items: readonly Placed[], paired: readonly PairedPart[]): Node[] {
  const partOf = new Map(paired.map((part) => [part.at, part]));
  const byPlace = new Map<number, Node>();
  const nodes = items.flatMap(({ item, at }): Node[] => {
    const part = partOf.get(at)?.part;
    const isOrphan = part?.kind === 'tool_result' && partOf.get(at)?.partner === null;
    if (isOrphan) return [];
    const kind = part === undefined ? 'other' : part.kind === 'tool_call' ? 'call' : 'output';
    const node: Node = { item, kind, partner: null };
    byPlace.set(at, node);
    return [node];
  });
  const unfit = new Set<Node>();
  for (const { part, at, partner } of paired) {
    const other = partner === null ? undefined : paired[partner];
    const [call, output] = [byPlace.get(at), other && byPlace.get(other.at)];
    if (part.kind !== 'tool_call' || other?.part.kind !== 'tool_result' || !call || !output) {
      continue;
    }
    const fit = outputOfKind(output.item, call.item, other.part, part.id);
    if (fit === null) {
      unfit.add(output);
      continue;
    }
    output.item = fit;
    call.partner = output;
    output.partner = call;
  }
  return nodes.filter((node) => !unfit.has(node));
}

/** The output under the id of its call, in the shape that the call takes; null when there is none. */
function outputOfKind(output: Item, call: Item, result: ToolResult, id: string): Item | null {
  if (!isOutputOfKind(output, call)) {
    const text = result.content.map(resultPartText).join('\n');
    return outputFor(call, text, result.is_error ? 'failed' : 'worked');
  }
  return result.call_id === id ? output : withPairingId(output, id);
}

/**
 * Puts an output that stands before its call after it, and after the calls that were made with it:
 * what the model said to the output comes after it then.
 */
function moveEarlyOutputs(nodes: readonly Node[]): Node[] {
  const placeOf = new Map(nodes.map((node, place) => [node, place]));
  const isEarly = ({ kind, partner }: Node, place: number): boolean =>
    kind === 'output' && partner !== null && (placeOf.get(partner) ?? place) > place;
  /** Per place of a call the last of the calls that follow each other there. */
  const ends = nodes.map((_, place) => place);
  for (let place = nodes.length - 2; place >= 0; place--) {
    const isRun = nodes[place]?.kind === 'call' && nodes[place + 1]?.kind === 'call';
    if (isRun) ends[place] = ends[place + 1] ?? place;
  }
  const moved = new Map<number, Node[]>();
  const kept = new Set<Node>();
  for (const [place, node] of nodes.entries()) {
    if (!isEarly(node, place) || node.partner === null) {
      kept.add(node);
      continue;
    }
    const call = placeOf.get(node.partner) ?? place;
    addTo(moved, ends[call] ?? call, node);
  }
  return nodes.flatMap((node, place) => [
    ...(kept.has(node) ? [node] : []),
    ...(moved.get(place) ?? []),
  ]);
}

/**
 * An output could belong to either of two calls when the first of them still waits and the second has
 * its id: the second one and its output get an id of their own, by their number.
 */
function idsOfHiddenCalls(nodes: readonly Node[], openFrom: number): Map<Node, string> {
  const taken = new Set(nodes.flatMap(({ item }) => calledId(item) ?? []));
  const nextUse = new Map<string, number>();
  const waiting = new Map<string, Node>();
  const newIds = new Map<Node, string>();
  for (const [at, node] of nodes.entries()) {
    const id = calledId(node.item) ?? answeredId(node.item);
    if (id === undefined) continue;
    if (node.kind === 'output' && waiting.get(id) === node.partner) waiting.delete(id);
    if (node.kind !== 'call') continue;
    if (waiting.has(id)) {
      let use = nextUse.get(id) ?? 2;
      while (taken.has(`${id}_${use}`)) use++;
      nextUse.set(id, use + 1);
      newIds.set(node, `${id}_${use}`);
      if (node.partner !== null) newIds.set(node.partner, `${id}_${use}`);
    } else if (node.partner !== null || at >= openFrom) waiting.set(id, node);
  }
  return newIds;
}

/** Where the last turn of the model starts when nothing but outputs follows it, else the end. */
function startOfOpenTurn(nodes: readonly Node[]): number {
  const lastOther = nodes.findLastIndex(({ kind }) => kind !== 'output');
  let start = lastOther + 1;
  for (let at = lastOther; at >= 0; at--) {
    const node = nodes[at];
    if (node === undefined || !isOfModel(node.item)) break;
    start = at;
  }
  return start;
}

/** Whether the model produced the item: its messages, calls, reasoning, what its tools report. */
function isOfModel(item: Item): boolean {
  if (isMessage(item)) return item.role === 'assistant';
  return answeredId(item) === undefined && item.type !== 'compaction_trigger';
}

/**
 * The API wants the item that reasoning led to right after it. Outputs of earlier calls that were
 * logged between go before the reasoning; reasoning that nothing has followed yet is left out, and is
 * there again when its item is.
 */
function keepReasoningWithFollower(items: readonly Item[]): Item[] {
  const kept: Item[] = [];
  let reasoning: Item[] = [];
  for (const item of items) {
    if (item.type === 'reasoning') {
      reasoning.push(item);
      continue;
    }
    if (isOfModel(item)) for (const thought of reasoning) kept.push(thought);
    if (answeredId(item) === undefined) reasoning = [];
    kept.push(item);
  }
  return kept;
}
