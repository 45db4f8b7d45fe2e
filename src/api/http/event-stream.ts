import { setImmediate as nextTurn } from 'node:timers/promises';
import { Bell } from '../../app/bell.ts';
import type { EventStore, SessionRef, StoredEvent } from '../../app/ports/event-store.ts';
import { sessionKey } from '../../app/session-key.ts';
import type { EventType } from '../../domain/session/events.ts';
import type { StreamRoom } from './tenant-room.ts';
import { textStream } from './text-stream.ts';

/** What is in memory for one slow client: so many events, and fewer when they are large. */
const PAGE = 50;
const PART_BYTES = 65_536;
const HEARTBEAT_MS = 15_000;

type Query = { after: number; types?: readonly EventType[] | undefined };

/** How an event is written as a message: all of it, or only that it happened. */
const FRAMES = {
  event: (event: StoredEvent) =>
    `id: ${event.version}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`,
  version: ({ version, type }: StoredEvent) =>
    `id: ${version}\ndata: ${JSON.stringify({ version, type })}\n\n`,
};
type Frame = keyof typeof FRAMES;

/** What one look at the log has found: messages, if any, and the version to go on after. */
type Found = { text: Uint8Array<ArrayBuffer> | null; after: number };

/** Looks at the log that are under way, by session and then by what is looked for. */
type Looks = Map<string, Map<string, Promise<Found | null>>>;
const looksAt = new WeakMap<EventStore, Looks>();

/**
 * The events of a session after a version, and then every new one, as server-sent events. The log is
 * the only buffer: a client that reads slowly is read for slowly. Streams that have come equally far
 * share one look at the log, so that thousands of them do not each read every commit; `room`: where their
 * tenant looks. Ends when the session is erased.
 */
export function eventStream(
  store: EventStore,
  ref: SessionRef,
  query: Query,
  { room, frame = 'event' }: { room: StreamRoom; frame?: Frame },
): ReadableStream<Uint8Array> {
  const looks = looksAt.get(store) ?? new Map();
  looksAt.set(store, looks);
  const bell = new Bell();
  let unsubscribe = () => {};
  let isConnected = false;
  let isOver = false;
  let { after } = query;
  const next = async () => {
    // A line at once: the client shall see that it is connected before the first event comes.
    if (!isConnected) {
      isConnected = true;
      unsubscribe = store.subscribe(ref, () => {
        // A look that has begun before the commit may have missed it.
        looks.delete(sessionKey(ref));
        bell.ring();
      });
      return ': connected\n\n';
    }
    let waitedMs = 0;
    while (!isOver) {
      const found = await shared(looks, ref, JSON.stringify([frame, after, query.types]), () =>
        room.read(() => look(store, ref, { ...query, after }, frame)),
      );
      if (found === null) return null;
      after = found.after;
      if (found.text !== null) return found.text;
      if (waitedMs >= HEARTBEAT_MS) return ': heartbeat\n\n';
      const started = performance.now();
      // Its end is also the moment to see a commit of another process whose ring got lost.
      await bell.wait(HEARTBEAT_MS - waitedMs);
      waitedMs += performance.now() - started;
    }
    return null;
  };
  const onEnd = () => {
    isOver = true;
    unsubscribe();
    bell.ring();
  };
  return textStream(next, { onEnd, hold: room.hold });
}

/** The look for the same that is under way, or a new one. */
function shared(
  looks: Looks,
  ref: SessionRef,
  wanted: string,
  begin: () => Promise<Found | null>,
): Promise<Found | null> {
  const key = sessionKey(ref);
  const ofSession = looks.get(key) ?? new Map<string, Promise<Found | null>>();
  looks.set(key, ofSession);
  const running = ofSession.get(wanted);
  if (running !== undefined) return running;
  const begun = begin().finally(() => {
    ofSession.delete(wanted);
    if (ofSession.size === 0 && looks.get(key) === ofSession) looks.delete(key);
  });
  ofSession.set(wanted, begun);
  return begun;
}

/** Null when there is no such session any more, also where another one has its id. */
async function look(
  store: EventStore,
  ref: SessionRef,
  { after, types }: Query,
  frame: Frame,
): Promise<Found | null> {
  const head = await store.head(ref);
  if (head === null || head.state.version < after) return null;
  const events = await store.events(ref, {
    after,
    limit: PAGE,
    max_bytes: PART_BYTES,
    ...(types && { types }),
  });
  // To read a large event and to write it each take their time.
  await nextTurn();
  const last = events.at(-1);
  // Nothing of the asked types up to the head: need not be looked through again.
  if (last === undefined) return { text: null, after: head.state.version };
  const text = new TextEncoder().encode(events.map(FRAMES[frame]).join(''));
  return { text, after: last.version };
}
