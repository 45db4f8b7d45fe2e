import { SessionArchivedError } from '../app/ports/archive.ts';
import type { CommitOptions, Committed, EventRow, SessionRef } from '../app/ports/event-store.ts';
import { asLogged } from '../domain/session/as-logged.ts';
import type { Decide, Decision } from '../domain/session/decision.ts';
import { accept, type Outcome, reject as refuse } from '../domain/session/errors.ts';
import type { SessionEvent } from '../domain/session/events.ts';
import { evolve } from '../domain/session/evolve.ts';
import type { Head } from '../domain/session/head.ts';
import { encodeEvent, FIRST_PREVIOUS_HASH } from './event-codec.ts';

/** A session as a command finds it: its head, the hash of its newest event, and where its events are. */
export type Current = { head: Head; hash: string; archive_file?: string | null };

/** A command that waits for its turn, with what answers its caller. */
export type QueuedCommand = {
  ref: SessionRef;
  decide: Decide<unknown>;
  options: CommitOptions;
  resolve: (outcome: Outcome<Committed<unknown>>) => void;
  reject: (error: unknown) => void;
};

/** Puts a command into a queue of a store; settles as that says. */
export function queued<T>(
  { ref, decide, options }: { ref: SessionRef; decide: Decide<T>; options: CommitOptions },
  enqueue: (command: QueuedCommand) => void,
): Promise<Outcome<Committed<T>>> {
  const committed = new Promise<Outcome<Committed<unknown>>>((resolve, reject) => {
    enqueue({ ref, decide, options, resolve, reject });
  });
  // The queue holds commands of all kinds; the value comes from this command's own `decide`.
  return committed as Promise<Outcome<Committed<T>>>;
}

/** What is kept under an idempotency key: the request's fingerprint and the answer as JSON. */
export type KeptAnswer = { fingerprint: string; response: string };

/** What a group of commands on one session comes to, before anything is written. */
export type GroupPlan = {
  events: SessionEvent[];
  rows: EventRow[];
  /** Answers to keep, by idempotency key. */
  kept: Map<string, KeptAnswer>;
  /** The session after the group; null when there is none. */
  after: Current | null;
  /** Tells each caller; to be called after the commit. */
  answers: (() => void)[];
};

/** The idempotency keys that the commands came with: what is kept under them has to be read first. */
export function keysOf(commands: readonly QueuedCommand[]): string[] {
  return commands.flatMap(({ options }) => options.idempotency?.key ?? []);
}

/**
 * Decides the commands one after the other, each on what the one before left. One that is rejected,
 * or whose `decide` throws, changes nothing for the others. An archived session takes none, but answers
 * again what it knows by its key. No IO.
 */
export function planGroup(
  commands: readonly QueuedCommand[],
  current: Current | null,
  stored: ReadonlyMap<string, KeptAnswer>,
): GroupPlan {
  const plan: GroupPlan = { events: [], rows: [], kept: new Map(), after: current, answers: [] };
  for (const command of commands) plan.answers.push(planNext(plan, command, stored));
  return plan;
}

function planNext(
  plan: GroupPlan,
  { ref, decide, options, resolve, reject }: QueuedCommand,
  stored: ReadonlyMap<string, KeptAnswer>,
): () => void {
  const { idempotency } = options;
  try {
    const kept = idempotency && (plan.kept.get(idempotency.key) ?? stored.get(idempotency.key));
    if (idempotency && kept) {
      const again = answerAgain(kept, idempotency);
      return () => resolve(again);
    }
    if (plan.after?.archive_file) throw new SessionArchivedError(ref);
    const decided = decide(plan.after?.head ?? null);
    if (!decided.ok) return () => resolve(decided);
    // Whatever throws here leaves the plan as it was.
    const { events, rows, after } = follow(ref, plan.after, decided.value, options.at);
    const value = decided.value.value(after.head);
    if (idempotency) {
      const { key, fingerprint } = idempotency;
      plan.kept.set(key, { fingerprint, response: JSON.stringify(value) });
    }
    plan.events.push(...events);
    plan.rows.push(...rows);
    plan.after = after;
    return () => resolve(accept({ value, replayed: false }));
  } catch (error) {
    return () => reject(error);
  }
}

/** The events that a command came to, as they are written, and the session after them. */
function follow(
  ref: SessionRef,
  before: Current | null,
  decided: Decision<unknown>,
  at: string,
): { events: SessionEvent[]; rows: EventRow[]; after: Current } {
  const first = (before?.head.state.version ?? 0) + 1;
  const events = decided.events.map((event, index) => asLogged(event, first + index, at));
  // Folded by the command with another time it would be another head. One as late as the head before does not tell.
  const isTold = before?.head.state.updated_at !== at;
  const folded = isTold && decided.after?.state.updated_at === at ? decided.after : undefined;
  const head = folded ?? events.reduce(evolve, before?.head ?? null);
  if (head === null) {
    throw new Error('a command that is accepted for a session that does not exist must create it');
  }
  if (head.state.version !== first + events.length - 1) {
    throw new Error('a command that folds its events itself must fold all of them');
  }
  const rows: EventRow[] = [];
  let hash = before?.hash ?? FIRST_PREVIOUS_HASH;
  for (const event of events) {
    const row = encodeEvent(hash, ref, event);
    rows.push(row);
    hash = row.hash;
  }
  return { events, rows, after: { head, hash } };
}

/** The first answer again, or a rejection when the key came with another body. */
function answerAgain(
  { fingerprint, response }: KeptAnswer,
  request: { fingerprint: string },
): Outcome<Committed<unknown>> {
  if (fingerprint !== request.fingerprint) {
    return refuse(
      'idempotency_mismatch',
      'this Idempotency-Key was used with another request body: send a new key with a new body',
    );
  }
  return accept({ value: JSON.parse(response), replayed: true });
}
