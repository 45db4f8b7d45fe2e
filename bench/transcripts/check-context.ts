import { isDeepStrictEqual } from 'node:util';
import type { Codec } from '../../src/domain/items/codec.ts';
import type { Item, Part } from '../../src/domain/items/item.ts';
import { withoutOwnFields } from '../../src/domain/items/own-fields.ts';
import { isJsonObject, type Json } from '../../src/domain/json.ts';
import type { EventOf } from '../../src/domain/session/events.ts';
import type { ResultEdit } from '../../src/domain/session/result-edits.ts';
import type { CompactionEvent, ContextBody, LoggedItem } from './session-log.ts';

/**
 * What the log says about the context at a version, worked out anew from events and raw items: what
 * the last full compaction put in place, then the items after its cut with their edits.
 */
type ExpectedContext = {
  replacement: Item[];
  kept: Item[];
  /** The ids of all calls that were ever appended. */
  calls: ReadonlySet<string>;
};

export function expectedContext(
  codec: Codec,
  items: readonly LoggedItem[],
  events: readonly CompactionEvent[],
  version: number,
): ExpectedContext {
  const past = events.filter((event) => event.version <= version);
  const base = past.findLast(isCompleted);
  const edits = past.flatMap((event) =>
    event.type === 'compaction.micro_completed' || event.type === 'compaction.completed'
      ? (event.data.edits ?? [])
      : [],
  );
  const through = base?.data.through ?? 0;
  const kept = items
    .filter(({ seq }) => seq > through && seq <= version)
    .map(({ seq, item }) => edited(codec, item, seq, edits));
  const replacement = base?.data.entries.map(({ item }) => item) ?? [];
  return {
    replacement,
    kept,
    calls: new Set(
      partsOf(
        codec,
        items.map(({ item }) => item),
      ).flatMap(callId),
    ),
  };
}

function callId(part: Part): string[] {
  return part.kind === 'tool_call' ? [part.id] : [];
}

function isCompleted(event: CompactionEvent): event is EventOf<'compaction.completed'> {
  return event.type === 'compaction.completed';
}

function edited(codec: Codec, item: Item, seq: number, edits: readonly ResultEdit[]): Item {
  const own = edits.filter((edit) => edit.seq === seq);
  const contents = (isOne: (edit: ResultEdit) => boolean) =>
    new Map(own.filter(isOne).map((edit) => [edit.tool_use_id, edit.content]));
  const inputs = contents(({ kind }) => kind === 'input_truncated');
  const results = contents(({ kind }) => kind !== 'input_truncated');
  const called = inputs.size === 0 ? item : codec.editInputs(item, inputs);
  return results.size === 0 ? called : codec.editResults(called, results);
}

/** What is wrong with a context: provider rules, replay, and items after the cut. */
export function contextProblems(
  codec: Codec,
  context: ContextBody,
  expected: ExpectedContext,
): { rules: string[]; others: string[] } {
  const others = [
    ...lostParts(codec, context.items, expected),
    ...misplacedParts(codec, context.items, expected),
  ];
  const { replacement, kept } = expected;
  if (!isDeepStrictEqual(context.items, codec.render([...replacement, ...kept]))) {
    others.push('the context is not what the log says');
  }
  return { rules: codec.violations(context.items), others };
}

/**
 * Every part after the cut has to stand in the rendered context as often as it was appended. Only a
 * result whose call was never appended may be missing: providers refuse it.
 */
function lostParts(codec: Codec, rendered: Item[], expected: ExpectedContext): string[] {
  const wanted = partsOf(codec, expected.kept);
  const before = tally(partsOf(codec, expected.replacement));
  const found = tally(partsOf(codec, rendered));
  const orphans = new Set(
    wanted.flatMap((part) =>
      part.kind === 'tool_result' && !expected.calls.has(part.call_id) ? [keyOf(part)] : [],
    ),
  );
  const problems: string[] = [];
  for (const [key, count] of tally(wanted)) {
    const all = count + (before.get(key) ?? 0);
    const actual = found.get(key) ?? 0;
    if (actual === all || (orphans.has(key) && actual < all)) continue;
    problems.push(`after the cut ${all} × ${shortened(key)}, in the context ${actual} ×`);
  }
  return problems;
}

/**
 * Texts and calls after the cut stand in their order. Labels and notes may stand between them, and
 * results may move next to their calls.
 */
function misplacedParts(codec: Codec, rendered: Item[], { kept }: ExpectedContext): string[] {
  const found = orderedKeys(codec, rendered);
  let place = found.length;
  for (const key of orderedKeys(codec, kept).reverse()) {
    place = place === 0 ? -1 : found.lastIndexOf(key, place - 1);
    if (place === -1) return [`${shortened(key)} is not where it was appended`];
  }
  return [];
}

function orderedKeys(codec: Codec, items: readonly Item[]): string[] {
  return partsOf(codec, items)
    .filter((part) => part.kind === 'text' || part.kind === 'tool_call')
    .map(keyOf);
}

/** The parts of messages without what providers refuse: empty text, unsigned thinking, thinking that ends a turn. */
function partsOf(codec: Codec, items: readonly Item[]): Part[] {
  const parts = items
    .map((item) => codec.normalise(item))
    .flatMap((item) =>
      item.kind === 'message' ? item.parts.map((part) => ({ role: item.role, part })) : [],
    )
    .filter(({ part }) => part.kind !== 'text' || part.text.trim() !== '')
    .filter(({ part }) => part.kind !== 'thinking' || !isUnsigned(part.source));
  let followedBy: string | null = null;
  const kept: Part[] = [];
  for (const { role, part } of parts.reverse()) {
    if (part.kind === 'thinking' && followedBy !== 'assistant') continue;
    followedBy = role;
    kept.push(part);
  }
  return kept.reverse();
}

/** Anthropic's thinking is refused without its signature. */
function isUnsigned(source: Json): boolean {
  return isJsonObject(source) && source.type === 'thinking' && typeof source.signature !== 'string';
}

function tally(parts: readonly Part[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const part of parts) counts.set(keyOf(part), (counts.get(keyOf(part)) ?? 0) + 1);
  return counts;
}

/** What tells one part from another. */
function keyOf(part: Part): string {
  switch (part.kind) {
    case 'text':
      return `text ${part.text}`;
    case 'tool_call':
      return `call ${part.id}`;
    case 'tool_result':
      return `result ${part.call_id}`;
    case 'thinking':
      return `thinking ${part.text} ${sealOf(part.source)}`;
    case 'image':
      return `image ${JSON.stringify(part.source ?? null)}`;
    case 'opaque':
      return `other ${withoutNulls(isJsonObject(part.json) ? withoutOwnFields(part.json) : part.json)}`;
    default:
      return part satisfies never;
  }
}

/** What the provider signed or encrypted; the fields around it may go where a request has none. */
function sealOf(source: Json): string {
  if (!isJsonObject(source)) return '';
  const { signature, data, encrypted_content: encrypted } = source;
  return JSON.stringify([signature ?? null, data ?? null, encrypted ?? null]);
}

function withoutNulls(json: Json): string {
  return JSON.stringify(json, (_, value) => value ?? undefined);
}

function shortened(key: string): string {
  return JSON.stringify(key.length > 60 ? `${key.slice(0, 60)}…` : key);
}
