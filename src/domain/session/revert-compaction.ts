import { sessionNotFound } from './create-session.ts';
import type { Decide } from './decision.ts';
import { accept, type Outcome, reject } from './errors.ts';
import type { Base, NewEvent, SessionEvent } from './events.ts';
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
 * Undoes compactions in one write, in this order: an event for each, never a rewrite (SPEC sections 2, 18
 * rule 9). Rejects: session_not_found, compaction_not_revertible.
 */
export function revertCompactions(commands: readonly RevertCompaction[]): Decide<Head> {
  return (head) => {
    if (head === null) return sessionNotFound();
    const { state } = head;
    if (state.running !== null) {
      return reject(
        'compaction_not_revertible',
        `compaction ${state.running.id} is under way: cancel it or wait for its end, then revert`,
      );
    }
    const read = commands[0]?.compacted_version ?? state.compacted_version;
    if (state.compacted_version !== read) {
      return reject(
        'compaction_not_revertible',
        'the context was compacted or reverted at the same moment: read the session again, then decide',
      );
    }
    const events: NewEvent[] = [];
    let now: Standing = state;
    for (const command of commands) {
      const later = laterBase(command, now.base);
      if (later !== undefined) return reject('compaction_not_revertible', builtUpon(later));
      const event = revertOf(command, now);
      events.push(event);
      now = event.data;
    }
    const superseded = supersededBy(commands.at(-1)?.compaction_id ?? null, head);
    return accept({ events: [...events, ...superseded], value: (after) => after });
  };
}

type Standing = { base: Base | null; tokens: number };

/** The event that undoes a compaction. */
export function revertOf(
  { compaction_id, kind, previous, tokens_back }: RevertCompaction,
  now: Standing,
): Extract<NewEvent, { type: 'compaction.reverted' }> {
  const base = kind === 'full' ? previous : now.base;
  const tokens = now.tokens + tokens_back;
  return { type: 'compaction.reverted', data: { compaction_id, kind, base, tokens } };
}

/** The base that was built on a compaction since; its id is null for the client's own. */
function laterBase(command: RevertCompaction, base: Base | null): Base | null | undefined {
  const isLater = (base?.version ?? 0) > command.ended_version;
  const isGone = command.kind === 'full' && base?.compaction_id !== command.compaction_id;
  return isLater || isGone ? base : undefined;
}

function builtUpon(base: Base | null): string {
  if (base?.compaction_id === null) {
    return 'the client has compacted its own history since, and the context is built on that';
  }
  const id = base === null ? '' : ` (${base.compaction_id})`;
  return (
    `a later full compaction${id} builds on this one: revert that one first, or both with ` +
    '"cascade": true'
  );
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
  const reverted = revertedIds(events);
  const command = readCommand(compactionId, events, head, reverted);
  if (!command.ok) return command;
  const later = laterEditor(compactionId, events, reverted);
  if (later === null) return command;
  return reject(
    'compaction_not_revertible',
    `a later compaction (${later}) changed the same tool results: revert that one first, or both ` +
      'with "cascade": true',
  );
}

/**
 * The same for a compaction and all later ones that build on it, in the order in which they are to be
 * undone. Rejects as well where the client has compacted its own history since.
 */
export function revertCascade(
  compactionId: string,
  events: readonly SessionEvent[],
  head: Head,
): Outcome<RevertCompaction[]> {
  const reverted = revertedIds(events);
  const commands: RevertCompaction[] = [];
  let base = head.state.base;
  const undo = (id: string): Outcome<null> => {
    const command = readCommand(id, events, head, reverted);
    if (!command.ok) return command;
    for (;;) {
      const builder = laterBase(command.value, base);
      const later =
        builder === undefined ? laterEditor(id, events, reverted) : builder?.compaction_id;
      if (later === null && builder === undefined) break;
      if (later === null || later === undefined) {
        return reject('compaction_not_revertible', builtUpon(builder ?? null));
      }
      const undone = undo(later);
      if (!undone.ok) return undone;
    }
    commands.push(command.value);
    reverted.add(id);
    if (command.value.kind === 'full') base = command.value.previous;
    return accept(null);
  };
  const undone = undo(compactionId);
  return undone.ok ? accept(commands) : undone;
}

function readCommand(
  compactionId: string,
  events: readonly SessionEvent[],
  head: Head,
  reverted: ReadonlySet<string>,
): Outcome<RevertCompaction> {
  const command: RevertCompaction = {
    compaction_id: compactionId,
    kind: 'micro',
    ended_version: 0,
    previous: null,
    tokens_back: 0,
    compacted_version: head.state.compacted_version,
  };
  if (reverted.has(compactionId)) {
    return reject('compaction_not_revertible', 'this compaction has already been reverted');
  }
  for (const event of changesBy(compactionId, events)) {
    command.ended_version = event.version;
    command.tokens_back += savedBy(event.data.edits ?? []);
    if (event.type !== 'compaction.completed') continue;
    const { previous, report } = event.data;
    command.kind = 'full';
    command.previous = previous;
    command.tokens_back += report.covered_tokens - report.replacement_tokens;
  }
  if (command.ended_version > 0) return accept(command);
  return reject(
    'compaction_not_revertible',
    'this compaction did not change the context, so there is nothing to undo',
  );
}

/** A later compaction in force that has changed results which this one had changed before it. */
function laterEditor(
  compactionId: string,
  events: readonly SessionEvent[],
  reverted: ReadonlySet<string>,
): string | null {
  const edited = new Set<string>();
  for (const event of events) {
    if (event.type !== 'compaction.micro_completed' && event.type !== 'compaction.completed') {
      continue;
    }
    const { compaction_id, edits = [] } = event.data;
    if (compaction_id === compactionId) {
      for (const edit of edits) edited.add(keyOf(edit));
    } else if (event.type === 'compaction.micro_completed' && !reverted.has(compaction_id)) {
      if (edits.some((edit) => edited.has(keyOf(edit)))) return compaction_id;
    }
  }
  return null;
}

function changesBy(compactionId: string, events: readonly SessionEvent[]) {
  return events.flatMap((event) => {
    if (event.type !== 'compaction.micro_completed' && event.type !== 'compaction.completed') {
      return [];
    }
    return event.data.compaction_id === compactionId ? [event] : [];
  });
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
