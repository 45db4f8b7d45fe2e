import { summaryBehindHead } from '../items/chat-openings.ts';
import { cleaned, clipMiddle } from '../text.ts';
import type { Ledger } from './ledger.ts';

type Place = { of?: string };

/** The ledger of a parent for its fork: its numbers are those of the parent's log, and say so. */
export function inheritedLedger(ledger: Ledger, parent: string): Ledger {
  const own = <T extends Place>(fact: T): T => ({ ...fact, of: fact.of ?? parent });
  return {
    ...ledger,
    // What follows counts anew.
    through: 0,
    inherited: ledger.inherited === null ? null : own(ledger.inherited),
    requests: ledger.requests.map(own),
    constraints: ledger.constraints.map(own),
    conclusions: ledger.conclusions.map(own),
    files: ledger.files.map(own),
    runs: ledger.runs.map(own),
    failures: ledger.failures.map(own),
    plan: ledger.plan === null ? null : own(ledger.plan),
    open_calls: ledger.open_calls.map(own),
    artifacts: ledger.artifacts.map(own),
    names: ledger.names.map(own),
    tools: ledger.tools.map(own),
    said: ledger.said.map(own),
    epochs: ledger.epochs.map(own),
  };
}

/** Whether something was said at this place or later: what a fork says itself comes after all of its parent's. */
export function isSince(
  { seq, of }: Place & { seq: number },
  place: Place & { seq: number },
): boolean {
  return of === place.of ? seq >= place.seq : of === undefined;
}

/** Whether something was said last after another was. */
export function isLater(
  { last_seq, of }: Place & { last_seq: number },
  other: Place & { last_seq: number },
): boolean {
  return of === other.of ? last_seq > other.last_seq : of === undefined;
}

const LONGEST_INHERITED = 12_000;
/** Calls in the first messages of a conversation. */
const MOST_IN_HEAD = 2;

/**
 * What a client's summary tells of the time before; null where the log before it, of so many requests and
 * calls, says all of that: there is one, and more of it than the beginning that some clients keep.
 */
export function toldBefore(summary: string, requests: number, calls: number): string | null {
  const behind = calls <= MOST_IN_HEAD ? summaryBehindHead(summary) : null;
  if (behind === null && requests + calls > 0) return null;
  return clipMiddle(cleaned(behind ?? summary), LONGEST_INHERITED);
}
