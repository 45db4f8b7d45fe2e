import { sessionNotFound } from './create-session.ts';
import type { Decide } from './decision.ts';
import { accept, type Outcome, reject } from './errors.ts';
import { type Base, changesContext, type NewEvent, type SessionEvent } from './events.ts';
import type { Head } from './head.ts';
import { supersededBy } from './proposal-events.ts';
import { editKey, type ResultEdit, savedBy } from './result-edits.ts';

export type RevertCompaction = {
  compaction_id: string;
  kind: 'micro' | 'full';
  /** The version of the compaction's last event, to see that nothing was built on it. */
  ended_version: number;
  /** The base that was in force before it. */
  previous: Base | null;
  /** Estimate without margin that the context grows by; `revertCommand` knows nothing of pins, nor of what was superseded since. */
  tokens_back: number;
  /** `compacted_version` of the head that all this was read from. */
  compacted_version: number;
};

/**
 * Undoes a compaction: an event, never a rewrite (SPEC sections 2, 18 rule 9).
 * Rejects: session_not_found, compaction_not_revertible.
 */
export function revertCompaction(command: RevertCompaction): Decide<Head> {
  return (head) => {
    if (head === null) return sessionNotFound();
    const { state } = head;
    if (state.running !== null) {
      return reject(
        'compaction_not_revertible',
        `compaction ${state.running.id} is under way: cancel it or wait for its end, then revert`,
      );
    }
    if (state.compacted_version !== command.compacted_version) {
      return reject(
        'compaction_not_revertible',
        'the context was compacted or reverted at the same moment: read the session again, then decide',
      );
    }
    const laterBase = (state.base?.version ?? 0) > command.ended_version;
    const notInForce =
      command.kind === 'full' && state.base?.compaction_id !== command.compaction_id;
    if (laterBase || notInForce) {
      return reject(
        'compaction_not_revertible',
        state.base?.compaction_id === null
          ? 'the client has compacted its own history since, and the context is built on that'
          : `a later full compaction${state.base ? ` (${state.base.compaction_id})` : ''} builds on ` +
              'this one: revert that one first',
      );
    }
    const event = revertOf(command, head);
    const superseded = supersededBy(command.compaction_id, head);
    return accept({ events: [event, ...superseded], value: (after) => after });
  };
}

/** The event that undoes a compaction. */
export function revertOf(
  { compaction_id, kind, previous, tokens_back }: RevertCompaction,
  { state }: Head,
): Extract<NewEvent, { type: 'compaction.reverted' }> {
  const base = kind === 'full' ? previous : state.base;
  const tokens = state.tokens + tokens_back;
  return { type: 'compaction.reverted', data: { compaction_id, kind, base, tokens } };
}

/**
 * What undoing a compaction takes, read from its own events (`events` may hold others) and the
 * present head. Rejects with compaction_not_revertible when it changed nothing, or was undone before.
 */
export function revertCommand(
  compactionId: string,
  events: readonly SessionEvent[],
  head: Head,
): Outcome<RevertCompaction> {
  const command: RevertCompaction = {
    compaction_id: compactionId,
    kind: 'micro',
    ended_version: 0,
    previous: null,
    tokens_back: 0,
    compacted_version: head.state.compacted_version,
  };
  const reverted = revertedIds(events);
  if (reverted.has(compactionId)) {
    return reject('compaction_not_revertible', 'this compaction has already been reverted');
  }
  const edited = new Set<string>();
  for (const event of events.filter(changesContext)) {
    switch (event.type) {
      case 'compaction.micro_completed':
        if (event.data.compaction_id !== compactionId) {
          if (reverted.has(event.data.compaction_id)) break;
          if (!event.data.edits.some((edit) => edited.has(keyOf(edit)))) break;
          return reject(
            'compaction_not_revertible',
            `a later compaction (${event.data.compaction_id}) changed the same tool results: revert ` +
              'that one first',
          );
        }
        command.ended_version = event.version;
        for (const edit of event.data.edits) edited.add(keyOf(edit));
        command.tokens_back += savedBy(event.data.edits);
        break;
      case 'compaction.completed': {
        if (event.data.compaction_id !== compactionId) break;
        const { previous, report, edits = [] } = event.data;
        command.kind = 'full';
        command.ended_version = event.version;
        command.previous = previous;
        command.tokens_back += report.covered_tokens - report.replacement_tokens + savedBy(edits);
        for (const edit of edits) edited.add(keyOf(edit));
        break;
      }
      case 'item.superseded':
      case 'pin.added':
      case 'pin.removed':
      case 'compaction.observed':
      case 'compaction.reverted':
      case 'session.forked':
        break;
      default:
        event satisfies never;
    }
  }
  if (command.ended_version > 0) return accept(command);
  return reject(
    'compaction_not_revertible',
    'this compaction did not change the context, so there is nothing to undo',
  );
}

/** The compactions that these events undo. */
export function revertedIds(events: readonly SessionEvent[]): Set<string> {
  const ids = new Set<string>();
  for (const event of events) {
    if (event.type === 'compaction.reverted') ids.add(event.data.compaction_id);
  }
  return ids;
}

function keyOf({ seq, tool_use_id }: ResultEdit): string {
  return editKey(seq, tool_use_id);
}
