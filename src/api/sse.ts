import type { EventStore, SessionRef, StoredEvent } from '../db/event-store.ts';
import type { EventType } from '../domain/session/events.ts';
import { Bell } from './bell.ts';
import { eventPage } from './event-page.ts';

/** Events per pull: what is in memory for one slow client. */
const PAGE = 50;
const HEARTBEAT_MS = 15_000;

/**
 * The events of a session after a version, and then every new one, as server-sent events. The log is
 * the only buffer: a client that reads slowly is read for slowly. Ends when the session is erased.
 */
export function eventStream(
  store: EventStore,
  ref: SessionRef,
  query: { after: number; types?: readonly EventType[] | undefined },
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const bell = new Bell();
  let unsubscribe: (() => void) | null = null;
  let isCancelled = false;
  let { after } = query;
  const next = async (): Promise<string | null> => {
    // A line at once: the client shall see that it is connected before the first event comes.
    if (unsubscribe === null) {
      unsubscribe = store.subscribe(ref, () => bell.ring());
      return ': connected\n\n';
    }
    let waitedMs = 0;
    while (!isCancelled) {
      const head = await store.head(ref);
      if (head === null) return null;
      const { events } = await eventPage(store, ref, { after, limit: PAGE, types: query.types });
      const last = events.at(-1);
      if (last !== undefined) {
        after = last.version;
        return events.map(frameOf).join('');
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
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const text = await next().catch((error: unknown) => {
          // A stream that breaks is not cancelled: nobody else would do it.
          unsubscribe?.();
          throw error;
        });
        if (text !== null) controller.enqueue(encoder.encode(text));
        else {
          unsubscribe?.();
          if (!isCancelled) controller.close();
        }
      },
      cancel: () => {
        isCancelled = true;
        unsubscribe?.();
        bell.ring();
      },
    },
    // Nothing is read, and nobody subscribed, before the client asks.
    { highWaterMark: 0 },
  );
}

function frameOf(event: StoredEvent): string {
  return `id: ${event.version}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}
