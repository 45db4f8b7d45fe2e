import type { Ledger } from '../../ledger/ledger.ts';

/**
 * What the log says up to the cut, and what it says as a whole: items after the cut stay as they are.
 * `verbatim`: instructions, as one line each, that stay before the cut as well.
 */
export type Ledgers = { covered: Ledger; standing: Ledger; verbatim: readonly string[] };

/** Whether something was said after the cut, and so stands in the context as it was said. */
export function isAfterCut({ seq, of }: { seq: number; of?: string }, covered: Ledger): boolean {
  return of === undefined && seq > covered.through;
}
