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
