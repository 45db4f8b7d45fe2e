/** What a tier can ask for before it compacts (SPEC section 11); sorted as the tiers accept them. */
export const BOUNDARIES = [
  'plan_checkpoint',
  'plan_update',
  'pr_checkpoint',
  'topic_shift',
  'commit',
  'agent_done',
  'concluding_thought',
  'turn_complete',
] as const;
export type Boundary = (typeof BOUNDARIES)[number];

/** What a client can tell about a turn, or what is derived from its items (SPEC section 11). */
export const SIGNALS = [...BOUNDARIES, 'turn_started', 'sampling_complete'] as const;
export type Signal = (typeof SIGNALS)[number];

/** How much of the window is left, from roomy to full. */
export const TIERS = ['early', 'ready', 'asap', 'emergency'] as const;
export type Tier = (typeof TIERS)[number];
