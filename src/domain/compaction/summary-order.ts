import type { View } from '../context/view.ts';
import type { Config } from '../policy/config.ts';
import type { TextCounter } from '../tokens/count.ts';
import type { FullPlan } from './full.ts';

/** What a summary is wanted of, and what for. */
export type SummaryOrder = {
  plan: FullPlan;
  view: View;
  /** The model of the conversation: with its format it tells who can compact it. */
  model: string | null;
  config: Config;
  count: TextCounter;
  instructions?: string | undefined;
  focus?: string | undefined;
};
