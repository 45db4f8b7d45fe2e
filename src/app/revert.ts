import { sumTokens } from '../domain/context/view.ts';
import { accept, type Outcome, reject } from '../domain/session/errors.ts';
import { CONTEXT_CHANGES, type EventData } from '../domain/session/events.ts';
import type { Head, State } from '../domain/session/head.ts';
import {
  type RevertCompaction,
  revertCascade,
  revertCommand,
  revertCompactions,
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
 * since. With `cascade` the later ones that build on it go first, in the same write. Rejects:
 * session_not_found, compaction_not_found, compaction_not_revertible.
 */
export async function revert(
  ports: Pick<Ports, 'store' | 'largestHere' | 'world' | 'clock'>,
  ref: SessionRef,
  id: string,
  asked: { cascade: boolean } = { cascade: false },
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
  const commands = asked.cascade
    ? revertCascade(id, events, session.value)
    : only(revertCommand(id, events, session.value));
  if (!commands.ok) return commands;
  const at = clock.now().toISOString();
  const { pins } = session.value.state;
  const isPartial = pins.first !== 0 || events.some(({ type }) => type === 'item.superseded');
  const counted = isPartial
    ? await countedAnew(bounded, ref, commands.value, session.value, at)
    : commands.value;
  const committed = await store.commit(ref, revertCompactions(counted), { at });
  if (!committed.ok) return committed;
  const head = committed.value.value;
  const after = await findCompaction(store, ref, id);
  if (!after.ok) return after;
  const context = levelsOf(head, world);
  return accept({
    compaction: compactionOf(ref, after.value),
    reverted: counted.map(({ compaction_id }) => compaction_id),
    version: head.state.version,
    context,
    note: context.is_above_auto_compact ? TOO_LARGE : null,
  });
}

const TOO_LARGE =
  'the context is above the threshold again: it is compacted anew once new tokens arrive, unless ' +
  'auto_compact_enabled is false';

function only(command: Outcome<RevertCompaction>): Outcome<RevertCompaction[]> {
  return command.ok ? accept([command.value]) : command;
}

/**
 * Not all that a compaction took away comes back: what is pinned stands in the context already, and
 * what the client has taken back since stays away. Then the contexts are counted.
 */
async function countedAnew(
  store: EventStore,
  ref: SessionRef,
  commands: readonly RevertCompaction[],
  head: Head,
  at: string,
): Promise<RevertCompaction[]> {
  const counted: RevertCompaction[] = [];
  const reverts: EventData['compaction.reverted'][] = [];
  let now: Pick<State, 'base' | 'tokens'> = head.state;
  for (const command of commands) {
    reverts.push(revertOf(command, now).data);
    const view = await loadReverted(store, ref, head.state, reverts, at);
    const tokens_back = view === null ? command.tokens_back : sumTokens(view.entries) - now.tokens;
    counted.push({ ...command, tokens_back });
    now = revertOf({ ...command, tokens_back }, now).data;
  }
  return counted;
}
