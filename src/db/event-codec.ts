import { hash } from 'node:crypto';
import { ElsewhereError } from '../app/ports/elsewhere-error.ts';
import type { EventRow, SessionRef, StoredEvent } from '../app/ports/event-store.ts';
import { isJsonObject, type Json } from '../domain/json.ts';
import { measureJson } from '../domain/json-text.ts';
import {
  EVENT_SCHEMA_VERSION,
  type EventType,
  isEventType,
  type SessionEvent,
} from '../domain/session/events.ts';
import { ofStored } from './stored-json.ts';
import { hasLedger, type StoredData, textOf, withUnreadLedger } from './unread-ledger.ts';
import { completed, fromVersion1 } from './upcast.ts';

/** What stands for the hash before the first event of a session. */
export const FIRST_PREVIOUS_HASH = '0'.repeat(64);

/** A row as a store hands it over: its data is text, or the bytes of it. */
export type StoredRow = Omit<EventRow, 'data'> & { data: StoredData };

/** From this schema version on a session's hashes show to whom it belongs, too. */
const TENANT_IN_HASH_SINCE = 3;

/**
 * The link of the hash chain (SPEC section 3): SHA-256, hex, over the previous hash, whose session it
 * is, and this event.
 */
export function eventHash(
  previousHash: string,
  { tenant, session_id }: SessionRef,
  event: Pick<EventRow, 'version' | 'type' | 'at' | 'schema_version' | 'data'>,
): string {
  return hash(
    'sha256',
    [
      previousHash,
      ...(event.schema_version >= TENANT_IN_HASH_SINCE ? [tenant] : []),
      session_id,
      event.version,
      event.type,
      event.at,
      event.schema_version,
      event.data,
    ].join('\n'),
  );
}

/** The row of a new event; its data is turned into text once, here. */
export function encodeEvent(previousHash: string, ref: SessionRef, event: SessionEvent): EventRow {
  const { version, type, at } = event;
  const data = JSON.stringify(event.data);
  const row = { version, type, at, schema_version: EVENT_SCHEMA_VERSION, data, hash: '' };
  row.hash = eventHash(previousHash, ref, row);
  return row;
}

/**
 * The events of rows. Throws what `decodeEvent` throws, and ElsewhereError where their texts have more than
 * `mostValues` JSON values in all: to count them takes a tenth of the time that it takes to parse them.
 */
export function decodeEvents(
  rows: readonly StoredRow[],
  mostValues = Number.POSITIVE_INFINITY,
): StoredEvent[] {
  if (mostValues !== Number.POSITIVE_INFINITY) refuseManyValues(rows, mostValues);
  return rows.map(decodeEvent);
}

function refuseManyValues(rows: readonly StoredRow[], most: number): void {
  let left = most;
  for (const { data } of rows) {
    if (typeof data !== 'string') continue;
    left -= measureJson(data, { values: left, depth: Number.POSITIVE_INFINITY }).values;
    if (left < 0) throw new ElsewhereError();
  }
}

/**
 * The event of a row, in the shape of today's schema. Throws StoreTroubleError when the data is no JSON,
 * and another error when a newer release wrote the row. The shape of the data is not checked: `verify`
 * does that.
 */
export function decodeEvent(row: StoredRow): StoredEvent {
  if (!isEventType(row.type)) {
    throw new Error(`the event type "${row.type}" is unknown; a newer release may have written it`);
  }
  const data = currentData(row, row.type);
  // The row was written by `encodeEvent`, so its data belongs to its type.
  return { version: row.version, at: row.at, type: row.type, data, hash: row.hash } as StoredEvent;
}

/** Data of an older schema version in today's shape (SPEC section 3). */
function currentData(row: StoredRow, type: EventType): Json {
  if (row.schema_version === EVENT_SCHEMA_VERSION && hasLedger(type)) {
    const unread = withUnreadLedger(type, row);
    if (unread !== null) return unread;
  }
  const data: Json = ofStored(() => JSON.parse(textOf(row.data)));
  if (row.schema_version === 1 && isJsonObject(data)) return fromVersion1(type, data);
  // Version 3 has grown since its first events: what they lack, those of version 2 lack as well.
  if (row.schema_version === 2 || row.schema_version === EVENT_SCHEMA_VERSION) {
    return isJsonObject(data) ? completed(type, data) : data;
  }
  throw new Error(
    `the event has schema version ${row.schema_version}, this release reads ${EVENT_SCHEMA_VERSION}; ` +
      'run the release that wrote it, or a newer one',
  );
}
