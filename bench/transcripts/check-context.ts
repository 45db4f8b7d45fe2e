import { isDeepStrictEqual } from 'node:util';
import type { Codec } from '../../src/domain/items/codec.ts';
import type { Item, Part } from '../../src/domain/items/item.ts';
import type { EventOf, ResultEdit } from '../../src/domain/session/events.ts';
import type { CompactionEvent, ContextBody, LoggedItem } from './session-log.ts';

/**
 * What the log says about the context at a version, worked out anew from events and raw items: what
 * the last full compaction put in place, then the items behind its cut with their edits.
 */
export type ExpectedContext = { replacement: Item[]; kept: Item[] };

export function expectedContext(
  codec: Codec,
  items: readonly LoggedItem[],
  events: readonly CompactionEvent[],
  version: number,
): ExpectedContext {
  const past = events.filter((event) => event.version <= version);
  const base = past.findLast(isCompleted);
  const edits = past.flatMap((event) =>
    event.type === 'compaction.micro_completed' ? event.data.edits : [],
  );
  const through = base?.data.through ?? 0;
  const kept = items
    .filter(({ seq }) => seq > through && seq <= version)
    .map(({ seq, item }) => edited(codec, item, seq, edits));
  return { replacement: base?.data.entries.map(({ item }) => item) ?? [], kept };
}

function isCompleted(event: CompactionEvent): event is EventOf<'compaction.completed'> {
  return event.type === 'compaction.completed';
}

function edited(codec: Codec, item: Item, seq: number, edits: readonly ResultEdit[]): Item {
  const own = edits.filter((edit) => edit.seq === seq);
  if (own.length === 0) return item;
  return codec.editResults(item, new Map(own.map((edit) => [edit.tool_use_id, edit.content])));
}

/** What is wrong with a context: provider rules, replay, and items behind the cut. */
export function contextProblems(
  codec: Codec,
  context: ContextBody,
  expected: ExpectedContext,
): { rules: string[]; others: string[] } {
  const { replacement, kept } = expected;
  const others = lostParts(codec, context.items, kept, replacement);
  if (!isDeepStrictEqual(context.items, codec.render([...replacement, ...kept]))) {
    others.push(`the context at version ${context.version} is not what the log says`);
  }
  return { rules: codec.violations(context.items), others };
}

/**
 * Texts, calls and results behind the cut have to stand in the rendered context as often as they were
 * appended. A result without a call is what providers refuse, so it may be missing.
 */
function lostParts(codec: Codec, rendered: Item[], kept: Item[], replacement: Item[]): string[] {
  const wanted = tally(codec, kept);
  const before = tally(codec, replacement);
  const found = tally(codec, rendered);
  const problems: string[] = [];
  for (const [key, count] of wanted) {
    const expected = count + (before.get(key) ?? 0);
    const actual = found.get(key) ?? 0;
    const isOrphan = key.startsWith('result ') && !wanted.has(key.replace('result', 'call'));
    if (actual === expected || (isOrphan && actual < expected)) continue;
    problems.push(`behind the cut ${expected} × ${shortened(key)}, in the context ${actual} ×`);
  }
  return problems;
}

function tally(codec: Codec, items: readonly Item[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) {
    const normalised = codec.normalise(item);
    if (normalised.kind !== 'message') continue;
    for (const part of normalised.parts) {
      const key = keyOf(part);
      if (key !== null) counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  return counts;
}

/** Null for what has no identity of its own. */
function keyOf(part: Part): string | null {
  switch (part.kind) {
    case 'text':
      return part.text.trim() === '' ? null : `text ${part.text}`;
    case 'tool_call':
      return `call ${part.id}`;
    case 'tool_result':
      return `result ${part.call_id}`;
    case 'image':
    case 'opaque':
    case 'thinking':
      return null;
    default:
      return part satisfies never;
  }
}

function shortened(key: string): string {
  return JSON.stringify(key.length > 60 ? `${key.slice(0, 60)}…` : key);
}
