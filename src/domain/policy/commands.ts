import type { Normalised } from '../items/item.ts';
import { isUserMessage, userTexts } from '../items/speaker.ts';

export type CompactionCommand = { instructions?: string };

/** Characters of instructions that a compaction takes; a longer text after a command is none. */
export const MAX_INSTRUCTIONS = 20_000;

const COMMAND = /^(?:\/compact|\/codex-compact|codex-compact)(?:\s+(.+))?$/is;

/**
 * The compaction that a message asks for when the user says nothing in it but a command, with the
 * instructions after it; null for everything else (SPEC section 13).
 */
export function compactionCommand(item: Normalised): CompactionCommand | null {
  if (!isUserMessage(item) || item.parts.some(({ kind }) => kind !== 'text')) return null;
  const [text, ...more] = userTexts(item);
  if (text === undefined || more.length > 0) return null;
  const match = COMMAND.exec(text.trim());
  if (match === null) return null;
  const [, instructions] = match;
  if (instructions === undefined) return {};
  return instructions.length > MAX_INSTRUCTIONS ? null : { instructions };
}
