import { type PutBack, putBackOf } from '../../domain/context/put-back.ts';
import type { Format } from '../../domain/items/codecs.ts';
import { accept, type Outcome, reject } from '../../domain/session/errors.ts';
import { savedBy } from '../../domain/session/result-edits.ts';
import { eventAt } from '../event-at.ts';
import { findSession } from '../find.ts';
import type { SessionRef } from '../ports/event-store.ts';
import type { Ports } from '../ports/ports.ts';
import { Lineage, type Place } from './lineage.ts';

type TraceRequest = {
  seq: number;
  /** The session whose item it is: the one that is asked, or one that it was forked from. */
  session_id?: string | undefined;
  /** The version as of which is asked, by default the newest. */
  at?: number | undefined;
};

/** What stands for an item in the context now: the newest compaction in force, or the client's own. */
type StandIn = { session_id: string; compaction_id: string | null; version: number; at: string };

/**
 * Where an item went (SPEC 2, section 21): in the context word for word, cleared, summarised (by what, and
 * what stands for it now), put back; and all that has happened to it. In a fork that reaches back to what
 * its parents held. Rejects: session_not_found, version_not_found, not_found.
 */
export async function trace(
  { store }: Pick<Ports, 'store'>,
  ref: SessionRef,
  { seq, session_id = ref.session_id, at }: TraceRequest,
) {
  const session = await findSession(store, ref);
  if (!session.ok) return session;
  const opened = await Lineage.open(store, ref, at);
  if (!opened.ok) return opened;
  const lineage = opened.value;
  const found = await findItem({ store }, lineage, session_id, seq);
  if (!found.ok) return found;
  const { data } = found.value.event;
  const { place, edits, ...standing } = await lineage.stand(found.value);
  const summary = standing.state === 'summarised' ? await standIn(lineage, place.level) : null;
  const { format } = session.value.settings;
  return accept({
    session_id: ref.session_id,
    version: lineage.version,
    item: { session_id, seq, at: found.value.event.at, tokens: data.tokens },
    ...standing,
    results: edits.map(({ by, seq: _seq, ...edit }) => ({ ...edit, compaction_id: by })),
    tokens_cleared: savedBy(edits),
    summary,
    restored: summary === null ? [] : await restored({ store }, summary, ref, place, format),
    history: await lineage.history(found.value),
  });
}

async function findItem(
  { store }: Pick<Ports, 'store'>,
  lineage: Lineage,
  session_id: string,
  seq: number,
): Promise<Outcome<Place>> {
  const level = lineage.levelOf(session_id);
  if (level === null) {
    return reject(
      'not_found',
      'this session was not forked from a session with this id: leave session_id out for its own items',
    );
  }
  const end = lineage.end(level);
  const event = seq > end ? undefined : await eventAt(store, lineage.ref(level), seq);
  if (event?.type === 'item.appended') return accept({ level, event });
  const which = level === 0 ? 'the session' : 'what was forked of that session';
  return reject(
    'not_found',
    event === undefined
      ? `${which} ends with version ${end}: there is no item ${seq}`
      : `${seq} is no item but an event of type ${event.type}: GET …/items lists the items`,
  );
}

/** A summary of a parent came into the fork, and stands there until the next one takes it over. */
async function standIn(lineage: Lineage, from: number): Promise<StandIn | null> {
  for (let level = 0; level <= from; level++) {
    const { chain } = await lineage.standings(level);
    const last = chain.at(-1);
    const events = await lineage.changes(level);
    const event = events.find(({ version }) => version === last?.version);
    if (last === undefined || event === undefined || event.type === 'session.forked') continue;
    const { session_id } = lineage.ref(level);
    return { session_id, compaction_id: last.id, version: last.version, at: event.at };
  }
  return null;
}

async function restored(
  { store }: Pick<Ports, 'store'>,
  { session_id, version }: StandIn,
  { tenant }: SessionRef,
  { event }: Place,
  format: Format,
): Promise<PutBack[]> {
  const base = await eventAt(store, { tenant, session_id }, version);
  if (base?.type !== 'compaction.completed' && base?.type !== 'compaction.observed') return [];
  return putBackOf(base.data.entries, event.data.item, format);
}
