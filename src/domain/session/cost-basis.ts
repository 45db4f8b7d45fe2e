import { z } from 'zod';

/** What the cost of a compaction is reckoned from, beside its own figures; earlier releases had none. */
export const costBasisSchema = z.strictObject({
  /** Calls of the session's model before it. */
  calls: z.int().min(0),
  /** How much of its input the newest of them left in the provider's cache; null: none says so. */
  cached_share: z.number().min(0).max(1).nullable(),
});
