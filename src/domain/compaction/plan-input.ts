import type { Cuts } from '../context/invariants/safe-cuts.ts';
import type { View } from '../context/view.ts';
import type { Config } from '../policy/config.ts';
import type { TextCounter } from '../tokens/count.ts';
import type { Material } from './material.ts';

/** What every plan is made from. */
export type PlanInput = {
  view: View;
  material: readonly Material[];
  config: Config;
  count: TextCounter;
  /** Context tokens now (SPEC section 5), and the threshold of the window. */
  tokens: number;
  threshold: number;
  /** Where a cut may be; by default where it is safe. */
  cuts?: Cuts;
  /** The cut has to stand before the item of this `seq`. */
  before: number | null;
  /** Tokens; null without a session, where the newest results are the client's own to keep. */
  context_window: number | null;
  /** Nobody asked for it: the agent is in the middle of its work. */
  is_automatic: boolean;
};
