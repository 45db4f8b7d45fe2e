import { z } from 'zod';

/** A change of one tool result inside the live context: which one, and its new content. */
export const resultEditSchema = z.strictObject({
  seq: z.int().min(1),
  tool_use_id: z.string(),
  content: z.string(),
  kind: z.enum(['cleared', 'truncated']),
  tokens_before: z.int().min(0),
  tokens_after: z.int().min(0),
});
export type ResultEdit = z.infer<typeof resultEditSchema>;

/** Addresses one tool result of the log: the item that carries it, and the call it answers. */
export function editKey(seq: number, toolUseId: string): string {
  return `${seq}:${toolUseId}`;
}

/** Tokens, without margin, that the context loses by these edits. */
export function savedBy(edits: readonly ResultEdit[]): number {
  return edits.reduce((sum, edit) => sum + edit.tokens_before - edit.tokens_after, 0);
}
