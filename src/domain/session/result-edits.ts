import type { ResultEdit } from './events.ts';

/** Addresses one tool result of the log: the item that carries it, and the call it answers. */
export function editKey(seq: number, toolUseId: string): string {
  return `${seq}:${toolUseId}`;
}

/** Tokens, without margin, that the context loses by these edits. */
export function savedBy(edits: readonly ResultEdit[]): number {
  return edits.reduce((sum, edit) => sum + edit.tokens_before - edit.tokens_after, 0);
}
