import type { EventRow, SessionRef } from './ports/event-store.ts';

/** What the first line of an export has as its `type`; no other tool's files have it. */
export const EXPORT_TYPE = 'palimpsest_export';
export const EXPORT_VERSION = 1;

/** The first line of the export of a session that has so many events. */
export function exportHeader({ tenant, session_id }: SessionRef, events: number): string {
  const header = { type: EXPORT_TYPE, export_version: EXPORT_VERSION, tenant, session_id, events };
  return JSON.stringify(header);
}

/** The line of one event. Its data is JSON in the very text that was hashed. */
export function exportLine({ data, ...row }: EventRow): string {
  return JSON.stringify({ ...row, data: JSON.parse(data) });
}
