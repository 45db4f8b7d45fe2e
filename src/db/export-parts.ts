import { exportHeader, exportLine } from '../app/export-format.ts';
import type { EventStore, SessionRef } from '../app/ports/event-store.ts';
import { StoreTroubleError } from '../app/ports/store-trouble-error.ts';
import { BYTES_AT_ONCE, EVENTS_AT_ONCE, type Part } from '../app/session-parts.ts';
import { eventHash, FIRST_PREVIOUS_HASH } from './event-codec.ts';
import { ofStored } from './stored-json.ts';

/**
 * All events of a session up to a version, as a file that `import` makes the same session of. Others
 * may append meanwhile; ends before that version when the session is erased. Throws StoreTroubleError at
 * an event that was changed since it was written: `import` would refuse the file.
 */
export async function* exportParts(
  store: EventStore,
  ref: SessionRef,
  upTo: number,
): AsyncGenerator<Part, void> {
  yield { text: `${exportHeader(ref, upTo)}\n`, version: 0 };
  let previous = FIRST_PREVIOUS_HASH;
  for (let after = 0; after < upTo; ) {
    const limit = Math.min(EVENTS_AT_ONCE, upTo - after);
    const rows = await store.rows(ref, { after, limit, max_bytes: BYTES_AT_ONCE });
    if (rows.length === 0) return;
    let text = '';
    for (const row of rows) {
      if (eventHash(previous, ref, row) !== row.hash) throw new StoreTroubleError('damaged', null);
      previous = row.hash;
      text += `${ofStored(() => exportLine(row))}\n`;
    }
    after += rows.length;
    yield { text, version: after };
  }
}
