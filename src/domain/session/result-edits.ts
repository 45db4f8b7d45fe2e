import { z } from 'zod';

/**
 * A change of one tool result inside the live context, or of the input of one call: which one, and its
 * new content.
 */
export const resultEditSchema = z.strictObject({
  seq: z.int().min(1),
  tool_use_id: z.string(),
  content: z.string(),
  /**
   * What stands there now: the placeholder; a digest of an old result; or what is left of one that stays,
   * a digest too or the original with its middle cut out; or what is left of the input of a call.
   */
  kind: z.enum(['cleared', 'digested', 'truncated', 'input_truncated']),
  tokens_before: z.int().min(0),
  tokens_after: z.int().min(0),
});
export type ResultEdit = z.infer<typeof resultEditSchema>;

/** Whether a placeholder or a digest stands there: no compaction touches it again. */
export function isTakenAway({ kind }: Pick<ResultEdit, 'kind'>): boolean {
  return kind === 'cleared' || kind === 'digested';
}

/** Addresses one tool result, or one call, of the log: the item that carries it, and the id of the call. */
export function editKey(seq: number, toolUseId: string): string {
  return `${seq}:${toolUseId}`;
}

/** Tokens, without margin, that the context loses by these edits. */
export function savedBy(
  edits: readonly Pick<ResultEdit, 'tokens_before' | 'tokens_after'>[],
): number {
  return edits.reduce((sum, edit) => sum + edit.tokens_before - edit.tokens_after, 0);
}
