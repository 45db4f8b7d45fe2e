import { z } from 'zod';

/** Why a compaction has left the context as it was (SPEC section 3). */
export const skipReasonSchema = z.enum([
  'nothing_to_compact',
  'below_threshold',
  'not_effective',
  'would_not_shrink',
  'irreducible_floor',
  'compaction_disabled',
  'no_natural_boundary',
  'too_few_tokens',
  'not_worth_it',
]);
export type SkipReason = z.infer<typeof skipReasonSchema>;
