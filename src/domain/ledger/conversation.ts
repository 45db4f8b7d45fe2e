import { canonicalJson } from '../canonical-json.ts';
import { tellsError } from '../error-lines.ts';
import type { Message, ToolCall } from '../items/item.ts';
import { type PlainPart, partsBeside, readOpaque } from '../items/opaque.ts';
import { asksUser } from '../items/user-words.ts';
import { isJsonObject, type Json, stringField, stringsOf } from '../json.ts';
import { isFileName, shortPath } from '../names.ts';
import { cleaned, clipEnd, clipMiddle, firstLine, oneLine } from '../text.ts';
import type { FileAction } from '../workspace/action.ts';
import { scriptRunBy } from '../workspace/call-answer.ts';
import { actionsOfPatch, patchIn } from '../workspace/patch.ts';
import { handsInPlan } from '../workspace/plan-tools.ts';
import { PATH_FIELDS } from '../workspace/tool-input.ts';
import { runKindOf, withoutSetUpLines } from './command-line.ts';
import { isSince } from './inherit.ts';
import type { LastSaid, Request } from './ledger.ts';
import { type Done, NOTHING_GIVEN } from './runs.ts';

const LONGEST_SUBJECT = 140;
/** A text in PowerShell that is handed on to what the script is about. */
const HANDED_ON = /^\s{0,20}@(['"])\r?\n[\s\S]*?\n\1@\s{0,20}\|\s{0,20}/;
const MOST_SAID = 200_000;
const LONGEST_TOOL = 100;
const MOST_GIVEN = 8;

/** What a call is about, in one line, and whether it runs tests, a build or a check. */
export function doneBy(call: ToolCall): Done {
  const script = scriptRunBy(call);
  const tool = clipEnd(oneLine(call.name), LONGEST_TOOL);
  const own = subjectOf(call, script);
  const kind = script === null ? null : runKindOf(script);
  const given = own === '' && script === null ? givenTo(call) : null;
  const subject = given === NOTHING_GIVEN ? planIn(call) : own;
  return { tool, subject, script, kind, ...(given !== null && { given }) };
}

/** How the plan begins that a call hands in; '' where it hands in a list. */
function planIn({ input }: ToolCall): string {
  const plan = isJsonObject(input) ? stringField(input, 'plan') : undefined;
  return firstLine(cleaned((plan ?? '').slice(0, 4_000)), LONGEST_SUBJECT);
}

/** The few values that a call was given, the same however they are ordered; null where they are more. */
function givenTo(call: ToolCall): string | null {
  const { input } = call;
  // Another plan is handed in for the same purpose.
  if (handsInPlan(call)) return NOTHING_GIVEN;
  if (!isJsonObject(input)) return null;
  const values = Object.values(input);
  if (values.length > MOST_GIVEN || values.some((one) => one !== null && typeof one === 'object')) {
    return null;
  }
  const given = canonicalJson(input);
  return given.length <= LONGEST_SUBJECT ? given : null;
}

/** The end of a line that says nothing without the next: of a program that is handed a text, or a broken line. */
const OPENS = /(?:<<-? ?(?:'\w{1,40}'|"\w{1,40}"|\w{1,40})|(?: -c| -e) ?["']|\\)[ \t]*$/;
/** What a program begins with and most others do too. */
const BEGINS = /^\s*(?:(?:import|from|use|using|require|set|const|let|var) .*|[#/*"']+.{0,2})?$/;

/** Values that are only named, each on a line of its own. */
const VALUES = /^(?:\w{1,60}=(?:"[^"\n]{0,400}"|'[^'\n]{0,400}'|[^\s"']{0,400})[ \t]*\n\s*){1,12}/;

/** A script without the values in front, whose first line goes on with the first one that says something. */
function opened(script: string): string {
  const own = script.trimStart().replace(VALUES, '');
  const [first = '', ...rest] = own.split('\n', 50);
  if (!OPENS.test(first)) return own;
  const next = rest.find((line) => !BEGINS.test(line)) ?? '';
  return `${first.replace(/\\\s*$/, '').trimEnd()} ${next.trim()}`;
}

/** Fields that say what a tool works on, the most telling first; programs write them in their own ways. */
const SUBJECT_KEYS = [
  ...['pattern', 'query', ...PATH_FIELDS, 'directory_path', 'dir_path', 'url', 'uri'],
  ...['description', 'subject', 'prompt', 'question', 'message', 'name', 'title'],
].map(undivided);

function undivided(key: string): string {
  return key.toLowerCase().replaceAll('_', '');
}

function subjectOf({ input }: ToolCall, script: string | null): string {
  const patch = patchIn(typeof input === 'string' ? input : (script ?? ''));
  if (patch !== undefined) {
    const [first] = actionsOfPatch(patch);
    if (first !== undefined && 'path' in first) return shortPath(first.path);
  }
  if (script !== null) {
    const said = script.slice(0, MOST_SAID).replace(HANDED_ON, '').slice(0, 4_000);
    return firstLine(opened(cleaned(withoutSetUpLines(said))), LONGEST_SUBJECT);
  }
  if (typeof input === 'string') return firstLine(cleaned(input.slice(0, 4_000)), LONGEST_SUBJECT);
  if (!isJsonObject(input)) return '';
  const fields = new Map(Object.entries(input).map(([key, value]) => [undivided(key), value]));
  for (const key of SUBJECT_KEYS) {
    const value = fields.get(key);
    if (typeof value !== 'string' || value.trim() === '') continue;
    return isFileName(value) && !/\s|:\/\//.test(value)
      ? shortPath(value)
      : firstLine(cleaned(value.slice(0, 4_000)), LONGEST_SUBJECT);
  }
  return '';
}

/** What a tool asks the user; '' for other tools. */
export function questionOf(call: ToolCall): string {
  if (!asksUser(call)) return '';
  return stringsOf(call.input).join('\n');
}

/** Whether a message brings calls or results of its own: then no text of it is a command. */
export function hasTools({ parts }: Message): boolean {
  return parts.some(({ kind }) => kind === 'tool_call' || kind === 'tool_result');
}

/** The file whose content, and nothing else, a call has shown. */
export function fileShownBy(actions: readonly FileAction[]): string | undefined {
  const [only, ...others] = actions.flatMap((action) => (action.kind === 'seen' ? [action] : []));
  const isAlone = only !== undefined && others.length === 0 && only.isAmongOthers !== true;
  return isAlone ? shortPath(only.path) : undefined;
}

const MOST_BESIDE = 8;

/** Images, files and audio that a message of the user brings, each kind of one name once, with how many. */
export function givenBeside(message: Message): { notes: string[]; isSpoken: boolean } {
  const given = message.role === 'user' ? partsBeside(message) : [];
  const counts = new Map<string, number>();
  for (const part of given) {
    const note = noteOf(part);
    if (note !== null) counts.set(note, (counts.get(note) ?? 0) + 1);
  }
  const notes = [...counts].map(([note, times]) => (times === 1 ? note : `${times} × ${note}`));
  const more = notes.length - MOST_BESIDE;
  return {
    notes: more > 0 ? [...notes.slice(0, MOST_BESIDE), `${more} more`] : notes,
    isSpoken: given.some(({ kind }) => kind === 'audio'),
  };
}

function noteOf(part: PlainPart): string | null {
  switch (part.kind) {
    case 'image':
      return 'image';
    case 'audio':
      return 'audio';
    case 'file':
      return `file ${clipEnd(oneLine(part.name), LONGEST_TOOL)}`;
    default:
      return null;
  }
}

const GIVEN = /^(?:document|search_result|input_file|file)$/;

/** The texts of documents and search results that a client has put into its messages, and the names of files. */
export function givenTexts(json: Json): string[] {
  if (!isJsonObject(json) || !GIVEN.test(String(json.type))) return [];
  return readOpaque(json).flatMap((one) => {
    if (one.kind === 'text') return [one.text];
    return one.kind === 'file' ? [one.name] : [];
  });
}

/** What the assistant has said last: an agent without tools ends it with its command. */
const LONGEST_SAID = 8_000;
const LONGEST_SAID_BEFORE = 1_200;
/** How it begins says what came of a request. */
const BEGINNING = 600;
const SAID_KEPT = 4;

/**
 * A line that tells no more than that something still goes on: what is said later tells it better. What is
 * still missing or in use, and what waits for the user, is told by no later line.
 */
const ONLY_GOES_ON =
  /^(?:(?:it(?:['’]s| is) |(?:i|we)(?:['’]m|['’]re| am| are) )?still (?:waiting\b|(?:(?:re)?running|(?:re)?building|testing|compiling|installing|committing|merging|finali[sz]ing|finishing|wrapping|working|processing|going|executing|downloading|deploying|thinking)\b(?! (?:on|with|under|against|from|in)\b)|active\b|busy\b|in (?:progress|review|verify|verification)\b|no (?:completion|finish|signal|handoff|output|result|response|answer|update|news)s?\b)|no (?:completion|finish|signal|finish signal|output|change|result|response|answer|update|news|progress)s? yet(?=[.;,!]|$)|(?:(?:i|we)(?:['’]m|['’]re| am| are) )?(?:checking (?=.*\b(?:progress|status|output|again|latest)\b)|waiting (?:for|on|until)\b|polling )|i(?:['’]ll| will) (?:keep (?:waiting|polling|checking|watching|monitoring)|wait(?! with\b)|check (?:again|back))\b)/i;
/** Figures, names, lists, and what the user is to do. */
const SAYS_MORE = /[\d`:]|\byou(?:rs?)?\b/i;
const LONGEST_GOES_ON = 80;

function onlyGoesOn({ text }: LastSaid): boolean {
  const line = text.trim();
  if (line.length > LONGEST_GOES_ON || line.includes('\n')) return false;
  return ONLY_GOES_ON.test(line) && !SAYS_MORE.test(line) && !tellsError(line);
}

/** What the assistant has said since the user spoke last; '' for nothing. */
export function unanswered([last]: readonly LastSaid[], before: Request | undefined): string {
  if (last === undefined) return '';
  return before === undefined || isSince(last, before) ? last.text : '';
}

/** What the assistant has said, the newest first, with this before the others that say more than that it goes on. */
export function withSaid(said: readonly LastSaid[], newest: LastSaid): LastSaid[] {
  const others = said.filter((one) => !onlyGoesOn(one)).slice(0, SAID_KEPT - 1);
  return [
    { ...newest, text: endsOf(newest.text) },
    ...others.map((one) => ({ ...one, text: clipMiddle(one.text, LONGEST_SAID_BEFORE) })),
  ];
}

/** How a long text begins, up to where it shows code, and its end. */
function endsOf(text: string): string {
  if (text.length <= LONGEST_SAID) return text;
  const [beginning = ''] = text.slice(0, BEGINNING).split('```', 1);
  const end = text.slice(beginning.length - LONGEST_SAID);
  return beginning.trim() === '' ? end : `${beginning.replace(/\S*$/, '')}…\n${end}`;
}
