import { setImmediate as nextTurn } from 'node:timers/promises';
import { foldView, type View, type ViewSource } from '../domain/context/view.ts';
import { BASE_CHANGES, type Base, changesBase } from '../domain/session/events.ts';
import type { State } from '../domain/session/head.ts';
import { eventAt } from './event-at.ts';
import { ElsewhereError } from './ports/elsewhere-error.ts';
import type { EventStore, SessionRef, StoredEvent } from './ports/event-store.ts';
import type { Ports, Size } from './ports/ports.ts';

const EVENTS_PER_READ = 2_000;

type Created = Extract<StoredEvent, { type: 'session.created' }>;

/**
 * The context of a session at a version (default: the newest), or null when there is no such session
 * or version. Reads from the compaction in force onward, so the cost depends on the live context and
 * not on the length of the history (SPEC section 3). Throws when the log is damaged.
 */
export async function loadView(
  store: EventStore,
  ref: SessionRef,
  at?: number,
): Promise<View | null> {
  for (;;) {
    const created = await createdOf(store, ref);
    if (created === null) return null;
    const [reading] = await Promise.allSettled([readView(store, ref, created, at)]);
    // Erased meanwhile: what was read may be of two sessions, or miss something.
    if ((await createdOf(store, ref))?.hash !== created.hash) continue;
    if (reading.status === 'rejected') throw reading.reason;
    return reading.value;
  }
}

/**
 * The same in the thread that answers all requests. Throws ElsewhereError for a context that would
 * hold it up; so nothing may be written before.
 */
export async function loadViewHere(
  { store, largestHere }: Pick<Ports, 'store' | 'largestHere'>,
  ref: SessionRef,
  at: number,
): Promise<View | null> {
  if (largestHere !== undefined) {
    const head = await store.head(ref);
    if (head !== null && isLarger(head.state, at, largestHere)) throw new ElsewhereError();
  }
  return loadView(store, ref, at);
}

/** At an earlier version it may be as large as the session was then. */
function isLarger({ version, base, tokens }: State, at: number, { events, tokens: most }: Size) {
  const through = at === version ? (base?.through ?? 0) : 0;
  return at - through > events || tokens > most;
}

async function readView(
  store: EventStore,
  ref: SessionRef,
  created: Created,
  at: number | undefined,
): Promise<View | null> {
  const head = await store.head(ref);
  if (head === null || (at !== undefined && (at < 1 || at > head.state.version))) return null;
  const { state } = head;
  const version = at ?? state.version;
  const base = version === state.version ? state.base : await baseAt(store, ref, version);
  const events = await eventsBetween(store, ref, base?.through ?? 1, version);
  return {
    ...foldView({ created, base: await withEvent(store, ref, base, events), events }),
    version,
  };
}

/** The store reads synchronously: in one go a context of many items would hold up all other requests. */
async function eventsBetween(
  store: EventStore,
  ref: SessionRef,
  after: number,
  upTo: number,
): Promise<StoredEvent[]> {
  const all: StoredEvent[] = [];
  for (let from = after; ; ) {
    const page = await store.events(ref, { after: from, up_to: upTo, limit: EVENTS_PER_READ });
    for (const event of page) all.push(event);
    const last = page.at(-1);
    if (last === undefined || page.length < EVENTS_PER_READ) return all;
    from = last.version;
    await nextTurn();
  }
}

/** The base that was in force at a version: the newest event that set one decides. */
async function baseAt(store: EventStore, ref: SessionRef, version: number): Promise<Base | null> {
  const [newest] = await store.events(ref, {
    types: BASE_CHANGES,
    up_to: version,
    newest_first: true,
    limit: 1,
  });
  if (newest === undefined) return null;
  if (!changesBase(newest)) throw new Error(`an event of type ${newest.type} was not asked for`);
  switch (newest.type) {
    case 'compaction.completed': {
      const { compaction_id, through } = newest.data;
      return { compaction_id, version: newest.version, through };
    }
    case 'compaction.reverted':
      return newest.data.base;
    case 'session.forked':
      return { compaction_id: null, version: newest.version, through: newest.version };
    default:
      return newest satisfies never;
  }
}

async function withEvent(
  store: EventStore,
  ref: SessionRef,
  base: Base | null,
  events: readonly StoredEvent[],
): Promise<ViewSource['base']> {
  if (base === null) return null;
  // A full compaction comes after its own cut; only a fork does not.
  const event =
    base.compaction_id === null
      ? await eventAt(store, ref, base.version)
      : events.find(({ version }) => version === base.version);
  if (event?.type === 'session.forked' || event?.type === 'compaction.completed') {
    return { ref: base, event };
  }
  throw new Error(
    `the event of version ${base.version}, which the context is built on, is missing`,
  );
}

async function createdOf(store: EventStore, ref: SessionRef): Promise<Created | null> {
  const event = await eventAt(store, ref, 1);
  return event?.type === 'session.created' ? event : null;
}
