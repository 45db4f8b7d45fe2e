import type { Boundary, Tier } from './boundaries.ts';

/** By which way a compaction was asked for (SPEC sections 11 and 14). */
export const REQUEST_PATHS = [
  'append',
  'mid_turn',
  'turn_complete',
  'preflight',
  'command',
  'request',
] as const;

/** What made somebody ask for a compaction; the audit trail repeats it (SPEC section 14). */
export type Attribution = {
  path: (typeof REQUEST_PATHS)[number];
  tier: Tier | null;
  /** Of the context window, in whole percent; null where no tier was asked. */
  percent_remaining: number | null;
  /** The boundaries that the decision rests on; the request uses them up. */
  boundaries: Boundary[];
};
