import type { Call, Conversation } from '../conversation.ts';
import { type Edit, editsIn } from '../edits.ts';
import { type UserMessage, userMessages } from '../user-messages.ts';
import { normalised } from '../words.ts';

/** One line of a summary, with the heading that it stands under. */
export type Statement = {
  heading: string;
  /** Without bullet, number and marks around it. */
  text: string;
  /** What it is called before its colon, such as `User, latest request`; '' without one. */
  label: string;
  /** What comes after that; the whole text without one. */
  rest: string;
  /** Whether it begins an entry, and does not go on with one. */
  is_entry: boolean;
};

/** How a statement can contradict the log. */
export const LIES = [
  'count',
  'order',
  'no_result',
  'done_as_next',
  'stale_file',
  'wrong_voice',
] as const;
export type Lie = (typeof LIES)[number];
export type Untrue = { lie: Lie; text: string; why: string };

/** What a statement is checked against. */
export type Log = {
  conversation: Conversation;
  edits: Edit[];
  said: UserMessage[];
  /** The normalised words of the user, and of everybody. */
  of_user: string;
  of_all: string;
  /** The calls that stand beside the summary as they were: it need not count them. */
  kept: readonly Call[];
};

/** What a user says to a program in other ways than in a message: a refusal, an answer, a command. */
const SAID_OTHERWISE = [
  /\bthe user said:\s*([\s\S]+)/i,
  /^(?:User has answered|Your questions have been answered|User responded|User selected):?([\s\S]+)/,
  /^\{"answers":(\{[\s\S]+)\}\s*$/,
  /<command-name>([^<]+)<\/command-name>/,
  /<bash-input>([^<]+)<\/bash-input>/,
];

function saidOtherwise({ passages }: Conversation): string[] {
  return passages
    .filter(({ voice }) => voice === 'user' || voice === 'tool')
    .flatMap(({ text }) => SAID_OTHERWISE.flatMap((pattern) => pattern.exec(text)?.[1] ?? []));
}

/** Reads the log of a conversation. */
export function logOf(conversation: Conversation, kept: readonly Call[]): Log {
  const said = userMessages(conversation);
  const words = [...said.map(({ text }) => text), ...saidOtherwise(conversation)];
  return {
    conversation,
    edits: editsIn(conversation),
    said,
    kept,
    of_user: normalised(words.join('\n\n')),
    of_all: normalised(conversation.passages.map(({ text }) => text).join('\n\n')),
  };
}

const LABEL = /^([A-Z][^:"`|()[\]{}]{1,60}?):\s+(.+)$/;

/** Headings of several forms: marked ones, bold lines, and numbered lines that end with a colon. */
const HEADINGS = [
  /^#{1,6}\s+(.*)$/,
  /^(?:\d{1,2}[.)]\s+)?\*\*([^*]+)\*\*:?\s*$/,
  /^\d{1,2}[.)]\s+([A-Z][^:]{2,60}):\s*$/,
];

/** The statements of a text, in their order. */
export function statementsIn(text: string): Statement[] {
  let heading = '';
  return text.split('\n').flatMap((line): Statement[] => {
    const title = HEADINGS.map((form) => form.exec(line)).find((found) => found !== null);
    if (title?.[1] !== undefined) {
      heading = title[1];
      return [];
    }
    const bullet = /^\s*(?:[-*•>]|\d{1,3}[.)])\s+/;
    const own = line.replace(bullet, '').trim();
    if (own === '') return [];
    const labelled = LABEL.exec(own.replace(/\*\*/g, ''));
    return [
      {
        heading,
        text: own,
        label: labelled?.[1] ?? '',
        is_entry: bullet.test(line) || labelled !== null,
        rest: (labelled?.[2] ?? own).replace(/^["'“]+|["'”]+$/g, ''),
      },
    ];
  });
}

/** The first words of a text, up to where it was shortened; '' when they are too few to tell it. */
export function tellingStart(text: string, characters = 40, fewest = 15): string {
  const whole = text.split(/…|\.\.\./)[0] ?? '';
  const start = normalised(whole).slice(0, characters).trim();
  return start.length < fewest ? '' : start;
}
