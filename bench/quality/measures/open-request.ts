import type { Candidate } from '../candidate.ts';
import type { Conversation } from '../conversation.ts';
import { ownWords, type UserMessage, userMessages } from '../user-messages.ts';
import { contentWords, opening, placeWithin, type Readable } from '../words.ts';
import { placesOfMessage } from './requests.ts';

/** A message of the user that is not answered; the only one of a session is its first as well. */
export type OpenRequest = UserMessage & { is_only: boolean };

/**
 * The last message of the user that was not answered when the conversation was cut: what came next
 * was the assistant at work, and no new message of the user. Null when nothing was open.
 */
export function openRequest(covered: Conversation, later: Conversation): OpenRequest | null {
  const said = userMessages(covered);
  const last = said.at(-1);
  const next = later.passages.find(
    ({ voice, text }) => voice === 'assistant' || (voice === 'user' && ownWords(text) !== ''),
  );
  if (last === undefined || next === undefined || next.voice !== 'assistant') return null;
  return { ...last, is_only: said.length === 1 };
}

const OPENING = 40;
/** How far before the request the words may stand that name it as the open one, characters. */
const BEFORE = 160;
const REQUEST =
  '\\b[^.#]{0,60}\\b(?:request|message|question|task|instruction|ask|asked|wants?)\\b';
const OPEN =
  'latest|last|newest|most recent|current|open|pending|unanswered|not yet answered|in progress';
const NAMED = new RegExp(`\\b(?:${OPEN})${REQUEST}`);
const NAMED_ONLY = new RegExp(`\\b(?:${OPEN}|first|only|primary)${REQUEST}`);

/**
 * Whether the text names it as such: it stands there with words before it that say so, or it stands as
 * a message of the user, verbatim.
 */
export function isNamedAsOpen(request: OpenRequest, { read, passages }: Candidate): boolean {
  const start = opening(request.text, OPENING);
  const isKept = passages.some(
    ({ voice, text }) => voice === 'user' && opening(ownWords(text), OPENING) === start,
  );
  const named = request.is_only ? NAMED_ONLY : NAMED;
  return (
    isKept ||
    placesOfRequest(request, start, read).some((at) =>
      named.test(read.normal.slice(Math.max(0, at - BEFORE), at)),
    )
  );
}

/** By its opening, or by four fifths of its content words close together. */
function placesOfRequest({ text }: UserMessage, start: string, read: Readable): number[] {
  const places = placesOfMessage(start, read);
  const near =
    contentWords(text).length < 4
      ? null
      : placeWithin(read, text, Math.max(400, text.length * 1.5));
  return near === null ? places : [...places, near];
}
