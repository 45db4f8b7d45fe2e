import { accept, type Outcome } from '../../domain/session/errors.ts';
import { fork } from '../fork.ts';
import type { SessionRef } from '../ports/event-store.ts';
import type { Ports } from '../ports/ports.ts';
import { hashed } from './history-keys.ts';
import { sessionIdOf } from './session-id.ts';

/** Whether somebody has said something in a session behind a version, or taken something back. */
export async function hasMovedOn(
  { store }: Pick<Ports, 'store'>,
  ref: SessionRef,
  version: number,
): Promise<boolean> {
  const types = ['item.appended', 'item.superseded'] as const;
  return (await store.events(ref, { after: version, types, limit: 1 })).length > 0;
}

/**
 * The fork of a session as it was at a version that has this name; it is begun where it does not exist.
 * Rejects what a fork rejects. Throws ElsewhereError with nothing written.
 */
export async function beginBranch(
  ports: Parameters<typeof fork>[0],
  parent: SessionRef,
  at: number,
  name: string,
): Promise<Outcome<SessionRef>> {
  const id = sessionIdOf(hashed('branch', parent.session_id, String(at), name));
  const ref = { tenant: parent.tenant, session_id: id };
  if ((await ports.store.head(ref)) !== null) return accept(ref);
  const begun = await fork(ports, parent, { at, id });
  // Another request has begun it at the same moment.
  return begun.ok || begun.rejection.code === 'session_exists' ? accept(ref) : begun;
}
