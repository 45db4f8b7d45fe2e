import type { Ledgers } from '../../src/domain/compaction/extractive/ledgers.ts';
import type { Normalised } from '../../src/domain/items/item.ts';
import { advanceLedger } from '../../src/domain/ledger/advance.ts';
import { EMPTY_LEDGER } from '../../src/domain/ledger/ledger.ts';

/** The ledgers of a log that is covered up to `cut`, or as a whole: its items are numbered from 1. */
export function ledgersOfItems(items: readonly Normalised[], cut = items.length): Ledgers {
  const numbered = items.map((item, index) => ({ seq: index + 1, item }));
  const covered = advanceLedger(EMPTY_LEDGER, numbered.slice(0, cut));
  return { covered, standing: advanceLedger(covered, numbered.slice(cut)), verbatim: [] };
}
