import { changesContext, type EventOf, type SessionEvent } from '../session/events.ts';
import { isTakenAway, type ResultEdit } from '../session/result-edits.ts';
import { revertedIds } from '../session/revert-compaction.ts';
import { keepsWindow } from '../session/told.ts';

export const STATES = ['in_context', 'cleared', 'summarised'] as const;
/**
 * Whether something that was said still goes to the model: as it was, as a placeholder or a digest, or
 * only as far as a summary tells of it.
 */
export type State = (typeof STATES)[number];

/**
 * Where something stands, and which compaction took it away; null where that was the client's own. A
 * state of null: it never was in the context, or is no longer part of it.
 */
export type Standing = { state: State | null; compaction_id: string | null };

/**
 * The edit of a result that stands in the context, and the compaction that made it; null where a fork
 * has it from its parent.
 */
export type EditInForce = Omit<ResultEdit, 'content'> & { by: string | null };

/** The compactions that a context is built on, oldest first, and the edits in force. */
export type Standings = {
  /** `kept`: what a compaction covered, and put back as it was. */
  chain: readonly {
    id: string | null;
    version: number;
    through: number;
    kept: ReadonlySet<number>;
    /** Nothing tells of what it took away: the client has left it out. */
    isWindow?: boolean;
  }[];
  /** What was done to results, by the `seq` of their item and the id of their call. */
  edits: ReadonlyMap<number, ReadonlyMap<string, EditInForce>>;
  /** Items that the client has taken back. */
  superseded: ReadonlySet<number>;
  /** Items that are pinned, with the id of the pin. */
  pinned: ReadonlyMap<number, string>;
  /** The same for items of sessions that this one was forked from, by `carriedKey`. */
  carried: ReadonlyMap<string, string>;
};

/** Names an item in the log of another session. */
export function carriedKey(session_id: string, seq: number): string {
  return `${seq} ${session_id}`;
}

const IN_CONTEXT: Standing = { state: 'in_context', compaction_id: null };
const NOWHERE: Standing = { state: null, compaction_id: null };

/**
 * What has become of the items of a session: folded from all its events that change the context
 * (`changesContext`), oldest first, up to the version that is asked about.
 */
export function standingsOf(events: readonly SessionEvent[]): Standings {
  const reverted = revertedIds(events);
  const chain: Standings['chain'][number][] = [];
  const edits = new Map<number, Map<string, EditInForce>>();
  const superseded = new Set<number>();
  const pinned = new Map<number, string>();
  const carried = new Map<string, string>();
  const edit = (made: readonly ResultEdit[] | undefined, by: string) => {
    for (const one of made ?? []) {
      const ofItem = edits.get(one.seq) ?? new Map<string, EditInForce>();
      edits.set(one.seq, ofItem);
      addEdit(ofItem, one, by);
    }
  };
  for (const event of events) {
    if (!changesContext(event)) continue;
    switch (event.type) {
      case 'compaction.completed': {
        const { compaction_id: id, through, entries } = event.data;
        if (reverted.has(id)) break;
        chain.push({ id, version: event.version, through, kept: seqsOf(entries) });
        edit(event.data.edits, id);
        break;
      }
      case 'compaction.micro_completed':
        if (!reverted.has(event.data.compaction_id)) {
          edit(event.data.edits, event.data.compaction_id);
        }
        break;
      case 'compaction.observed': {
        const { through, entries } = event.data;
        const isWindow = keepsWindow(event);
        chain.push({ id: null, version: event.version, through, kept: seqsOf(entries), isWindow });
        break;
      }
      case 'session.forked':
        chain.push({ id: null, version: event.version, through: event.version, kept: new Set() });
        break;
      case 'item.superseded':
        for (const { seq } of event.data.items) superseded.add(seq);
        break;
      case 'pin.added': {
        const { pin_id, entries, of } = event.data;
        for (const { seq } of entries) if (seq !== null) pinned.set(seq, pin_id);
        for (const seq of of?.seqs ?? [])
          carried.set(carriedKey(of?.session_id ?? '', seq), pin_id);
        break;
      }
      case 'pin.removed':
        for (const [seq, id] of pinned) if (id === event.data.pin_id) pinned.delete(seq);
        for (const [key, id] of carried) if (id === event.data.pin_id) carried.delete(key);
        break;
      case 'compaction.reverted':
        break;
      default:
        event satisfies never;
    }
  }
  return { chain, edits, superseded, pinned, carried };
}

function addEdit(edits: Map<string, EditInForce>, edit: ResultEdit, by: string | null): void {
  const { content: _content, ...made } = edit;
  const earlier = edits.get(edit.tool_use_id);
  // Shortened first and cleared later: what the result once cost stays the first figure.
  const tokens_before = earlier?.tokens_before ?? edit.tokens_before;
  edits.set(edit.tool_use_id, { ...made, tokens_before, by });
}

function seqsOf(entries: EventOf<'compaction.completed'>['data']['entries']): Set<number> {
  return new Set(entries.flatMap(({ seq }) => seq ?? []));
}

/** Where an item stands, or one result of it. */
export function standingOf(
  standings: Standings,
  event: EventOf<'item.appended'>,
  tool_use_id: string | null,
): Standing {
  if (event.data.excluded !== undefined || standings.superseded.has(event.version)) return NOWHERE;
  if (standings.pinned.has(event.version)) return IN_CONTEXT;
  const taker = takerOf(standings.chain, event.version);
  if (taker?.isWindow === true) return NOWHERE;
  if (taker !== undefined) return { state: 'summarised', compaction_id: taker.id };
  const edit = tool_use_id === null ? undefined : editsOf(standings, event).get(tool_use_id);
  return edit !== undefined && isTakenAway(edit)
    ? { state: 'cleared', compaction_id: edit.by }
    : IN_CONTEXT;
}

/**
 * What was done to the results of an item while it stood in the context, by the ids of their calls; a
 * pin undoes it.
 */
export function editsOf(
  { edits, pinned }: Pick<Standings, 'edits' | 'pinned'>,
  { data, version }: EventOf<'item.appended'>,
): ReadonlyMap<string, EditInForce> {
  if (pinned.has(version)) return new Map();
  const later = edits.get(version);
  const all = new Map<string, EditInForce>();
  for (const edit of data.edits ?? []) addEdit(all, edit, null);
  for (const [id, edit] of later ?? []) {
    all.set(id, { ...edit, tokens_before: all.get(id)?.tokens_before ?? edit.tokens_before });
  }
  return all;
}

/** The compaction since which an item is not in the context any more; undefined: it is. */
export function takerOf(
  chain: Standings['chain'],
  seq: number,
): Standings['chain'][number] | undefined {
  // A later one could only have kept what the one before had kept.
  const lost = chain.findLastIndex(({ through, kept }) => through < seq || kept.has(seq));
  return chain[lost + 1];
}

/** Where a summary stands: that of a compaction, or the one that a fork begins with. */
export function summaryStanding(
  { chain }: Standings,
  event: EventOf<'compaction.completed' | 'compaction.observed' | 'session.forked'>,
): Standing {
  const index = chain.findIndex(({ version }) => version === event.version);
  if (index < 0) return NOWHERE;
  const next = chain[index + 1];
  return next === undefined ? IN_CONTEXT : { state: 'summarised', compaction_id: next.id };
}
