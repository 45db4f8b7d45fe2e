import type { View } from '../context/view.ts';
import { codecFor } from '../items/codecs.ts';
import { messageText } from '../items/message-text.ts';
import { advanceLedger, type LedgerItem } from '../ledger/advance.ts';
import { EMPTY_LEDGER, type Ledger } from '../ledger/ledger.ts';
import type { Entry } from '../session/entry.ts';
import { oneLine } from '../text.ts';
import type { Ledgers } from './extractive/ledgers.ts';
import type { Material } from './material.ts';

/**
 * The ledgers of a context: up to the cut, and of all of it. Only what came after the compaction in
 * force is read: what it covers stands in its ledger.
 */
export function ledgersOf(
  { ledger, format }: Pick<View, 'ledger' | 'format'>,
  material: readonly Material[],
  through: number,
  instructions: readonly Entry[] = [],
): Ledgers {
  const items = material.flatMap(({ entry, original }): LedgerItem[] =>
    entry.origin === 'log' && entry.seq !== null ? [{ seq: entry.seq, item: original }] : [],
  );
  const covered = advanceLedger(
    ledger ?? EMPTY_LEDGER,
    items.filter(({ seq }) => seq <= through),
  );
  const standing = advanceLedger(
    covered,
    items.filter(({ seq }) => seq > through),
  );
  const codec = codecFor(format);
  const verbatim = instructions.map(({ item }) => {
    const read = codec.normalise(item);
    return read.kind === 'message' ? oneLine(messageText(read)) : '';
  });
  return { covered, standing, verbatim };
}

/** The ledger with the stretch up to its end closed by a compaction. */
export function withEpoch(
  ledger: Ledger,
  previous: number,
  { compaction_id, at, said_at }: { compaction_id: string; at: string; said_at: string | null },
): Ledger {
  const { through, epochs } = ledger;
  const from = previous + 1;
  const epoch = { from, through, at, ...(said_at !== null && { said_at }), compaction_id };
  return { ...ledger, epochs: [...epochs, epoch] };
}
