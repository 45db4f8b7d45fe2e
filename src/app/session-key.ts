import type { SessionRef } from './ports/event-store.ts';

/** One string per session, for maps. Tenants and session ids never contain a NUL. */
export function sessionKey(ref: SessionRef): string {
  return `${ref.tenant}\0${ref.session_id}`;
}

export function sessionOfKey(key: string): SessionRef {
  const [tenant = '', session_id = ''] = key.split('\0');
  return { tenant, session_id };
}
