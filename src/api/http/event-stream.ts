import { setImmediate as nextTurn } from 'node:timers/promises';
import { Bell } from '../../app/bell.ts';
import type { EventStore, SessionRef, StoredEvent } from '../../app/ports/event-store.ts';
import type { EventType } from '../../domain/session/events.ts';
import { textStream } from './text-stream.ts';

/** What is in memory for one slow client: so many events, and fewer when they are large. */
const PAGE = 50;
const PART_BYTES = 65_536;
const HEARTBEAT_MS = 15_000;

/**
 * The events of a session after a version, and then every new one, as server-sent events. The log is
 * the only buffer: a client that reads slowly is read for slowly. Ends when the session is erased.
 * `frame` writes one event as a message.
 */
export function eventStream(
  store: EventStore,
  ref: SessionRef,
  query: { after: number; types?: readonly EventType[] | undefined },
  frame: (event: StoredEvent) => string = frameOf,
): ReadableStream<Uint8Array> {
  const bell = new Bell();
  let unsubscribe = () => {};
  let isConnected = false;
  let isOver = false;
  let { after } = query;
  const next = async (): Promise<string | null> => {
    // A line at once: the client shall see that it is connected before the first event comes.
    if (!isConnected) {
      isConnected = true;
      unsubscribe = store.subscribe(ref, () => bell.ring());
      return ': connected\n\n';
    }
    let waitedMs = 0;
    while (!isOver) {
      const head = await store.head(ref);
      if (head === null) return null;
      const events = await store.events(ref, {
        after,
        limit: PAGE,
        max_bytes: PART_BYTES,
        ...(query.types && { types: query.types }),
      });
      const last = events.at(-1);
      if (last !== undefined) {
        after = last.version;
        // To read a large event and to write it each take their time.
        await nextTurn();
        return events.map(frame).join('');
      }
      // Nothing of the asked types up to here: need not be looked through again.
      after = Math.max(after, head.state.version);
      if (waitedMs >= HEARTBEAT_MS) return ': heartbeat\n\n';
      const started = performance.now();
      // Its end is also the moment to see a commit of another process whose ring got lost.
      await bell.wait(HEARTBEAT_MS - waitedMs);
      waitedMs += performance.now() - started;
    }
    return null;
  };
  return textStream(next, () => {
    isOver = true;
    unsubscribe();
    bell.ring();
  });
}

function frameOf(event: StoredEvent): string {
  return `id: ${event.version}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}
