import { COMPACTION_EVENTS, type SessionEvent } from '../domain/session/events.ts';
import type { CompactionRow, EventStore, SessionRef } from './ports/event-store.ts';

/** Its hooks, and what was said of it after its end, are looked for apart from them. */
const OWN_EVENTS = COMPACTION_EVENTS.filter(
  (type) =>
    type !== 'hook.ran' && type !== 'compaction.discarded' && type !== 'compaction.reverted',
);

/** How far after its last event a compaction's own report may stand: it is written with it. */
const REPORT_EVENTS = 2;
/** More than most compactions have; some of others may be among them, and be large. */
const EVENTS_PER_READ = 20;
/**
 * More than the hooks of a compaction and of the next one can run: its own, which may come after its
 * end, are among so many.
 */
const MOST_HOOK_RUNS = 500;

/**
 * The events that a compaction wrote itself, oldest first, how it was discarded, and then its hooks; not
 * its revert.
 */
export async function ownEvents(
  store: EventStore,
  ref: SessionRef,
  row: CompactionRow,
): Promise<SessionEvent[]> {
  const hooksAfter = (after: number) =>
    store.events(ref, { types: ['hook.ran'], after, limit: MOST_HOOK_RUNS });
  const own = await courseOf(store, ref, row);
  const hooks = await hooksAfter(row.requested_version);
  const proposed = own.find(({ type }) => type === 'compaction.proposed');
  const isApplied = proposed !== undefined && proposed.version !== row.ended_version;
  // Those of a proposal that was applied much later are far from its request.
  const later = isApplied ? await hooksAfter(row.ended_version ?? 0) : [];
  const known = new Set(hooks.map(({ version }) => version));
  const discarded = row.outcome === 'discarded' ? await discardsAfter(store, ref, row) : [];
  const all = [...discarded, ...hooks, ...later.filter(({ version }) => !known.has(version))];
  return [...own, ...all.filter(ofRow(row))];
}

/** From its request to its end. What stands between a proposal and its application is not read. */
async function courseOf(
  store: EventStore,
  ref: SessionRef,
  row: CompactionRow,
): Promise<SessionEvent[]> {
  const { requested_version, ended_version } = row;
  const end = ended_version === null ? {} : { up_to: ended_version + REPORT_EVENTS };
  const own: SessionEvent[] = [];
  for (let after = requested_version - 1; ; ) {
    const query = { types: OWN_EVENTS, after, ...end, limit: EVENTS_PER_READ };
    const page = await store.events(ref, query);
    own.push(...page.filter(ofRow(row)));
    const last = page.at(-1);
    if (last === undefined || page.length < EVENTS_PER_READ) return own;
    const isProposed = own.some(({ type }) => type === 'compaction.proposed');
    after = isProposed ? Math.max(last.version, (ended_version ?? 0) - 1) : last.version;
  }
}

function discardsAfter(
  store: EventStore,
  ref: SessionRef,
  { ended_version }: CompactionRow,
): Promise<SessionEvent[]> {
  return store.events(ref, { types: ['compaction.discarded'], after: ended_version ?? 0 });
}

function ofRow({ id }: CompactionRow): (event: SessionEvent) => boolean {
  return ({ data }) => 'compaction_id' in data && data.compaction_id === id;
}
