import { setImmediate as nextTurn } from 'node:timers/promises';
import { rolloutWriter } from '../domain/session/rollout.ts';
import { exportHeader, exportLine } from './export-format.ts';
import type { EventStore, SessionRef } from './ports/event-store.ts';

/** What is read at once: so many events, and fewer when they are large. */
const EVENTS = 100;
const BYTES = 65_536;

/** Lines of JSON, and the version up to which those so far tell the session. */
type Part = { text: string; version: number };

/**
 * All events of a session up to a version, as a file that `import` makes the same session of. Others
 * may append meanwhile; ends before that version when the session is erased.
 */
export async function* exportParts(
  store: EventStore,
  ref: SessionRef,
  upTo: number,
): AsyncGenerator<Part, void> {
  yield { text: `${exportHeader(ref, upTo)}\n`, version: 0 };
  for (let after = 0; after < upTo; ) {
    const limit = Math.min(EVENTS, upTo - after);
    const rows = await store.rows(ref, { after, limit, max_bytes: BYTES });
    if (rows.length === 0) return;
    after += rows.length;
    yield { text: rows.map((row) => `${exportLine(row)}\n`).join(''), version: after };
  }
}

/** The audit trail up to a version in the same way (SPEC section 14). */
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
