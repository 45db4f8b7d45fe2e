import type { Normalised } from '../items/item.ts';
import { isUserMessage, userText } from '../items/speaker.ts';
import { clipEnd, oneLine, tellingLines } from '../text.ts';

const TITLE_CHARACTERS = 80;
/** Prompts of programs put what they are about between tags, the same in each session. */
const TAG_LINE = /^[^\S\n]{0,20}<[^<>\n]{1,80}>[^\S\n]{0,20}$/gm;
const LOOKED_AT = 4_000;

/** A line that only says what comes next. */
const LEADS_ON = /[:：]$/u;

/**
 * What people know a session by: the first line of what the user says, with the next one where it ends in a
 * colon, in at most 80 characters, and none that is only a tag where there is another; null where the user
 * says nothing in this item.
 */
export function titleOf(item: Normalised): string | null {
  if (!isUserMessage(item)) return null;
  const words = userText(item);
  const bare = words.slice(0, LOOKED_AT).replace(TAG_LINE, '');
  return opening(bare) || opening(words) || null;
}

function opening(text: string): string {
  const [first = '', next] = tellingLines(text).slice(0, 2).map(oneLine);
  const told = LEADS_ON.test(first) && next !== undefined ? `${first} ${next}` : first;
  return clipEnd(told, TITLE_CHARACTERS);
}
