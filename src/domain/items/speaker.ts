import type { Message, Normalised, Part, Speaker } from './item.ts';
import {
  AFTER_TYPED,
  AGENTS_HEADING,
  COMMANDS_WITH_WORD,
  EDITOR_CONTEXT,
  EDITOR_REQUEST,
  OPENINGS,
  PROGRAM_COMMANDS,
  REMINDER_OF_HOOK,
  REMINDER_OF_PROJECT,
  SHELL_PROMPT,
  SHELL_TASK,
  SURROUNDINGS,
  TAG_MARKS,
  TAG_SIGNS,
  TYPED_MEANWHILE,
} from './speaker-marks.ts';
import { type TagPlace, TagPlaces } from './tag-places.ts';

/** The tags that are looked for; the last one stands below a heading only. */
const TAG_NAMES: ReadonlySet<string> = new Set([...TAG_MARKS.keys(), 'instructions']);

/** What one speaker says in a text. */
export type Utterance = { speaker: Speaker; text: string };

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
  if (message.role === 'user') return read(text);
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
  const speaker = first?.kind === 'text' ? read(first.text)[0]?.speaker : undefined;
  return speaker === undefined || speaker === 'user' ? 'program' : speaker;
}

/**
 * Takes a text apart: what programs have put before the user's words, the words, and what has been
 * put after them. Marks in the middle are quoted. Linear in the length of the text.
 */
function read(text: string): Utterance[] {
  const places = new TagPlaces(text, TAG_NAMES);
  const before: Utterance[] = [];
  let end = text.trimEnd().length;
  let at = skipSpace(text, 0);
  while (at < end) {
    const found = markAt(text, at, end, places);
    if (found === null) break;
    before.push(...found.said);
    at = skipSpace(text, found.end);
  }
  const after: Utterance[] = [];
  while (at < end) {
    const from = blockBefore(text, at, end, places);
    if (from === null) break;
    after.push(...blockSaid(text, from, end));
    end = at + text.slice(at, from.at).trimEnd().length;
  }
  // Where nobody else speaks the words stay as they are, white space included.
  if (before.length === 0 && after.length === 0 && at < end) return [{ speaker: 'user', text }];
  const own: Utterance[] = at < end ? [{ speaker: 'user', text: text.slice(at, end) }] : [];
  return [...before, ...own, ...after.reverse()];
}

type Found = { said: Utterance[]; end: number };

/** What a program has put at this place; null when the user's words begin here. */
function markAt(text: string, at: number, end: number, places: TagPlaces): Found | null {
  if (text[at] === '<') return tagAt(text, at, end, places);
  const start = text.slice(at, at + 1_000);
  const heading = AGENTS_HEADING.exec(start);
  if (heading !== null) {
    const open = places.at(skipSpace(text, at + heading[0].length));
    const close = open?.name === 'instructions' ? places.closing(open) : null;
    const to = Math.min(close?.end ?? end, end);
    return { said: [{ speaker: 'project_instructions', text: text.slice(at, to) }], end: to };
  }
  const rest = (speaker: Speaker): Found => ({
    said: [{ speaker, text: text.slice(at, end) }],
    end,
  });
  for (const [pattern, speaker] of OPENINGS) if (pattern.test(start)) return rest(speaker);
  const isPrompt = SHELL_PROMPT.test(text.slice(Math.max(at, end - 1_500), end));
  if (isPrompt && endsInPrompt(text, end) && !SHELL_TASK.test(start)) {
    return rest('tool');
  }
  const typed = typedMeanwhile(text.slice(at, end));
  if (typed !== null) return { said: [{ speaker: 'user', text: typed }], end };
  if (isProgramCommand(text.slice(at, Math.min(end, at + 200)), end - at)) return rest('program');
  if (!EDITOR_CONTEXT.test(start)) return null;
  const request = EDITOR_REQUEST.exec(text.slice(at, end));
  if (request === null) return null;
  const from = at + request.index + request[0].length;
  return { said: [{ speaker: 'program', text: text.slice(at, from) }], end: from };
}

function endsInPrompt(text: string, end: number): boolean {
  return /\n(?:bash-\$|\(Interactive session: [^\n]{0,200}\)|\(Current directory: [^\n]{0,500}\))\s*(?:\nbash-\$)?$/.test(
    text.slice(Math.max(0, end - 1_000), end),
  );
}

function isProgramCommand(start: string, length: number): boolean {
  const command = /^\/([a-z][a-z-]{1,30})(?:[ \t]+(\S{1,60}))?$/.exec(start.trimEnd());
  if (command === null || length > 200) return false;
  const [, name = '', word] = command;
  if (!PROGRAM_COMMANDS.has(name)) return false;
  return word === undefined || COMMANDS_WITH_WORD.has(name);
}

function tagAt(text: string, at: number, end: number, places: TagPlaces): Found | null {
  const open = places.at(at);
  if (open === null || open.isClosing) return null;
  const mark = TAG_MARKS.get(open.name);
  if (mark === undefined || !hasSign(open, text)) return null;
  if (mark.extent === 'whole') {
    return {
      said: [{ speaker: reporter(open, mark.speaker, text), text: text.slice(at, end) }],
      end,
    };
  }
  if (open.name === 'command-message' || open.name === 'command-name') {
    return commandAt(text, at, end, places);
  }
  const close = places.closing(open);
  const to = Math.min(close?.end ?? end, end);
  if (mark.extent === 'wrapper') {
    const words = text.slice(open.end, close?.at ?? end).trim();
    return { said: words === '' ? [] : [{ speaker: 'user', text: words }], end: to };
  }
  return { said: blockSaid(text, { ...open, inside: close?.at ?? end }, to), end: to };
}

function hasSign({ name, at }: TagPlace, text: string): boolean {
  const sign = TAG_SIGNS.get(name);
  return sign === undefined || sign.test(text.slice(at, at + 1_000));
}

/** Claude Code reports of commands in the background in the same way as of agents. */
function reporter({ name, at }: TagPlace, speaker: Speaker, text: string): Speaker {
  if (name !== 'task-notification') return speaker;
  const start = text.slice(at, at + 2_000);
  return /<summary>\s*(?:Background command|Monitor|Shell)\b/i.test(start) ? 'tool' : speaker;
}

/**
 * A slash command as Claude Code writes it: with a prompt of its own, which is the user's request, or
 * for the program itself, when the name stands first and no words for the agent follow.
 */
function commandAt(text: string, at: number, end: number, places: TagPlaces): Found {
  const fields = new Map<string, string>();
  let first = '';
  let to = at;
  for (let next = at; next < end; next = skipSpace(text, to)) {
    const open = places.at(next);
    if (open === null || open.isClosing || !open.name.startsWith('command-')) break;
    if (fields.has(open.name)) break;
    if (first === '') first = open.name;
    const close = places.closing(open);
    fields.set(open.name, text.slice(open.end, close?.at ?? end).trim());
    to = Math.min(close?.end ?? end, end);
  }
  const name = fields.get('command-name') ?? `/${fields.get('command-message') ?? ''}`;
  const args = fields.get('command-args') ?? '';
  const bare = name.replace(/^\//, '');
  const isForProgram =
    bare === 'compact' || PROGRAM_COMMANDS.has(bare) || (args === '' && first === 'command-name');
  const said: Utterance = isForProgram
    ? { speaker: 'program', text: text.slice(at, to) }
    : { speaker: 'user', text: `${name} ${args}`.trim() };
  return { said: [said], end: Math.max(to, at + 1) };
}

type Block = TagPlace & { inside: number };

/** The block that ends here and begins a line; null when none does. */
function blockBefore(text: string, from: number, end: number, places: TagPlaces): Block | null {
  const close = places.closingAt(end);
  const mark = close === null ? undefined : TAG_MARKS.get(close.name);
  if (close === null || mark?.extent !== 'block') return null;
  const open = places.opening(close);
  if (open === null || open.at < from || !hasSign(open, text)) return null;
  const before = text.slice(Math.max(from, open.at - 200), open.at);
  const beginsLine = before.slice(before.lastIndexOf('\n') + 1).trim() === '';
  return beginsLine ? { ...open, inside: close.at } : null;
}

/** A block of a program; some hold what the user has typed, a hook says or the project demands. */
function blockSaid(text: string, block: Block, end: number): Utterance[] {
  const mark = TAG_MARKS.get(block.name);
  const whole = { speaker: mark?.speaker ?? 'program', text: text.slice(block.at, end) };
  if (block.name !== 'system-reminder') return [whole];
  const inside = text.slice(block.end, block.inside).trim();
  const typed = typedMeanwhile(inside);
  if (typed !== null) return [{ speaker: 'user', text: typed }];
  if (REMINDER_OF_HOOK.test(inside)) return [{ ...whole, speaker: 'hook' }];
  return REMINDER_OF_PROJECT.test(head(inside))
    ? [{ ...whole, speaker: 'project_instructions' }]
    : [whole];
}

/** What the user typed while the agent was working, out of the sentences around it; else null. */
function typedMeanwhile(text: string): string | null {
  const opening = TYPED_MEANWHILE.exec(text);
  if (opening === null) return null;
  const words = text.slice(opening[0].length);
  const after = AFTER_TYPED.exec(words);
  return (after === null ? words : words.slice(0, after.index)).trim();
}

function head(text: string): string {
  return text.slice(0, 2_000);
}

function skipSpace(text: string, from: number): number {
  const space = /\S/g;
  space.lastIndex = from;
  return space.exec(text)?.index ?? text.length;
}
