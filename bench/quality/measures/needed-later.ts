import { namesStandingIn } from '../../../src/domain/names.ts';
import { type Candidate, textCandidate } from '../candidate.ts';
import type { Conversation } from '../conversation.ts';
import { namesMet } from '../names.ts';
import { type Score, scoreOf } from '../words.ts';

/** The keys of names that the assistant writes later, in words and in calls, and that it had met before. */
export function neededLater(covered: Conversation, later: Conversation): string[] {
  const met = namesMet(covered);
  return [...namesMet(later, 'assistant').keys()].filter((key) => met.has(key));
}

/** The share of these that stands in the text. */
export function measureNeeded(keys: readonly string[], { read }: Candidate): Score {
  return scoreOf(keys, namesStandingIn(read.text));
}

/** The same without the parts that do nothing but list names: a heading that says so, and what is below it. */
export function measureWithoutIndex(keys: readonly string[], { read }: Candidate): Score {
  return measureNeeded(keys, textCandidate(withoutIndex(read.text)));
}

const HEADING = /^#{1,6}\s+(.*)$/;
const INDEX_TITLE = /^(?:index of )?names\b|^name index\b/i;

/** A text without its index of names. */
function withoutIndex(text: string): string {
  let isInside = false;
  return text
    .split('\n')
    .filter((line) => {
      const title = HEADING.exec(line)?.[1];
      if (title !== undefined) isInside = INDEX_TITLE.test(title);
      // The index is one block: what comes after a blank line is another passage.
      else if (line.trim() === '') isInside = false;
      return !isInside;
    })
    .join('\n');
}
