import type { Normalised } from '../items/item.ts';
import { isUserMessage, userText } from '../items/speaker.ts';
import { firstLine } from '../text.ts';

const TITLE_CHARACTERS = 80;
/** Prompts of programs put what they are about between tags, the same in each session. */
const TAG_LINE = /^[^\S\n]{0,20}<[^<>\n]{1,80}>[^\S\n]{0,20}$/gm;
const LOOKED_AT = 4_000;

/**
 * What people know a session by: the first line of what the user says, in at most 80 characters, and none
 * that is only a tag where there is another; null where the user says nothing in this item.
 */
export function titleOf(item: Normalised): string | null {
  if (!isUserMessage(item)) return null;
  const words = userText(item);
  const bare = words.slice(0, LOOKED_AT).replace(TAG_LINE, '');
  return firstLine(bare, TITLE_CHARACTERS) || firstLine(words, TITLE_CHARACTERS) || null;
}
