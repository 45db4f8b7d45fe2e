import { groupBy } from '../group-by.ts';
import type { Codec } from '../items/codec.ts';
import { codecFor, type Format } from '../items/codecs.ts';
import type { Item } from '../items/item.ts';
import { EMPTY_LEDGER, type Ledger } from '../ledger/ledger.ts';
import type { Entry } from '../session/entry.ts';
import { type Base, changesContext, type EventOf, type SessionEvent } from '../session/events.ts';
import { editKey, isTakenAway, type ResultEdit, savedBy } from '../session/result-edits.ts';
import { revertedIds } from '../session/revert-compaction.ts';
import { NO_USAGE, type UsageState, usageAfter } from '../session/usage-state.ts';

/**
 * The context at a version: what is left after all compactions in force (SPEC section 1).
 * `edits` are the edits in force by `editKey`; `originals` the unedited items of edited entries;
 * `usage` what the provider reported about it.
 */
export type View = {
  version: number;
  format: Format;
  base: Base | null;
  entries: Entry[];
  edits: ReadonlyMap<string, ResultEdit>;
  originals: ReadonlyMap<number, Item>;
  usage: UsageState;
  /** What the log says of what the base covers; null where it was not recorded. */
  readonly ledger: Ledger | null;
  pins: Pinned;
};

/** The events that put entries in place of what was before. */
type BaseEventType = 'compaction.completed' | 'compaction.observed' | 'session.forked';

/** The pins in force; `version`: their newest event, 0 for none. */
export type Pinned = { version: number; added: readonly EventOf<'pin.added'>[] };
export const NOTHING_PINNED: Pinned = { version: 0, added: [] };

export type ViewSource = {
  created: EventOf<'session.created'>;
  /** The event that `base` names; null when nothing has been compacted. */
  base: { ref: Base; event: EventOf<BaseEventType> } | null;
  /** All events after the base's cut (all events when there is no base), oldest first. */
  events: readonly SessionEvent[];
  /** What is pinned, in the order in which it was. */
  pins?: Pinned;
};

/**
 * Folds the context from the compaction in force onward (SPEC section 3): initial context, what is
 * pinned and no longer stands in its place, what the base put in place of everything up to its cut,
 * then the items after the cut with edits applied, the pinned ones as they were appended.
 */
export function foldView(source: ViewSource): View {
  const { format, initial_context } = source.created.data;
  const codec = codecFor(format);
  const edits = editsInForce(source.events);
  const bySeq = groupBy(edits.values(), ({ seq }) => seq);
  const originals = new Map<number, Item>();
  const superseded = supersededSeqs(source.events);
  const pins = source.pins ?? NOTHING_PINNED;
  const { added } = pins;
  const pinned = new Set(added.flatMap(({ data }) => data.entries.flatMap(({ seq }) => seq ?? [])));
  const through = source.base?.ref.through ?? 0;
  const entries: Entry[] = [
    ...initial_context,
    ...added
      .flatMap(({ data }) => data.entries)
      // The client has taken it back: the end of the pin follows in the same commit.
      .filter(({ seq }) => seq === null || (seq <= through && !superseded.has(seq)))
      .map((entry): Entry => ({ ...entry, pinned: true })),
    ...(source.base === null ? [] : source.base.event.data.entries),
  ];
  let version = source.created.version;
  let usage = NO_USAGE;
  for (const event of source.events) {
    version = event.version;
    usage = usageAfter(usage, event);
    if (event.type !== 'item.appended' || event.data.excluded !== undefined) continue;
    if (superseded.has(event.version)) continue;
    const { item, tokens, edits: own = [] } = event.data;
    if (pinned.has(event.version)) {
      const whole = tokens + savedBy(own);
      entries.push({ seq: event.version, item, tokens: whole, origin: 'log', pinned: true });
      continue;
    }
    const applied = bySeq.get(event.version);
    if (applied === undefined) {
      entries.push({ seq: event.version, item, tokens, origin: 'log' });
      continue;
    }
    originals.set(event.version, item);
    entries.push({
      seq: event.version,
      item: edited(item, applied, codec),
      // The event's own tokens already stand after its own edits.
      tokens: tokens + savedBy(own) - savedBy(applied),
      origin: 'log',
    });
  }
  const { base } = source;
  return {
    version,
    format,
    base: base?.ref ?? null,
    entries,
    edits,
    originals,
    usage,
    // Read when somebody asks for it: to render a context takes none.
    get ledger() {
      return base === null ? EMPTY_LEDGER : ledgerIn(base.event);
    },
    pins,
  };
}

/** The items that another answer of the client has taken the place of. */
export function supersededSeqs(events: readonly SessionEvent[]): Set<number> {
  const seqs = new Set<number>();
  for (const event of events) {
    if (event.type !== 'item.superseded') continue;
    for (const { seq } of event.data.items) seqs.add(seq);
  }
  return seqs;
}

/** What a client or version 0.1 has compacted has none; a fork without one begins with nothing. */
function ledgerIn(event: EventOf<BaseEventType>): Ledger | null {
  switch (event.type) {
    case 'compaction.completed':
      return event.data.ledger ?? null;
    case 'session.forked':
      return event.data.ledger ?? EMPTY_LEDGER;
    case 'compaction.observed':
      return null;
    default:
      return event satisfies never;
  }
}

/** Edits of tool results by compactions that were not reverted; later ones win. */
function editsInForce(events: readonly SessionEvent[]): Map<string, ResultEdit> {
  const reverted = revertedIds(events);
  const edits = new Map<string, ResultEdit>();
  const add = (edit: ResultEdit) => {
    const key = editKey(edit.seq, edit.tool_use_id);
    const earlier = edits.get(key);
    // Truncated first and cleared later: what the result once cost stays the first figure.
    edits.set(key, earlier ? { ...edit, tokens_before: earlier.tokens_before } : edit);
  };
  for (const event of events) {
    if (event.type === 'item.appended') event.data.edits?.forEach(add);
    if (!changesContext(event)) continue;
    switch (event.type) {
      case 'compaction.micro_completed':
      case 'compaction.completed':
        if (!reverted.has(event.data.compaction_id)) event.data.edits?.forEach(add);
        break;
      case 'item.superseded':
      case 'pin.added':
      case 'pin.removed':
      case 'compaction.observed':
      case 'compaction.reverted':
      case 'session.forked':
        break;
      default:
        event satisfies never;
    }
  }
  return edits;
}

function edited(item: Item, edits: readonly ResultEdit[], codec: Codec): Item {
  const contents = (isInput: boolean) => {
    const own = edits.filter(({ kind }) => (kind === 'input_truncated') === isInput);
    return new Map(own.map(({ tool_use_id, content }) => [tool_use_id, content]));
  };
  const inputs = contents(true);
  const results = contents(false);
  const shortened = inputs.size === 0 ? item : codec.editInputs(item, inputs);
  return results.size === 0 ? shortened : codec.editResults(shortened, results);
}

/** Ids of the calls in the context whose results were cleared or digested, oldest first. */
export function clearedResults({ edits, originals }: View): string[] {
  const cleared = [...edits.values()].filter(
    (edit) => isTakenAway(edit) && originals.has(edit.seq),
  );
  return cleared.sort((a, b) => a.seq - b.seq).map((edit) => edit.tool_use_id);
}

/** The sum of the entries' estimates, without margin. */
export function sumTokens(entries: readonly Entry[]): number {
  return entries.reduce((sum, entry) => sum + entry.tokens, 0);
}
