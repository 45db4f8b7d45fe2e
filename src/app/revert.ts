import { sumTokens } from '../domain/context/view.ts';
import { accept, reject } from '../domain/session/errors.ts';
import { CONTEXT_CHANGES } from '../domain/session/events.ts';
import type { Head } from '../domain/session/head.ts';
import {
  type RevertCompaction,
  revertCommand,
  revertCompaction,
  revertOf,
} from '../domain/session/revert-compaction.ts';
import { compactionOf } from './compaction-detail.ts';
import { findCompaction, findSession } from './find.ts';
import { loadReverted } from './load-view.ts';
import type { EventStore, SessionRef } from './ports/event-store.ts';
import type { Ports } from './ports/ports.ts';
import { readHere } from './read-here.ts';
import { levelsOf } from './session-state.ts';

/**
 * Undoes a compaction: the context becomes what it would be without it, including the items appended
 * since. Rejects: session_not_found, compaction_not_found, compaction_not_revertible.
 */
export async function revert(
  ports: Pick<Ports, 'store' | 'largestHere' | 'world' | 'clock'>,
  ref: SessionRef,
  id: string,
) {
  const { store, world, clock } = ports;
  const bounded = readHere(ports).store;
  const session = await findSession(store, ref);
  if (!session.ok) return session;
  const found = await findCompaction(store, ref, id);
  if (!found.ok) return found;
  const row = found.value;
  if (row.status !== 'ended') {
    return reject(
      'compaction_not_revertible',
      `this compaction is ${row.status}: cancel it, or wait for its end and then revert it`,
    );
  }
  const events = await bounded.events(ref, {
    types: CONTEXT_CHANGES,
    after: row.requested_version,
  });
  const command = revertCommand(id, events, session.value);
  if (!command.ok) return command;
  const at = clock.now().toISOString();
  const { pins } = session.value.state;
  const isPartial = pins.first !== 0 || events.some(({ type }) => type === 'item.superseded');
  const counted = isPartial
    ? await countedAnew(bounded, ref, command.value, session.value, at)
    : command.value;
  const committed = await store.commit(ref, revertCompaction(counted), { at });
  if (!committed.ok) return committed;
  const head = committed.value.value;
  const after = await findCompaction(store, ref, id);
  if (!after.ok) return after;
  return accept({
    compaction: compactionOf(ref, after.value),
    version: head.state.version,
    context: levelsOf(head, world),
  });
}

/**
 * Not all that the compaction took away comes back: what is pinned stands in the context already, and
 * what the client has taken back since stays away. Then both contexts are counted.
 */
async function countedAnew(
  store: EventStore,
  ref: SessionRef,
  command: RevertCompaction,
  head: Head,
  at: string,
): Promise<RevertCompaction> {
  const { state } = head;
  const reverted = await loadReverted(store, ref, state, revertOf(command, head).data, at);
  if (reverted === null) return command;
  return { ...command, tokens_back: sumTokens(reverted.entries) - state.tokens };
}
