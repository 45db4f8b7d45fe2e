import { chatEnding } from './chat-endings.ts';
import { QUEUED } from './chat-openings.ts';
import { commandTemplateAt } from './command-templates.ts';
import { endOfFence } from './fenced-output.ts';
import type { Speaker, Utterance } from './item.ts';
import { isFile, withoutReferencedFiles } from './referenced-files.ts';
import {
  AFTER_TYPED,
  AGENTS_HEADING,
  COMMANDS_WITH_WORD,
  NOTICE_OF_OTHERS,
  PROGRAM_COMMANDS,
  REMINDER_OF_HOOK,
  REMINDER_OF_PROJECT,
  SHELL_PROMPT,
  SHELL_TASK,
  TAG_MARKS,
  TAG_SIGNS,
  TYPED_MEANWHILE,
} from './speaker-marks.ts';
import { hasOpening, INTERRUPTED, OPENINGS, PREAMBLES } from './speaker-openings.ts';
import { resultHeading, resultSaid } from './speaker-results.ts';
import { skipSpace, type TagPlace, TagPlaces } from './tag-places.ts';
import { TEAM_TAG, teamMessages } from './team-messages.ts';

/** The tags that are looked for; the last one stands below a heading only. */
const TAG_NAMES: ReadonlySet<string> = new Set([...TAG_MARKS.keys(), 'instructions']);

/** No client puts more marks before the user's words; a text of nothing else is not read to its end. */
const MOST_MARKS = 1_000;

/**
 * Takes a text apart: what programs have put before the user's words, the words, and what has been
 * put after them. Marks in the middle are quoted. Linear in the length of the text.
 */
export function readUtterances(text: string): Utterance[] {
  return read(text, false);
}

/** `isQueued`: a message out of a queue, which holds no other. */
function read(text: string, isQueued: boolean): Utterance[] {
  const places = new TagPlaces(text, TAG_NAMES);
  const before: Utterance[] = [];
  let end = text.trimEnd().length;
  let at = skipSpace(text, 0);
  let last: { open: TagPlace; said: number } | null = null;
  for (let marks = 0; at < end && marks < MOST_MARKS; marks++) {
    const found = markAt(text, at, end, places, isQueued);
    if (found === null) break;
    last = found.block === undefined ? null : { open: found.block, said: before.length };
    for (const said of found.said) before.push(said);
    at = skipSpace(text, found.end);
  }
  const after: Utterance[] = [];
  while (at < end) {
    const from =
      blockBefore(text, at, end, places) ??
      noticeBefore(text, at, end) ??
      chatBefore(text, at, end);
    if (from === null) break;
    for (const said of 'name' in from ? blockSaid(text, from, end) : from.said) after.push(said);
    end = at + text.slice(at, from.at).trimEnd().length;
  }
  // What is left ends in a closing tag that no tag opens: the block before holds one of its own, as a
  // file does that speaks of such blocks.
  const surplus = at < end ? places.closingAt(end) : null;
  if (last !== null && surplus?.name === last.open.name && places.opening(surplus) === null) {
    before.splice(
      last.said,
      before.length,
      ...blockSaid(text, { ...last.open, inside: surplus.at }, end),
    );
    at = end;
  }
  const own = at < end ? withoutReferencedFiles(text.slice(at, end)) : [];
  // Where nobody else speaks the words stay as they are, white space included.
  if (before.length + after.length === 0 && own.length === 1 && own[0]?.speaker === 'user') {
    return [{ speaker: 'user', text }];
  }
  const said = [...before, ...own, ...after.reverse()];
  // Who hands over a file without a word means what it says.
  const isOnlyFiles = said.length > 0 && said.every(isFile);
  return isOnlyFiles ? [{ speaker: 'user', text }] : said;
}

/** A skill that the user has called in pi, which puts its text in place of the command. */
const CALLED_SKILL = /^<skill\s[^<>]*\bname="([^"<>\n]{1,100})"[^<>]*\blocation=/i;

/** `block`: the tag that opened it, of a block that a program has written. */
type Found = { said: Utterance[]; end: number; block?: TagPlace };

/** What a program has put at this place; null when the user's words begin here. */
function markAt(
  text: string,
  at: number,
  end: number,
  places: TagPlaces,
  isQueued: boolean,
): Found | null {
  if (text[at] === '<' && text[at + 1] !== '<') return tagAt(text, at, end, places);
  const start = text.slice(at, at + 1_000);
  const heading = AGENTS_HEADING.exec(start);
  if (heading !== null) {
    const open = places.at(skipSpace(text, at + heading[0].length));
    const close = open?.name === 'instructions' ? places.closing(open) : null;
    const to = Math.min(close?.end ?? end, end);
    return { said: [{ speaker: 'project_instructions', text: text.slice(at, to) }], end: to };
  }
  if (hasOpening(start)) {
    const opened = openedAt(text, at, end, { start, isQueued });
    if (opened !== null) return opened;
  }
  const call = resultHeading(text, at);
  if (call !== null) {
    const content = resultSaid(text.slice(at + call.length, end), call);
    return { said: [{ speaker: 'tool', text: call }, ...content], end };
  }
  const isPrompt = SHELL_PROMPT.test(text.slice(Math.max(at, end - 1_500), end));
  if (isPrompt && endsInPrompt(text, end) && !SHELL_TASK.test(start)) {
    return upTo(text, at, end, 'tool');
  }
  const typed = typedMeanwhile(text.slice(at, end));
  if (typed !== null) return { said: [{ speaker: 'user', text: typed }], end };
  if (isProgramCommand(text.slice(at, Math.min(end, at + 200)), end - at)) {
    return upTo(text, at, end, 'program');
  }
  const command = commandTemplateAt(text, at, end);
  if (command !== null) return { said: command, end };
  const preamble = PREAMBLES.find(({ opening }) => opening.test(start));
  if (preamble === undefined) return null;
  const request = preamble.request.exec(text.slice(at, end));
  if (request !== null) {
    return upTo(text, at, at + request.index + request[0].length, 'program');
  }
  return preamble.isAlone ? upTo(text, at, end, 'program') : null;
}

/** What a program has put here that begins like one of the openings; `start`: of the text from here on. */
function openedAt(
  text: string,
  at: number,
  end: number,
  { start, isQueued }: { start: string; isQueued: boolean },
): Found | null {
  for (const [pattern, speaker, extent = 'rest'] of OPENINGS) {
    const opening = pattern.exec(start);
    if (opening === null) continue;
    const mark = at + opening[0].length;
    if (extent instanceof RegExp) {
      const last = extent.exec(text.slice(mark, end));
      return upTo(text, at, last === null ? end : mark + last.index + last[0].length, speaker);
    }
    if (typeof extent === 'object') return quotedAt(text, mark, end, extent.quotesTo);
    switch (extent) {
      case 'rest':
        return upTo(text, at, end, speaker);
      case 'line':
        return upTo(text, at, endOfLine(text, at, end), speaker);
      case 'mark':
        return upTo(text, at, Math.min(end, mark), speaker);
      case 'fence':
        return upTo(text, at, endOfFence(text, mark, end, speaker === 'tool'), speaker);
      case 'result':
        return { said: resultSaid(text.slice(at, end), ''), end };
      case 'skill':
        return skillAt(text, at, end, opening[1] ?? '');
      case 'queue': {
        const [title = '', ...messages] = isQueued
          ? [opening[0]]
          : text.slice(at, end).split(QUEUED);
        const said = messages.flatMap((message) => read(message, true));
        return { said: [{ speaker, text: title }, ...said], end: isQueued ? mark : end };
      }
      default:
        extent satisfies never;
    }
  }
  return null;
}

function quotedAt(text: string, from: number, end: number, sign: string): Found {
  const close = text.indexOf(sign, from);
  const to = close < 0 ? end : Math.min(close, end);
  const words: Utterance = { speaker: 'user', text: text.slice(from, to).trim() };
  return { said: [words], end: Math.min(end, to + sign.length) };
}

const WITH_SKILL =
  '\nThe user has provided the following instruction alongside the skill invocation: ';

/** A skill that the user has called in Hermes, or several, whose texts it puts in place of the command. */
function skillAt(text: string, at: number, end: number, name: string): Found {
  const words = text.indexOf(WITH_SKILL, at);
  if (words >= 0 && words < end) return upTo(text, at, words + WITH_SKILL.length, 'program');
  const skills = text.indexOf('\n\n[Loaded as part of ', at);
  const [, given = `/${name}`] = text.slice(at, Math.max(at, skills)).split('\nUser instruction: ');
  const { said } = upTo(text, at, end, 'program');
  return { said: [{ speaker: 'user', text: given }, ...said], end };
}

function upTo(text: string, at: number, end: number, speaker: Speaker): Found {
  return { said: [{ speaker, text: text.slice(at, end) }], end };
}

function endOfLine(text: string, at: number, end: number): number {
  const line = text.indexOf('\n', at);
  return line < 0 ? end : Math.min(line, end);
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
  const mark = open === null ? undefined : TAG_MARKS.get(open.name);
  if (open === null || mark === undefined || !hasSign(open, text)) return null;
  // Codex opens a block in one text and closes it in another, with a picture between them.
  if (open.isClosing) {
    const isAlone = mark.extent === 'block' && skipSpace(text, 0) === at && open.end === end;
    return isAlone ? upTo(text, at, end, mark.speaker) : null;
  }
  if (open.name === TEAM_TAG) return { said: teamMessages(text, at, end, places), end };
  if (mark.extent === 'whole') {
    return {
      said: [{ speaker: reporter(open, mark.speaker, text), text: text.slice(at, end) }],
      end,
    };
  }
  if (open.name === 'command-message' || open.name === 'command-name') {
    return commandAt(text, at, end, places);
  }
  if (mark.extent === 'observation') {
    const last = text.lastIndexOf('</output', end);
    const to = last < at ? end : Math.min(end, text.indexOf('>', last) + 1 || end);
    return { said: [{ speaker: mark.speaker, text: text.slice(at, to) }], end: to };
  }
  const close = mark.extent === 'output' ? places.lastClosing(open) : places.closing(open);
  const to = Math.min(close?.end ?? end, end);
  if (mark.extent === 'wrapper') {
    const words = text.slice(open.end, close?.at ?? end).trim();
    return { said: words === '' ? [] : [{ speaker: 'user', text: words }], end: to };
  }
  const said = blockSaid(text, { ...open, inside: close?.at ?? end }, to);
  const called = open.name === 'skill' ? CALLED_SKILL.exec(text.slice(at, at + 1_000))?.[1] : null;
  // Words that follow say themselves what is wanted.
  if (called && skipSpace(text, to) >= end)
    said.unshift({ speaker: 'user', text: `/skill:${called}` });
  return { said, end: to, block: open };
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
  if (close === null || (mark?.extent !== 'block' && mark?.extent !== 'output')) return null;
  // A closing tag too many is one of what stands inside, such as a file.
  const open = places.opening(close) ?? places.firstOpening(close, from);
  if (open === null || open.at < from || !hasSign(open, text)) return null;
  return beginsLine(text, from, open.at) ? { ...open, inside: close.at } : null;
}

/** The notice of an interruption that ends here on a line of its own; null when none does. */
function noticeBefore(text: string, from: number, end: number): (Found & { at: number }) | null {
  const line = text.slice(Math.max(from, end - 200), end).lastIndexOf('\n[');
  if (line < 0) return null;
  const at = Math.max(from, end - 200) + line + 1;
  const notice = text.slice(at, end);
  if (INTERRUPTED.exec(notice)?.[0] !== notice) return null;
  return { at, end, said: [{ speaker: 'program', text: notice }] };
}

/** What OpenClaw or Hermes tells below a message, where it ends here; null where nothing of it does. */
function chatBefore(text: string, from: number, end: number): (Found & { at: number }) | null {
  const at = chatEnding(text, from, end);
  return at === null
    ? null
    : { at, end, said: [{ speaker: 'program', text: text.slice(at, end) }] };
}

function beginsLine(text: string, from: number, at: number): boolean {
  const before = text.slice(Math.max(from, at - 200), at);
  return before.slice(before.lastIndexOf('\n') + 1).trim() === '';
}

/** A block of a program; some hold what the user has typed, a hook says or the project demands. */
function blockSaid(text: string, block: Block, end: number): Utterance[] {
  const mark = TAG_MARKS.get(block.name);
  const whole = { speaker: mark?.speaker ?? 'program', text: text.slice(block.at, end) };
  if (block.name !== 'system-reminder') return [whole];
  const inside = text.slice(block.end, block.inside).trim();
  const typed = typedMeanwhile(inside);
  if (typed !== null) return [{ speaker: 'user', text: typed }];
  const notice = noticeOfOthers(inside);
  if (notice !== null) return notice;
  if (REMINDER_OF_HOOK.test(inside)) return [{ ...whole, speaker: 'hook' }];
  return REMINDER_OF_PROJECT.test(head(inside))
    ? [{ ...whole, speaker: 'project_instructions' }]
    : [whole];
}

/** What a task in the background or another agent says, without the warning before it; null where none speaks. */
export function noticeOfOthers(text: string): Utterance[] | null {
  const notice = NOTICE_OF_OTHERS.exec(text);
  return notice === null ? null : readUtterances(text.slice(notice[0].length));
}

/** What the user typed while the agent was working, out of the sentences around it; else null. */
export function typedMeanwhile(text: string): string | null {
  const opening = TYPED_MEANWHILE.exec(text);
  if (opening === null) return null;
  const words = text.slice(opening[0].length);
  const after = AFTER_TYPED.exec(words);
  return (after === null ? words : words.slice(0, after.index)).trim();
}

export function head(text: string): string {
  return text.slice(0, 2_000);
}
