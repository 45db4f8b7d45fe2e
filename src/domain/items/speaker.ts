import { calledCommand } from './called-command.ts';
import { summaryBehindHead } from './chat-openings.ts';
import {
  AGENT_TASK,
  type Message,
  type Normalised,
  type Part,
  type Speaker,
  type Utterance,
} from './item.ts';
import { textsOfFiles } from './referenced-files.ts';
import { SURROUNDINGS } from './speaker-marks.ts';
import { endsResult, type OpenResult, openedBy, resultSaid } from './speaker-results.ts';
import { saidBySystem } from './system-notes.ts';
import { withoutCitations, withoutThoughts } from './thoughts.ts';
import { readUtterances } from './utterances.ts';

/**
 * Who speaks in a message (SPEC 2, section 25): what the client says about it first, its role next,
 * and for the messages of the role `user`, in which programs, hooks and other agents speak as well,
 * the marks that they are known by. Of a message in which several speak it is the user's when any
 * words in it are the user's.
 */
export function speakerOf(message: Message): Speaker {
  const flagged = flaggedSpeaker(message);
  if (flagged !== null) return flagged;
  const { parts: read } = readParts(message);
  const speakers = read.flatMap(({ said }) => said.map(({ speaker }) => speaker));
  if (speakers.includes('user')) return 'user';
  const hasResult = message.parts.some(({ kind }) => kind === 'tool_result');
  if (hasResult) return 'tool';
  if (message.role === 'user' && read.some(({ isShown }) => isShown)) return 'user';
  return speakers[0] ?? (message.role === 'user' ? 'user' : 'program');
}

/** What is said in each part of a message, in order, each stretch with who says it. */
export function utterancesOf(message: Message): Utterance[][] {
  const flagged = flaggedSpeaker(message);
  return flagged === null
    ? readParts(message).parts.map(({ said }) => said)
    : message.parts.map((part) =>
        part.kind === 'text' ? [{ speaker: flagged, text: wordsOf(flagged, part.text) }] : [],
      );
}

function wordsOf(speaker: Speaker, text: string): string {
  return speaker === 'assistant' ? withoutThoughts(withoutCitations(text)) : text;
}

/** Whether the texts of another message would be taken for a result if they stood in this one, too. */
export function leavesResultOpen(message: Message): boolean {
  return (
    message.role === 'user' && flaggedSpeaker(message) === null && readParts(message).open !== null
  );
}

/** `isShown`: a picture that the user shows, and no tool. */
type ReadPart = { said: Utterance[]; isShown: boolean };

/** Who speaks in the parts of a message of which neither the client nor the role tells it. */
function readParts({ role, parts }: Message): { parts: ReadPart[]; open: OpenResult | null } {
  const read: ReadPart[] = [];
  let open: OpenResult | null = null;
  let command: string | null = null;
  const files = role === 'user' ? textsOfFiles(parts) : null;
  for (const [place, part] of parts.entries()) {
    if (files !== null && part.kind === 'text' && place >= files.first && place <= files.last) {
      read.push({ said: [{ speaker: 'tool', text: part.text }], isShown: false });
      continue;
    }
    const before: OpenResult | null = open;
    const isOfCommand = command !== null;
    command = role === 'user' && part.kind === 'text' ? calledCommand(part.text) : null;
    if (part.kind !== 'text') {
      if (before?.kind === 'one' || part.kind === 'tool_result') open = null;
      read.push({ said: [], isShown: part.kind === 'image' && before?.kind !== 'results' });
    } else if (role !== 'user') {
      read.push({ said: saidBySystem(part.text), isShown: false });
    } else if (before?.kind === 'results' && !endsResult(part.text)) {
      read.push({ said: resultSaid(part.text, before.heading), isShown: false });
    } else {
      const { text } = part;
      const said = isOfCommand ? saidByCommand(text) : readUtterances(text);
      const isResult = before?.kind === 'one' && said.some(({ speaker }) => speaker === 'user');
      read.push({ said: isResult ? [{ speaker: 'tool', text }] : said, isShown: false });
      open = openedBy(text);
    }
  }
  return { parts: read, open };
}

/** What a command says that was called just before: it may begin as the user's words do. */
function saidByCommand(text: string): Utterance[] {
  return readUtterances(text).map((one) =>
    one.speaker === 'user' ? { ...one, speaker: 'program' } : one,
  );
}

/** The words of the user in a message, without those of anybody else; '' when there are none. */
export function userText(message: Message): string {
  return userTexts(message).join('\n');
}

/** The same, text by text. */
export function userTexts(message: Message): string[] {
  return utterancesOf(message)
    .flat()
    .flatMap(({ speaker, text }) => (speaker === 'user' ? [text] : []));
}

/** A message in which the user speaks, or shows a picture. */
export function isUserMessage(item: Normalised): item is Message {
  return item.kind === 'message' && speakerOf(item) === 'user' && item.parts.some(isSpoken);
}

/** Whether another agent says in it what this one is to do. */
export function isAgentTask(item: Normalised): boolean {
  return item.kind === 'message' && item.told_as === AGENT_TASK;
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
  const said = utterancesOf(message);
  return message.parts.every(
    (part, index) =>
      part.kind !== 'tool_result' &&
      (part.kind !== 'text' ||
        said[index]?.every(({ speaker, text }) => speaker === 'user' && text === part.text) ===
          true),
  );
}

/** What programs hand over before anything is said: the project's instructions, the surroundings. */
export function isStandingContext(message: Message): boolean {
  const speaker = speakerOf(message);
  if (speaker === 'project_instructions') return true;
  const first = message.parts.find((part) => part.kind === 'text');
  return speaker === 'program' && first?.kind === 'text' && SURROUNDINGS.test(first.text);
}

/** A message of the role `user` that is nothing but what its program reminds the agent of. */
export function isReminder(item: Normalised): item is Message {
  return (
    item.kind === 'message' &&
    item.role === 'user' &&
    !item.is_meta &&
    // First: who speaks in a message costs more, and most are none.
    item.parts.every((part) => part.kind === 'text' && REMINDER.test(part.text)) &&
    speakerOf(item) === 'program'
  );
}

const REMINDER = /^\s*<system-reminder>/;

/** Which of these such a message hands over; none for a message of another sort. */
export function standingKinds(message: Message): ('project_instructions' | 'surroundings')[] {
  if (!isStandingContext(message)) return [];
  return utterancesOf(message)
    .flat()
    .flatMap(({ speaker, text }) => {
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
  if (message.agent_id !== undefined || isNamedAsAgent(message)) return 'subagent';
  if (message.role === 'assistant') {
    const isOwn = !message.is_meta && !message.is_api_error_message && !isFiller(message);
    if (!isOwn) return 'program';
    return isSummaryOfAgent(message) ? 'summary' : 'assistant';
  }
  return message.is_meta ? speakerOfMeta(message) : null;
}

/**
 * Teams of agents tell each what the others say as messages of the user, who has a name then, too. Only
 * what no person is called tells an agent: in a chat of several people their names stand there. Nor is one
 * told by a name that its user may stand behind, or whoever sets its tasks: `user_proxy_agent`, `executor`.
 */
function isNamedAsAgent({ role, name }: Message): boolean {
  if (role !== 'user' || name === undefined) return false;
  const last = /(?:[A-Z]|(?<![A-Za-z])[a-z])[a-z]*$/.exec(name.replace(/_?\d{1,3}$/, ''))?.[0];
  return last !== undefined && CALLED_AGENT.has(last.toLowerCase());
}

const CALLED_AGENT: ReadonlySet<string> = new Set([
  'assistant',
  'critic',
  'expert',
  'surfer',
  'terminal',
]);

/** Hermes lets the agent say it where the user's turn would stand twice. */
function isSummaryOfAgent({ parts: [first] }: Message): boolean {
  return first?.kind === 'text' && summaryBehindHead(first.text) !== null;
}

/** What Claude Code puts in place of an answer that the user has broken off. */
const FILLER = 'No response requested.';

function isFiller({ parts: [first, ...others] }: Message): boolean {
  if (first?.kind !== 'text' || others.length > 0) return false;
  return first.text.length < 2 * FILLER.length && first.text.trim() === FILLER;
}

/** A message that the client calls synthetic is nobody's own; its text may say whose it is. */
function speakerOfMeta({ parts }: Message): Speaker {
  const first = parts.find((part) => part.kind === 'text');
  const speaker = first?.kind === 'text' ? readUtterances(first.text)[0]?.speaker : undefined;
  return speaker === undefined || speaker === 'user' ? 'program' : speaker;
}
