import type { Message, Normalised, Part, Speaker } from './item.ts';
import { AGENTS_HEADING, REMINDER_OF_PROJECT, SURROUNDINGS } from './speaker-marks.ts';
import { head, readUtterances, typedMeanwhile, type Utterance } from './utterances.ts';

/**
 * Who speaks in a message (SPEC 2, section 25): what the client says about it first, its role next,
 * and for the messages of the role `user`, in which programs, hooks and other agents speak as well,
 * the marks that they are known by. Of a message in which several speak it is the user's when any
 * words in it are the user's.
 */
export function speakerOf(message: Message): Speaker {
  const flagged = flaggedSpeaker(message);
  if (flagged !== null) return flagged;
  const speakers = message.parts.flatMap((part) =>
    part.kind === 'text' ? utterancesIn(message, part.text).map(({ speaker }) => speaker) : [],
  );
  if (speakers.includes('user')) return 'user';
  const hasResult = message.parts.some(({ kind }) => kind === 'tool_result');
  if (hasResult) return 'tool';
  if (message.role === 'user' && message.parts.some(({ kind }) => kind === 'image')) return 'user';
  return speakers[0] ?? (message.role === 'user' ? 'user' : 'program');
}

/** What is said in one text of a message, in order, each stretch with who says it. */
export function utterancesIn(message: Message, text: string): Utterance[] {
  const flagged = flaggedSpeaker(message);
  if (flagged !== null) return [{ speaker: flagged, text }];
  if (message.role === 'user') return readUtterances(text);
  const typed = typedMeanwhile(text);
  if (typed !== null) return [{ speaker: 'user', text: typed }];
  const isProject = AGENTS_HEADING.test(text) || REMINDER_OF_PROJECT.test(head(text));
  return [{ speaker: isProject ? 'project_instructions' : 'program', text }];
}

/** The words of the user in a message, without those of anybody else; '' when there are none. */
export function userText(message: Message): string {
  return userTexts(message).join('\n');
}

/** The same, text by text. */
export function userTexts(message: Message): string[] {
  return message.parts
    .flatMap((part) => (part.kind === 'text' ? utterancesIn(message, part.text) : []))
    .flatMap(({ speaker, text }) => (speaker === 'user' ? [text] : []));
}

/** A message in which the user speaks, or shows a picture. */
export function isUserMessage(item: Normalised): item is Message {
  return item.kind === 'message' && speakerOf(item) === 'user' && item.parts.some(isSpoken);
}

/**
 * A message of the role `user` in which the user says or hands over anything, a file too: the model has
 * to answer it, and a turn of the model ends there.
 */
export function endsTurn(item: Normalised): boolean {
  return (
    item.kind === 'message' &&
    item.role === 'user' &&
    item.parts.length > 0 &&
    speakerOf(item) === 'user'
  );
}

/** A message that is the user's from end to end: nobody else says anything in it. */
export function isAllOfUser(message: Message): boolean {
  return message.parts.every(
    (part) =>
      part.kind !== 'tool_result' &&
      (part.kind !== 'text' ||
        utterancesIn(message, part.text).every(
          ({ speaker, text }) => speaker === 'user' && text === part.text,
        )),
  );
}

/** What programs hand over before anything is said: the project's instructions, the surroundings. */
export function isStandingContext(message: Message): boolean {
  const speaker = speakerOf(message);
  if (speaker === 'project_instructions') return true;
  const first = message.parts.find((part) => part.kind === 'text');
  return speaker === 'program' && first?.kind === 'text' && SURROUNDINGS.test(first.text);
}

/** Which of these such a message hands over; none for a message of another sort. */
export function standingKinds(message: Message): ('project_instructions' | 'surroundings')[] {
  if (!isStandingContext(message)) return [];
  const said = message.parts.flatMap((part) =>
    part.kind === 'text' ? utterancesIn(message, part.text) : [],
  );
  return said.flatMap(({ speaker, text }) => {
    if (speaker === 'project_instructions') return [speaker];
    return SURROUNDINGS.test(text) ? ['surroundings'] : [];
  });
}

/** A message of the agent itself: of no subagent, nothing synthetic, no summary, no error text. */
export function isOfAssistant(item: Normalised): item is Message {
  return item.kind === 'message' && speakerOf(item) === 'assistant';
}

function isSpoken({ kind }: Part): boolean {
  return kind === 'text' || kind === 'image';
}

/** Who speaks as far as the client and the role tell; null when the text has to. */
function flaggedSpeaker(message: Message): Speaker | null {
  if (message.speaker !== undefined) return message.speaker;
  if (message.is_compact_summary) return 'summary';
  if (message.agent_id !== undefined) return 'subagent';
  if (message.role === 'assistant') {
    return message.is_meta || message.is_api_error_message ? 'program' : 'assistant';
  }
  return message.is_meta ? speakerOfMeta(message) : null;
}

/** A message that the client calls synthetic is nobody's own; its text may say whose it is. */
function speakerOfMeta({ parts }: Message): Speaker {
  const first = parts.find((part) => part.kind === 'text');
  const speaker = first?.kind === 'text' ? readUtterances(first.text)[0]?.speaker : undefined;
  return speaker === undefined || speaker === 'user' ? 'program' : speaker;
}
