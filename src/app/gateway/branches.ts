import { varyAfter } from '../../domain/gateway/session-hint.ts';
import type { Item } from '../../domain/items/item.ts';
import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import { accept, type Outcome } from '../../domain/session/errors.ts';
import { fork } from '../fork.ts';
import type { SessionRef } from '../ports/event-store.ts';
import type { Ports } from '../ports/ports.ts';
import { planSync } from '../sync-plan.ts';
import { Telling } from '../telling.ts';
import { BEGINNING } from '../told-chain.ts';
import type { TurnSession } from './find-turn-session.ts';
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
  return begin(ports, parent, at, ref);
}

/**
 * Begins a session as a fork of the one whose history it was given: as that was before it went on otherwise,
 * and under its own name. Rejects what a fork rejects. Throws ElsewhereError with nothing written.
 */
export async function beginWith(
  ports: Parameters<typeof fork>[0],
  parent: SessionRef,
  { ref, rule, name }: Pick<TurnSession, 'ref' | 'rule' | 'name'>,
  items: readonly Item[],
): Promise<Outcome<SessionRef>> {
  const head = await ports.store.head(parent);
  // Erased meanwhile: it begins with nothing.
  if (head === null) return accept(ref);
  const { state } = head;
  const { format, metadata } = head.settings;
  const gateway = isJsonObject(metadata.gateway) ? metadata.gateway : {};
  const own = { ...metadata, gateway: { ...gateway, rule, ...(name !== null && { name }) } };
  const telling = new Telling(format, items, state.told, BEGINNING, varyAfter(rule));
  const plan = await planSync(ports, parent, { state, format }, telling);
  const { parent: from, at } = plan.kind === 'diverges' ? plan : { parent, at: state.version };
  return begin(ports, from, at, ref, own);
}

async function begin(
  ports: Parameters<typeof fork>[0],
  parent: SessionRef,
  at: number,
  ref: SessionRef,
  metadata?: JsonObject,
): Promise<Outcome<SessionRef>> {
  const asked = { at, id: ref.session_id, ...(metadata !== undefined && { metadata }) };
  const begun = await fork(ports, parent, asked);
  // Another request has begun it at the same moment.
  return begun.ok || begun.rejection.code === 'session_exists' ? accept(ref) : begun;
}
