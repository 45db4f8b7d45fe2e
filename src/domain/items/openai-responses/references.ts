import { stringField } from '../../json.ts';
import type { Item } from '../item.ts';
import { openaiResponsesMessage } from './encode.ts';
import { answeredId, calledId } from './tools.ts';

/** The id of the item that a reference names; null for what is none. The provider keeps such items. */
export function referredId(item: Item): string | null {
  if (item.type !== 'item_reference') return null;
  const id = stringField(item, 'id');
  return id === undefined || id === '' ? null : id;
}

/** What the provider calls items that no client answers. */
const NO_CALL = /^(?:rs|msg|ws|fs|ci|ig|mcp|cmp)_/;

/**
 * The items with what their references name in their places, once each; the same list without any. Of
 * an item that nobody here has seen, something stands in that says nothing it does not know: for a call,
 * known by the result that follows it, one without arguments, for reasoning nothing, for all else a note.
 */
export function withReferred(items: readonly Item[], known: ReadonlyMap<string, Item>): Item[] {
  const calls = new Set(items.flatMap((item) => calledId(named(item, known) ?? item) ?? []));
  const standIns = standInsOf(items, known, calls);
  const seen = new Set<string>();
  return items.flatMap((item, at) => {
    const id = referredId(item);
    if (id === null) return [item];
    if (seen.has(id)) return [];
    seen.add(id);
    const found = known.get(id) ?? standIns.get(at);
    if (found !== undefined) return [found];
    return id.startsWith('rs_') ? [] : [openaiResponsesMessage('assistant', noteOf(id))];
  });
}

function named(item: Item, known: ReadonlyMap<string, Item>): Item | undefined {
  const id = referredId(item);
  return id === null ? undefined : known.get(id);
}

/** Calls for results that answer none, by the places of the references that must name them. */
function standInsOf(
  items: readonly Item[],
  known: ReadonlyMap<string, Item>,
  calls: ReadonlySet<string>,
): Map<number, Item> {
  const standIns = new Map<number, Item>();
  const made = new Set<string>();
  let waiting: number[] = [];
  for (const [at, item] of items.entries()) {
    const id = referredId(item);
    if (id !== null) {
      if (!known.has(id) && !NO_CALL.test(id)) waiting.push(at);
      continue;
    }
    // What stands before another message is answered by nothing behind it.
    if (item.role !== undefined) waiting = [];
    const call = answeredId(item);
    if (call === undefined || calls.has(call) || made.has(call)) continue;
    const standIn = callFor(item, call);
    const place = standIn === null ? undefined : waiting.shift();
    if (standIn === null || place === undefined) continue;
    made.add(call);
    standIns.set(place, standIn);
  }
  return standIns;
}

function callFor({ type }: Item, call_id: string): Item | null {
  switch (type) {
    case 'function_call_output':
      return { type: 'function_call', call_id, name: 'unknown', arguments: '{}' };
    case 'custom_tool_call_output':
      return { type: 'custom_tool_call', call_id, name: 'unknown', input: '' };
    default:
      return null;
  }
}

function noteOf(id: string): string {
  return `[item ${id} of this conversation is kept by its provider alone]`;
}
