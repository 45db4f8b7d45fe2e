import type { SessionRef } from './ports/event-store.ts';

/** A session as the key of a map. */
export function sessionKey({ tenant, session_id }: SessionRef): string {
  return JSON.stringify([tenant, session_id]);
}
