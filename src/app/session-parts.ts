import { setImmediate as nextTurn } from 'node:timers/promises';
import { rolloutWriter } from '../domain/session/rollout.ts';
import type { EventStore, SessionRef } from './ports/event-store.ts';

/** What is read at once: so many events, and fewer when they are large. */
export const EVENTS_AT_ONCE = 100;
export const BYTES_AT_ONCE = 65_536;

/** Lines of JSON, and the version up to which those so far tell the session. */
export type Part = { text: string; version: number };

/**
 * The audit trail of a session up to a version (SPEC section 14). Others may append meanwhile; ends
 * before that version when the session is erased.
 */
export async function* rolloutParts(
  store: EventStore,
  ref: SessionRef,
  upTo: number,
): AsyncGenerator<Part, void> {
  const recordsOf = rolloutWriter(ref.session_id);
  for (let after = 0; after < upTo; ) {
    const query = { after, up_to: upTo, limit: EVENTS_AT_ONCE, max_bytes: BYTES_AT_ONCE };
    const events = await store.events(ref, query);
    const last = events.at(-1);
    if (last === undefined) return;
    after = last.version;
    // To read a large event and to write it each take their time.
    await nextTurn();
    const lines = events.flatMap(recordsOf).map((record) => `${JSON.stringify(record)}\n`);
    yield { text: lines.join(''), version: after };
  }
}
