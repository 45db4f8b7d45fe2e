import type {
  CommitOptions,
  Committed,
  EventRow,
  SessionRef,
} from '../../app/ports/event-store.ts';
import type { Decide } from '../../domain/session/decision.ts';
import { accept, type Outcome } from '../../domain/session/errors.ts';
import type { SessionEvent } from '../../domain/session/events.ts';
import { type Current, planCommand } from '../command-plan.ts';
import { answerAgain, type KeptAnswer } from '../idempotent-answer.ts';

/** A command that waits for its turn, with what answers its caller. */
export type QueuedCommand = {
  kind: 'command';
  ref: SessionRef;
  decide: Decide<unknown>;
  options: CommitOptions;
  resolve: (outcome: Outcome<Committed<unknown>>) => void;
  reject: (error: unknown) => void;
};

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

/**
 * Decides the commands one after the other, each on what the one before left. One that is rejected,
 * or whose `decide` throws, changes nothing for the others. No IO.
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
    const planned = planCommand(ref, decide, options.at, plan.after);
    if (!planned.ok) return () => resolve(planned);
    const { events, rows, head, hash, value } = planned.value;
    if (idempotency) {
      const { key, fingerprint } = idempotency;
      plan.kept.set(key, { fingerprint, response: JSON.stringify(value) });
    }
    plan.events.push(...events);
    plan.rows.push(...rows);
    plan.after = { head, hash };
    return () => resolve(accept({ value, replayed: false }));
  } catch (error) {
    return () => reject(error);
  }
}
