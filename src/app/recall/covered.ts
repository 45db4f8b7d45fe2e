import { type Standings, standingsOf } from '../../domain/context/standing.ts';
import { isTakenBy, type TracedState } from '../../domain/context/trace.ts';
import type { Item } from '../../domain/items/item.ts';
import { accept, type Outcome, reject } from '../../domain/session/errors.ts';
import type { EventOf } from '../../domain/session/events.ts';
import type { ResultEdit } from '../../domain/session/result-edits.ts';
import { contextChanges } from '../context-changes.ts';
import { eventAt } from '../event-at.ts';
import { PAGE_BYTES, READ_BYTES } from '../event-page.ts';
import { type ItemEvent, itemEvents } from '../event-pages.ts';
import { findCompaction } from '../find.ts';
import { ownEvents } from '../own-events.ts';
import type { CompactionRow, EventStore, Page, SessionRef } from '../ports/event-store.ts';
import type { Ports } from '../ports/ports.ts';
import { Lineage } from './lineage.ts';

type CoveredItem = {
  session_id: string;
  seq: number;
  at: string;
  item: Item;
  tokens: number;
  /** What the compaction did to it. */
  taken: 'summarised' | ResultEdit['kind'];
  /** Where it stands now, and what took it away. */
  state: TracedState;
  compaction_id: string | null;
};

const ITEMS_PER_READ = 100;

/**
 * The items that a compaction took away, whole or results of them, oldest first, each with its state now
 * (SPEC 2, section 21): what its summary stands for. One that changed nothing took nothing. A fork knows
 * those of its parents, too. Rejects: session_not_found, compaction_not_found, compaction_not_ended.
 */
export async function covered(
  { store }: Pick<Ports, 'store'>,
  ref: SessionRef,
  id: string,
  { after, limit }: { after: number; limit: number },
): Promise<Outcome<Page<CoveredItem>>> {
  const opened = await Lineage.open(store, ref);
  if (!opened.ok) return opened;
  const lineage = opened.value;
  const found = await findIn(store, lineage, id);
  if (!found.ok) return found;
  const { level, row } = found.value;
  if (row.ended_version === null) {
    return reject(
      'compaction_not_ended',
      `the compaction is ${row.status}: ask again when its status is "ended"`,
    );
  }
  const own = lineage.ref(level);
  const taken = await takenBy(store, own, row);
  const data: CoveredItem[] = [];
  let bytes = 0;
  for await (const event of taken.after(after)) {
    const last = data.at(-1);
    if (last !== undefined && (data.length === limit || bytes >= PAGE_BYTES)) {
      return accept({ data, next_cursor: String(last.seq) });
    }
    const { item, tokens } = event.data;
    bytes += Buffer.byteLength(JSON.stringify(item));
    const { state, compaction_id } = await lineage.stand({ level, event });
    const { session_id } = own;
    const { version: seq, at } = event;
    const how = taken.edits.get(seq) ?? 'summarised';
    data.push({ session_id, seq, at, item, tokens, taken: how, state, compaction_id });
  }
  return accept({ data, next_cursor: null });
}

async function findIn(
  store: EventStore,
  lineage: Lineage,
  id: string,
): Promise<Outcome<{ level: number; row: CompactionRow }>> {
  for (let level = 1; level < lineage.levels; level++) {
    const row = await store.compaction(lineage.ref(level), id);
    const isPast = row !== null && (row.ended_version ?? Infinity) <= lineage.end(level);
    if (isPast) return accept({ level, row });
  }
  const own = await findCompaction(store, lineage.ref(0), id);
  return own.ok ? accept({ level: 0, row: own.value }) : own;
}

/** What a compaction took away, as the context was when it ended. */
async function takenBy(store: EventStore, ref: SessionRef, row: CompactionRow) {
  const ends = (await ownEvents(store, ref, row)).filter(
    ({ type }) => type === 'compaction.completed' || type === 'compaction.micro_completed',
  );
  const full = ends.find((event) => event.type === 'compaction.completed');
  const through = full?.data.through ?? 0;
  const edits = new Map<number, ResultEdit['kind']>();
  for (const event of ends) {
    if (event.type !== 'compaction.completed' && event.type !== 'compaction.micro_completed')
      continue;
    for (const { seq, kind } of event.data.edits ?? []) if (seq > through) edits.set(seq, kind);
  }
  const changes = await contextChanges(store, ref, full?.version ?? 0);
  const standings = standingsOf(changes);
  async function* after(seq: number): AsyncGenerator<ItemEvent> {
    if (full !== undefined) yield* itemsOf(store, ref, standings, full, seq);
    for (const edited of [...edits.keys()].sort((a, b) => a - b)) {
      const event = edited > seq ? await eventAt(store, ref, edited) : undefined;
      if (event?.type === 'item.appended') yield event;
    }
  }
  return { edits, after };
}

/** The items after a `seq` that stood in the context until this compaction. */
async function* itemsOf(
  store: EventStore,
  ref: SessionRef,
  standings: Standings,
  { data }: EventOf<'compaction.completed'>,
  seq: number,
): AsyncGenerator<ItemEvent> {
  const before = standings.chain.at(-2);
  // Where the one before had kept some, these may be among what is taken now.
  const from = before === undefined || before.kept.size > 0 ? 0 : before.through;
  const query = {
    after: Math.max(seq, from),
    up_to: data.through,
    limit: ITEMS_PER_READ,
    max_bytes: READ_BYTES,
  };
  for await (const event of itemEvents(store, ref, query)) {
    if (isTakenBy(standings, event, data.compaction_id)) yield event;
  }
}
