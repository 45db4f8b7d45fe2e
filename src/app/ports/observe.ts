import type { Facts } from './tracer.ts';

/** A step of a compaction: its name, and the ids that tell it from others. */
export type Step = { name: string; kind?: 'internal' | 'client'; facts: Facts };

/** The step that asks a model for a summary; `facts.model` is its name. */
export const MODEL_CALL = 'model call';

/**
 * Runs a step and tells of it, with how long it took and what came of it: what `outcome` says of its
 * value, where `outcome` is a word and `failed` whether it is a failure.
 */
export type Observe = <T>(
  step: Step,
  run: () => Promise<T>,
  outcome: (value: T) => Facts & { outcome: string; failed?: boolean },
) => Promise<T>;
