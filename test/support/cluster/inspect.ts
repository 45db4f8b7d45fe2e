import type { Findings } from '../../e2e/crash/history.ts';
import type { Ledger } from '../../e2e/crash/ledger.ts';
import type { Cluster } from './cluster.ts';
import { leftovers } from './leftovers.ts';
import { until } from './until.ts';

/** `verified`: `palimpsest verify` was run and found no difference. */
export type Inspection = Findings & { verified: boolean };

/** A job may leave the queue a moment after its compaction has ended. */
const LEFTOVERS_MS = 30_000;

/**
 * What must hold after every fault, once everything runs again: nothing acknowledged is lost or
 * doubled, every compaction has ended once, contexts are valid, no job and no pending compaction is
 * left, and `palimpsest verify` passes.
 */
export async function inspect(cluster: Cluster, ledgers: readonly Ledger[]): Promise<Inspection> {
  const all: Inspection = { lost: 0, duplicated: 0, problems: [], verified: false };
  for (const { isRunning, output } of [...cluster.apis, ...cluster.workers]) {
    if (!isRunning) all.problems.push(`a process has ended by itself: ${output.slice(-2_000)}`);
  }
  // Who is not there cannot be asked.
  if (all.problems.length > 0) return all;
  for (const ledger of ledgers) {
    const { lost, duplicated, problems } = await ledger.findings();
    all.lost += lost;
    all.duplicated += duplicated;
    all.problems.push(...problems.map((problem) => `${ledger.session.id}: ${problem}`));
  }
  let left: string[] = [];
  const isEmpty = async () => {
    left = await leftovers(cluster);
    return left.length === 0;
  };
  await until('an empty queue', isEmpty, LEFTOVERS_MS).catch(() => all.problems.push(...left));
  const difference = await cluster.verify();
  if (difference === null) all.verified = true;
  else all.problems.push(`verify: ${difference}`);
  return all;
}
