import type { Normalised } from '../items/item.ts';
import { isUserMessage, userText } from '../items/speaker.ts';
import { firstLine } from '../text.ts';

const TITLE_CHARACTERS = 80;

/**
 * What people know a session by: the first line of what the user says, in at most 80 characters; null
 * where the user says nothing in this item.
 */
export function titleOf(item: Normalised): string | null {
  if (!isUserMessage(item)) return null;
  return firstLine(userText(item), TITLE_CHARACTERS) || null;
}
