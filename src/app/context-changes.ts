import { CONTEXT_CHANGES, type SessionEvent } from '../domain/session/events.ts';
import { eventPages } from './event-pages.ts';
import type { EventStore, SessionRef } from './ports/event-store.ts';

const EVENTS_PER_READ = 100;
/** Of a page of events: it is read and taken apart in one go. */
const MOST_BYTES = 2_000_000;

/**
 * The events of a session that change its context, up to a version, oldest first, without the texts
 * that they put there: what tells where an item stands, and nothing more.
 */
export async function contextChanges(
  store: Pick<EventStore, 'events'>,
  ref: SessionRef,
  up_to: number,
): Promise<SessionEvent[]> {
  const all: SessionEvent[] = [];
  const query = {
    types: CONTEXT_CHANGES,
    up_to,
    limit: EVENTS_PER_READ,
    max_bytes: MOST_BYTES,
  };
  for await (const page of eventPages(store, ref, query)) {
    for (const event of page) all.push(withoutTexts(event));
  }
  return all;
}

function withoutTexts(event: SessionEvent): SessionEvent {
  switch (event.type) {
    case 'compaction.completed': {
      const { edits, entries, ...data } = withoutLedger(event.data);
      const kept = entries.filter(({ seq }) => seq !== null);
      const short = { ...data, summary_text: '', entries: kept };
      return { ...event, data: { ...short, ...(edits && { edits: edits.map(withoutText) }) } };
    }
    case 'compaction.micro_completed':
      return { ...event, data: { ...event.data, edits: event.data.edits.map(withoutText) } };
    case 'compaction.observed': {
      const entries = event.data.entries.filter(({ seq }) => seq !== null);
      return { ...event, data: { ...event.data, summary_text: '', entries } };
    }
    case 'pin.added': {
      const entries = event.data.entries.map((entry) => ({ ...entry, item: {} }));
      return { ...event, data: { ...event.data, text: null, entries } };
    }
    case 'session.forked': {
      return { ...event, data: { ...withoutLedger(event.data), entries: [] } };
    }
    default:
      return event;
  }
}

/** A store parses a ledger when it is read, which takes longer than all else: not even a copy reads it. */
function withoutLedger<T extends { ledger?: unknown }>(data: T): Omit<T, 'ledger'> {
  const { ledger: _ledger, ...fields } = Object.getOwnPropertyDescriptors(data);
  // All fields but one, each as it was: `defineProperties` does not tell.
  return Object.defineProperties({}, fields) as Omit<T, 'ledger'>;
}

function withoutText<T extends { content: string }>(edit: T): T {
  return { ...edit, content: '' };
}
