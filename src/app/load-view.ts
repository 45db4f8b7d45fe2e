import {
  foldView,
  NOTHING_PINNED,
  type Pinned,
  type View,
  type ViewSource,
} from '../domain/context/view.ts';
import { completionOf } from '../domain/session/complete-compaction.ts';
import {
  BASE_CHANGES,
  type Base,
  type Candidate,
  changesBase,
  type EventData,
  type SessionEvent,
} from '../domain/session/events.ts';
import type { State } from '../domain/session/head.ts';
import { eventAt } from './event-at.ts';
import { eventPages } from './event-pages.ts';
import { ElsewhereError } from './ports/elsewhere-error.ts';
import type { EventStore, SessionRef, StoredEvent } from './ports/event-store.ts';
import type { Ports, Size } from './ports/ports.ts';

const EVENTS_PER_READ = 2_000;

/** A proposal that is looked at as though it were applied. */
export type Proposed = { id: string; candidate: Candidate };

type Created = Extract<StoredEvent, { type: 'session.created' }>;

/**
 * The context of a session at a version (default: the newest), or null when there is no such session
 * or version. Reads from the compaction in force onward, so the cost depends on the live context and
 * not on the length of the history (SPEC section 3). With a proposal it is what that would make of it,
 * and null also when the proposal is no longer open. Throws when the log is damaged.
 */
export function loadView(
  store: EventStore,
  ref: SessionRef,
  at?: number,
  proposal: Proposed | null = null,
): Promise<View | null> {
  return loadBounded(store, ref, { at, proposal, most: null });
}

/** The contexts before and after an event, of which most is read once. Null and throws as `loadViewHere`. */
export async function loadAroundHere(
  { store, largestHere }: { store: EventStore } & Pick<Ports, 'largestHere'>,
  ref: SessionRef,
  before: number,
  after: Pick<Asked, 'at' | 'proposal'>,
): Promise<{ before: View; after: View } | null> {
  const most = largestHere ?? null;
  const head = most && (await store.head(ref));
  if (most !== null && head !== null && isLarger(head.state, before, most)) {
    throw new ElsewhereError();
  }
  return ofOneSession(store, ref, async (created) => {
    const read = rangeReader(store, ref, most);
    const earlier = { at: before, proposal: null };
    const first = await readView(store, ref, created, earlier, read);
    const then = first && (await readView(store, ref, created, after, read));
    return then && { before: first, after: then };
  });
}

type Asked = {
  at: number | undefined;
  proposal: Proposed | null;
  /** What may be read here, null: anything. */
  most: Size | null;
};

async function loadBounded(store: EventStore, ref: SessionRef, asked: Asked): Promise<View | null> {
  return ofOneSession(store, ref, (created) =>
    readView(store, ref, created, asked, rangeReader(store, ref, asked.most)),
  );
}

async function ofOneSession<T>(
  store: EventStore,
  ref: SessionRef,
  read: (created: Created) => Promise<T | null>,
): Promise<T | null> {
  for (;;) {
    const created = await createdOf(store, ref);
    if (created === null) return null;
    const [reading] = await Promise.allSettled([read(created)]);
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
  { store, largestHere }: { store: EventStore } & Pick<Ports, 'largestHere'>,
  ref: SessionRef,
  at: number,
  proposal: Proposed | null = null,
): Promise<View | null> {
  if (largestHere === undefined) return loadView(store, ref, at, proposal);
  const head = await store.head(ref);
  if (head !== null && isLarger(head.state, at, largestHere)) throw new ElsewhereError();
  return loadBounded(store, ref, { at, proposal, most: largestHere });
}

/** Whether the context of a session, as it is now, is no larger than this. */
export async function isWithin(store: EventStore, ref: SessionRef, size: Size): Promise<boolean> {
  const head = await store.head(ref);
  if (head === null) return true;
  try {
    await loadViewHere({ store, largestHere: size }, ref, head.state.version);
    return true;
  } catch (error) {
    if (error instanceof ElsewhereError) return false;
    throw error;
  }
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
  { at, proposal }: Pick<Asked, 'at' | 'proposal'>,
  read: RangeReader,
): Promise<View | null> {
  const head = await store.head(ref);
  if (proposal !== null && !head?.state.proposals.some(({ id }) => id === proposal.id)) return null;
  if (head === null || (at !== undefined && (at < 1 || at > head.state.version))) return null;
  const { state } = head;
  const version = at ?? state.version;
  const current = version === state.version ? state.base : await baseAt(store, ref, version);
  const applied = proposal && eventOf(proposal, version + 1, state.updated_at);
  const base = (applied && baseOf(applied)) ?? current;
  const logged = await read(base?.through ?? 1, version);
  const events = applied === null ? logged : [...logged, applied];
  const pins = await pinsAt(store, ref, state, version);
  return foldView({ created, base: await withEvent(store, ref, base, events), events, pins });
}

/** The pins in force at a version: the newest event about pins names those before it. */
async function pinsAt(
  store: EventStore,
  ref: SessionRef,
  { pins: { first } }: Pick<State, 'pins'>,
  version: number,
): Promise<Pinned> {
  if (first === 0 || version < first) return NOTHING_PINNED;
  const [newest] = await store.events(ref, {
    types: ['pin.added', 'pin.removed'],
    after: first - 1,
    up_to: version,
    newest_first: true,
    limit: 1,
  });
  if (newest?.type !== 'pin.added' && newest?.type !== 'pin.removed') {
    throw new Error(`the event of version ${first}, which is about pins, is missing`);
  }
  const added: Pinned['added'][number][] = [];
  for (const at of newest.data.in_force) {
    const event = await eventAt(store, ref, at);
    if (event?.type === 'pin.added') added.push(event);
  }
  if (newest.type === 'pin.added') added.push(newest);
  return { version: newest.version, added };
}

/** What the context of a session would be after events that take back compactions. */
export async function loadReverted(
  store: EventStore,
  ref: SessionRef,
  { version, pins, base: before }: Pick<State, 'version' | 'pins' | 'base'>,
  reverts: readonly EventData['compaction.reverted'][],
  at: string,
): Promise<View | null> {
  const created = await createdOf(store, ref);
  if (created === null) return null;
  const last = reverts.at(-1);
  const base = last === undefined ? before : last.base;
  const logged = await eventsBetween(store, ref, base?.through ?? 1, version, null);
  const reverted = reverts.map(
    (data, index) =>
      ({ type: 'compaction.reverted', version: version + 1 + index, at, data }) as const,
  );
  const events = [...logged, ...reverted];
  const pinned = await pinsAt(store, ref, { pins }, version);
  return foldView({
    created,
    base: await withEvent(store, ref, base, events),
    events,
    pins: pinned,
  });
}

/** The event that applying a proposal would write at a version. */
function eventOf({ id, candidate }: Proposed, version: number, at: string): SessionEvent {
  return { ...completionOf(id, candidate), version, at };
}

/** What a full compaction is as a base; null for everything else. */
function baseOf(event: SessionEvent): Base | null {
  if (event.type !== 'compaction.completed') return null;
  const { compaction_id, through } = event.data;
  return { compaction_id, version: event.version, through };
}

/** Reads the events after one version up to another. */
type RangeReader = (after: number, upTo: number) => Promise<readonly StoredEvent[]>;

/** What it has read first it does not read again. */
function rangeReader(store: EventStore, ref: SessionRef, most: Size | null): RangeReader {
  let known: readonly StoredEvent[] = [];
  return async (after, upTo) => {
    const first = known[0]?.version ?? Number.POSITIVE_INFINITY;
    const last = known.at(-1)?.version ?? 0;
    if (after + 1 < first || last <= after) {
      known = await eventsBetween(store, ref, after, upTo, most);
      return known;
    }
    const some = known.filter(({ version }) => version > after && version <= upTo);
    return last < upTo ? [...some, ...(await eventsBetween(store, ref, last, upTo, most))] : some;
  };
}

async function eventsBetween(
  store: EventStore,
  ref: SessionRef,
  after: number,
  upTo: number,
  most: Size | null,
): Promise<StoredEvent[]> {
  const all: StoredEvent[] = [];
  const bounds =
    most === null ? {} : { max_bytes: most.bytes, largest: most.bytes, most_values: most.values };
  const query = { after, up_to: upTo, limit: EVENTS_PER_READ, ...bounds };
  for await (const page of eventPages(store, ref, query)) {
    for (const event of page) all.push(event);
    if (most !== null && (all.at(-1)?.version ?? upTo) < upTo) throw new ElsewhereError();
  }
  return all;
}

/** The base that was in force at a version: the newest event that set one decides. */
export async function baseAt(
  store: EventStore,
  ref: SessionRef,
  version: number,
): Promise<Base | null> {
  const [newest] = await store.events(ref, {
    types: BASE_CHANGES,
    up_to: version,
    newest_first: true,
    limit: 1,
  });
  if (newest === undefined) return null;
  if (!changesBase(newest)) throw new Error(`an event of type ${newest.type} was not asked for`);
  switch (newest.type) {
    case 'compaction.completed':
      return baseOf(newest);
    case 'compaction.reverted':
      return newest.data.base;
    case 'compaction.observed':
      return { compaction_id: null, version: newest.version, through: newest.data.through };
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
  events: readonly SessionEvent[],
): Promise<ViewSource['base']> {
  if (base === null) return null;
  // A compaction of ours comes after its own cut.
  const event =
    base.compaction_id === null
      ? await eventAt(store, ref, base.version)
      : events.find(({ version }) => version === base.version);
  switch (event?.type) {
    case 'session.forked':
    case 'compaction.observed':
    case 'compaction.completed':
      return { ref: base, event };
    default:
  }
  throw new Error(
    `the event of version ${base.version}, which the context is built on, is missing`,
  );
}

async function createdOf(store: EventStore, ref: SessionRef): Promise<Created | null> {
  const event = await eventAt(store, ref, 1);
  return event?.type === 'session.created' ? event : null;
}
