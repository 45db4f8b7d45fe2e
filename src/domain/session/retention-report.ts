import { z } from 'zod';
import { FACT_KINDS } from '../ledger/ledger.ts';

const count = z.int().min(0);
const share = z.number().min(0).max(1);

/**
 * What of the facts that have to be kept stands in the context after a compaction (SPEC section 20).
 * `share`, here and by kind, is weighted: what was touched lately or often counts for more.
 */
export const retentionReportSchema = z.strictObject({
  share,
  /** The share before facts were put back, where some were. */
  written_share: share.exactOptional(),
  /** How many facts were put back. */
  put_back: count,
  kinds: z.array(
    z.strictObject({
      kind: z.enum(FACT_KINDS),
      total: count,
      kept: count,
      share,
      /** The weightiest of what is missing, each by its beginning. */
      missing: z.array(z.string()),
    }),
  ),
});
export type RetentionReport = z.infer<typeof retentionReportSchema>;
