import { z } from 'zod';

const tokens = z.int().min(0);
const usd = z.number().min(0);

/** What a compaction was weighed by that had to pay (SPEC section 20); an estimate of what it would do. */
export const worthSchema = z.strictObject({
  tokens_before: tokens,
  tokens_after: tokens,
  /** Of the summariser, and of what the provider has to take into its cache anew. */
  summarizer_usd: usd,
  cache_write_usd: usd,
  /** With each later call of the session's model. */
  saves_usd_per_call: usd,
  /** Calls that were expected to follow. */
  horizon: z.int().min(1),
});
export type Worth = z.infer<typeof worthSchema>;

/** What it costs, and what it saves over the calls that are expected; US dollars. */
export function balanceOf(worth: Worth): { costs: number; saves: number } {
  return {
    costs: worth.summarizer_usd + worth.cache_write_usd,
    saves: worth.saves_usd_per_call * worth.horizon,
  };
}
