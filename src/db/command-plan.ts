import type { EventRow, SessionRef } from '../app/ports/event-store.ts';
import type { Decide } from '../domain/session/decision.ts';
import { accept, type Outcome } from '../domain/session/errors.ts';
import type { SessionEvent } from '../domain/session/events.ts';
import { evolve } from '../domain/session/evolve.ts';
import type { Head } from '../domain/session/head.ts';
import { encodeEvent, FIRST_PREVIOUS_HASH } from './event-codec.ts';

/** A session as a command finds it: its head and the hash of its newest event. */
export type Current = { head: Head; hash: string };

/** What a command comes to, before anything is written. */
export type CommandPlan = {
  events: SessionEvent[];
  rows: EventRow[];
  /** The session after the events. */
  head: Head;
  hash: string;
  /** For the caller. */
  value: unknown;
};

/**
 * Decides a command and works out all that has to be written; no IO, so whatever throws here
 * (`decide`, `evolve`, data that is no JSON) has changed nothing.
 */
export function planCommand(
  ref: SessionRef,
  decide: Decide<unknown>,
  at: string,
  current: Current | null,
): Outcome<CommandPlan> {
  const outcome = decide(current?.head ?? null);
  if (!outcome.ok) return outcome;
  const events: SessionEvent[] = [];
  const rows: EventRow[] = [];
  let head = current?.head ?? null;
  let hash = current?.hash ?? FIRST_PREVIOUS_HASH;
  for (const decided of outcome.value.events) {
    const event = { ...decided, version: (head?.state.version ?? 0) + 1, at };
    head = evolve(head, event);
    const row = encodeEvent(hash, ref, event);
    hash = row.hash;
    events.push(event);
    rows.push(row);
  }
  if (head === null) {
    throw new Error('a command that is accepted for a session that does not exist must create it');
  }
  return accept({ events, rows, head, hash, value: outcome.value.value(head) });
}
