import { z } from 'zod';
import { jsonObjectSchema } from '../json.ts';

/** Where an entry of a context comes from (SPEC section 8, order of phase 7). */
export const ORIGINS = [
  'initial',
  'pinned',
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

/**
 * One entry of a context: the stored item with the edits in force applied. `seq` is the version of
 * its `item.appended` event, null for what a compaction made. `tokens` is the estimate without
 * safety margin.
 */
export const entrySchema = z.strictObject({
  seq: z.int().min(1).nullable(),
  item: jsonObjectSchema,
  tokens: z.int().min(0),
  origin: z.enum(ORIGINS),
});
/** `pinned`: no compaction takes it away, nor a result of it. Only a context says so, no event. */
export type Entry = z.infer<typeof entrySchema> & { pinned?: true };
export type Origin = Entry['origin'];

/** The sum of estimates, without margin. */
export function sumOfTokens(parts: readonly { tokens: number }[]): number {
  return parts.reduce((sum, { tokens }) => sum + tokens, 0);
}
