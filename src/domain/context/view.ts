import { codecFor, type Format } from '../items/codecs.ts';
import type { Item } from '../items/item.ts';
import type { Entry } from '../session/entry.ts';
import { type Base, changesContext, type EventOf, type SessionEvent } from '../session/events.ts';
import { editKey, type ResultEdit, savedBy } from '../session/result-edits.ts';
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
};

export type ViewSource = {
  created: EventOf<'session.created'>;
  /** The event that `base` names; null when nothing has been compacted. */
  base: { ref: Base; event: EventOf<'compaction.completed'> | EventOf<'session.forked'> } | null;
  /** All events after the base's cut (all events when there is no base), oldest first. */
  events: readonly SessionEvent[];
};

/**
 * Folds the context from the compaction in force onward (SPEC section 3): initial context, what the
 * base put in place of everything up to its cut, then the items after the cut with edits applied.
 */
export function foldView(source: ViewSource): View {
  const { format, initial_context } = source.created.data;
  const codec = codecFor(format);
  const edits = editsInForce(source.events);
  const bySeq = groupBySeq(edits.values());
  const originals = new Map<number, Item>();
  const entries: Entry[] = [
    ...initial_context,
    ...(source.base === null ? [] : source.base.event.data.entries),
  ];
  let version = source.created.version;
  let usage = NO_USAGE;
  for (const event of source.events) {
    version = event.version;
    usage = usageAfter(usage, event);
    if (event.type !== 'item.appended' || event.data.excluded !== undefined) continue;
    const { item, tokens, edits: own = [] } = event.data;
    const applied = bySeq.get(event.version);
    if (applied === undefined) {
      entries.push({ seq: event.version, item, tokens, origin: 'log' });
      continue;
    }
    const contents = new Map(applied.map((edit) => [edit.tool_use_id, edit.content]));
    originals.set(event.version, item);
    entries.push({
      seq: event.version,
      item: codec.editResults(item, contents),
      // The event's own tokens already stand after its own edits.
      tokens: tokens + savedBy(own) - savedBy(applied),
      origin: 'log',
    });
  }
  return { version, format, base: source.base?.ref ?? null, entries, edits, originals, usage };
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
      case 'compaction.reverted':
      case 'session.forked':
        break;
      default:
        event satisfies never;
    }
  }
  return edits;
}

function groupBySeq(edits: Iterable<ResultEdit>): Map<number, ResultEdit[]> {
  const groups = new Map<number, ResultEdit[]>();
  for (const edit of edits) {
    const group = groups.get(edit.seq);
    if (group === undefined) groups.set(edit.seq, [edit]);
    else group.push(edit);
  }
  return groups;
}

/** Ids of the calls in the context whose results were cleared, oldest first. */
export function clearedResults({ edits, originals }: View): string[] {
  const cleared = [...edits.values()].filter(
    ({ kind, seq }) => kind === 'cleared' && originals.has(seq),
  );
  return cleared.sort((a, b) => a.seq - b.seq).map((edit) => edit.tool_use_id);
}

/** The sum of the entries' estimates, without margin. */
export function sumTokens(entries: readonly Entry[]): number {
  return entries.reduce((sum, entry) => sum + entry.tokens, 0);
}
