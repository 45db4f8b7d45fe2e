import { z } from 'zod';
import { entrySchema } from './entry.ts';

// What events say of a history that a client holds and hands over as a whole (SPEC 2, section 22).

const count = z.int().min(0);

/**
 * Up to where a client's own telling of the conversation is known: how many items it has, and a hash
 * over their texts (`toldText`). A later telling that begins like this has not to be compared with the
 * log (SPEC 2, section 22).
 */
export const toldSchema = z.strictObject({ items: count, key: z.string().min(1) });
export type Told = z.infer<typeof toldSchema>;

/** An item that a context no longer holds, with the tokens that it had there, without margin. */
export const supersededSchema = z.strictObject({ seq: z.int().min(1), tokens: count });
export type SupersededItem = z.infer<typeof supersededSchema>;

/**
 * The client has compacted its own history: `entries` stand for everything up to `through`, its summary
 * among them. The log keeps what they replace.
 */
export const observedSchema = z.strictObject({
  through: count,
  summary_text: z.string(),
  entries: z.array(entrySchema),
  /** Estimates without margin of the context before and after. */
  tokens_before: count,
  tokens_after: count,
});

/**
 * Whether the client has made no summary: it has only left out what came before `through`, and keeps what
 * the log has behind it.
 */
export function keepsWindow({
  version,
  data: { through },
}: {
  version: number;
  data: { through: number };
}): boolean {
  return through < version - 1;
}
