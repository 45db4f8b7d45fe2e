import { setImmediate as nextTurn } from 'node:timers/promises';
import { rolloutWriter } from '../domain/session/rollout.ts';
import type { EventStore, SessionRef } from './ports/event-store.ts';

/** What is read at once: so many events, and fewer when they are large. */
const EVENTS = 100;
const BYTES = 65_536;

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
    const events = await store.events(ref, { after, up_to: upTo, limit: EVENTS, max_bytes: BYTES });
    const last = events.at(-1);
    if (last === undefined) return;
    after = last.version;
    // To read a large event and to write it each take their time.
    await nextTurn();
    const lines = events.flatMap(recordsOf).map((record) => `${JSON.stringify(record)}\n`);
    yield { text: lines.join(''), version: after };
  }
}
