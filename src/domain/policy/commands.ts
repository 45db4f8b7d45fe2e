import { isUserMessage } from '../compaction/material.ts';
import type { Normalised } from '../items/item.ts';

export type CompactionCommand = { instructions?: string };

/** Characters of instructions that a compaction takes; a longer text behind a command is none. */
export const MAX_INSTRUCTIONS = 20_000;

const COMMAND = /^(?:\/compact|\/codex-compact|codex-compact)(?:\s+(.+))?$/is;

/**
 * The compaction that a message asks for when it is nothing but a command, with the instructions
 * behind it; null for everything else (SPEC section 13).
 */
export function compactionCommand(item: Normalised): CompactionCommand | null {
  if (!isUserMessage(item) || item.parts.length !== 1) return null;
  const [part] = item.parts;
  if (part?.kind !== 'text') return null;
  const match = COMMAND.exec(part.text.trim());
  if (match === null) return null;
  const [, instructions] = match;
  if (instructions === undefined) return {};
  return instructions.length > MAX_INSTRUCTIONS ? null : { instructions };
}
