import type { Item } from '../items/item.ts';

/** Where an entry of a context comes from (SPEC section 8, order of phase 7). */
export const ORIGINS = [
  'initial',
  'instructions',
  'boundary',
  'preserved',
  'summary',
  'file',
  'todo',
  'plan',
  'hook',
  'remote',
  'ghost',
  'log',
] as const;
export type Origin = (typeof ORIGINS)[number];

/**
 * One entry of a context: the stored item with the edits in force applied. `seq` is the version of
 * its `item.appended` event, null for what a compaction made. `tokens` is the estimate without
 * safety margin.
 */
export type Entry = { seq: number | null; item: Item; tokens: number; origin: Origin };
