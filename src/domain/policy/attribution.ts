import { z } from 'zod';
import { BOUNDARIES, TIERS } from './boundaries.ts';

/** By which way a compaction was asked for (SPEC sections 11 and 14). */
const REQUEST_PATHS = [
  'append',
  'mid_turn',
  'turn_complete',
  'preflight',
  'command',
  'request',
] as const;

/** What made somebody ask for a compaction; the audit trail repeats it (SPEC section 14). */
export const attributionSchema = z.strictObject({
  path: z.enum(REQUEST_PATHS),
  tier: z.enum(TIERS).nullable(),
  /** Of the context window, in whole percent; null where no tier was asked. */
  percent_remaining: z.int().min(0).nullable(),
  /** The boundaries that the decision rests on; the request uses them up. */
  boundaries: z.array(z.enum(BOUNDARIES)),
});
export type Attribution = z.infer<typeof attributionSchema>;

/** Of a request that neither a tier nor a boundary led to (SPEC section 14). */
export function plainAttribution(path: Attribution['path']): Attribution {
  return { path, tier: null, percent_remaining: null, boundaries: [] };
}
