import { cleaned, clipEnd, clipMiddle, oneLine } from '../text.ts';
import { proposedPlan } from './approved-plan.ts';
import { choicesIn, lettersIn, marksIn } from './choices.ts';
import { isSince } from './inherit.ts';
import type { LastSaid, Request } from './ledger.ts';
import { sentencesOf } from './sentences.ts';

/** The first request says what all of it is about. */
const LONGEST_FIRST = 4_000;
const LONGEST = 800;
/** What stays of an older one where all are too long together. */
const SHORTENED = 160;
/** A reply of no more characters is understood only with what it answers. */
const SHORT = 80;
const ASSENT = 25;
const LONGEST_ANSWERED = 240;
/** A command of the client answers nothing. */
const COMMAND = /^\/[a-z][\w:-]{0,60}(?:\s|$)/i;
/** How an answer begins says what came of a request, and what it leaves open stands at its end. */
const LONGEST_ENDED = 300;
const LONGEST_OPEN = 200;
/** What is still to be done, or was not, as a report of work says it. */
const LEFT_OPEN = new RegExp(
  [
    /^\W{0,4}(?:(?:the|one|two|three|some|a few|only|main|last|known) ){0,2}remaining (?:[\w-]{1,30} ){0,2}(?:work|tasks?|todos?|items?|steps?|backlog|gaps?|issues?|problems?|bugs?|warnings?|errors?|failures?|blockers?|deltas?|differences?|risks?|limits?|limitations?|follow-?ups?|phases?|stories|before|from)\b/,
    /\b(?:still|yet) to (?:do|be done|come)\b|\bremains? (?:to (?:be|do)\b|(?:undone|unfixed)\b|open\b(?! (?:before|for|until|when|while|after)\b)|for (?:later|you|another)\b)/,
    /\bnot (?:yet )?(?:done|updated|implemented|deployed|tested|verified|committed|pushed|released|fixed)\b(?! as\b)|\b(?:was|were|been) not (?:yet )?run\b/,
    /\b(?:did|have|has)(?: not|n['’]t) (?:yet )?(?:been )?(?:updat|implement|deploy|test|verif|commit|push|releas|fix|run|start)\w*/,
    /\bstill (?:open|needs?|pending|missing|fail(?:s|ing)?|uncommitted|broken)\b|\bleft (?:to do|undone|open|for later|out)\b/,
    /^\W{0,4}(?:uncommitted|deferred)\b|\b(?:un(?:committed|staged) (?:changes|edits|files?|work)|(?:are|is|left|sits?|still|modified|now|yours)\b,? un(?:committed|staged))\b/,
    /\bdeferred (?:to|until|for)\b|\b(?:is|are|was|were|been|left|I|we) deferred\b|\boutstanding (?:work|items?|issues?|tasks?|questions?|todos?|changes?)\b|\b(?:still|is|are) outstanding\b/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'i',
);
/** In front of that in the same clause: what may be, has to be, or is not, and what others do. */
const NOT_SAID_SO =
  /\b(?:if|when|once|unless|until|whether|may|might|could|would|can|cannot|must|should(?! (?:note|mention|add|say)\b)|will|any|no|nothing|none|without|he|she)\b(?:(?!\b(?:but|and)\b)[^.;:,—–→])*$/i;
/** A heading says nothing without what stands below it, and a question asks. */
const SAYS_NOTHING = /[:：]\W{0,4}$|[?？]\W{0,4}$/;
const I_HAVE_NOT = /\bI (?:have|did)(?: not|n['’]t)\b/;
const SHORTEST_OPEN = 20;

/** What the user asked for, in order. */
export class Requests {
  private readonly list: Request[];
  /** What of all texts together could be left out by shortening them. */
  characters: number;

  constructor(requests: readonly Request[]) {
    this.list = [...requests];
    this.characters = excessOf(requests);
  }

  /** `before`: what the assistant has said last, or what its tool has asked; '' when nothing. */
  add(words: string, before: string, seq: number): void {
    const text = clipMiddle(cleaned(words), this.list.length === 0 ? LONGEST_FIRST : LONGEST);
    if (text === '') return;
    this.characters += excessOf([{ text }]);
    const isShort = text.length <= SHORT && !COMMAND.test(text);
    const answers = isShort ? answeredBy(text, before) : chosenBy(text, before);
    this.list.push({ seq, last_seq: seq, text, ...(answers !== '' && { answers }) });
  }

  /**
   * What the user has put beside the words of this item, or said without any: it stands in the log alone
   * once the item is summarised.
   */
  addBeside(notes: readonly string[], isSpoken: boolean, seq: number): void {
    if (notes.length === 0) return;
    const last = this.list.at(-1);
    if (last?.seq === seq) {
      const text = `${last.text} [beside it: ${notes.join(', ')}]`;
      this.characters += excessOf([{ text }]) - excessOf([{ text: last.text }]);
      this.list[this.list.length - 1] = { ...last, text };
    } else if (isSpoken) this.add(`[without words: ${notes.join(', ')}]`, '', seq);
  }

  /** What an output says that the user has typed: told as that, since anybody may have printed it. */
  claim(words: string | null, printedBy: string, seq: number): void {
    if (words !== null)
      this.add(`[typed meanwhile, if the output of ${printedBy} is right] ${words}`, '', seq);
  }

  /** What the assistant has said last before the user spoke again. */
  end(said: LastSaid): void {
    const last = this.list.at(-1);
    const ended = endingOf(said.text);
    if (last === undefined || !isSince(said, last) || ended === '') return;
    this.list[this.list.length - 1] = { ...last, ended: { seq: said.seq, text: ended } };
    this.characters += ended.length - (last.ended?.text.length ?? 0);
  }

  get size(): number {
    return this.list.length;
  }

  facts(): Request[] {
    return this.list;
  }
}

/**
 * What a short reply answers: the numbered proposal that it names, else the last question, else the
 * last line where the reply is no more than a word or two.
 */
export function answeredBy(reply: string, before: string): string {
  const all = cleaned(before).split('\n').map(oneLine);
  const lines = all.filter(saysSomething);
  const named = clipEnd(choicesIn(lines, marksIn(reply), reply), LONGEST_ANSWERED);
  if (named !== '') return named;
  const prose = outsideFences(all).filter(saysSomething);
  const asked = prose
    .filter((line) => !ANSWERED_BELOW.test(line))
    .map(lastQuestion)
    .findLast((question) => question !== null);
  // Only a word or two goes on from what was said, whatever it was.
  const last = reply.length <= ASSENT ? (titleOfPlan(before) ?? lines.at(-1) ?? '') : '';
  return clipEnd(asked ?? last, LONGEST_ANSWERED);
}

/** A heading that asks what the text below it tells, and not the user. */
const ANSWERED_BELOW =
  /^#{1,6} \W{0,12}(?:why|how|what)\b(?!.{0,200}\b(?:you|shall|should|next|do (?:we|I)))/i;

/** What a longer reply has chosen by its letter; '' where it names none. */
function chosenBy(reply: string, before: string): string {
  const letters = lettersIn(reply);
  if (letters.length === 0) return '';
  const lines = cleaned(before).split('\n').map(oneLine).filter(saysSomething);
  return clipEnd(choicesIn(lines, letters, reply), LONGEST_ANSWERED);
}

/** How a plan begins that was proposed. */
function titleOfPlan(before: string): string | undefined {
  return proposedPlan(before)?.split('\n').map(oneLine).find(saysSomething);
}

/** A tag alone on its line is a frame. */
function saysSomething(line: string): boolean {
  return /[\p{L}\p{N}]/u.test(line) && !/^<\/?[\w:-]{1,60}>$/.test(line);
}

/** A line of backticks that no other ones close. */
const FENCE = /^```(?!.*```)/;

/**
 * The lines that stand in no fence. Where the beginning was cut off the first one that is left may be the
 * end of a block: it names no language, and no other one closes it.
 */
function outsideFences(lines: readonly string[]): string[] {
  const fences = lines.filter((line) => FENCE.test(line));
  let isInside = fences.length % 2 === 1 && fences[0] === '```';
  return lines.filter((line) => {
    const isFence = FENCE.test(line);
    if (isFence) isInside = !isInside;
    return !isFence && !isInside;
  });
}

/** What is no prose: code, and addresses, which may have a question mark before their fields. */
const NO_PROSE =
  /`(?!(?:[^`\s]{1,40} ){2}[^`]{0,400}\p{L}\?`)[^`]{1,400}`|https?:\/\/[!-~]{0,2000}[\w/=&%#]/gu;
/** Not within a word, an address, a pattern or an operator; emphasis and tags may follow. */
const ASKS = /(?<!\()\?(?!_*[a-z\d]|[=&%{$?]|\.[\w[]|\/|<(?!\/|br)|-\w)|[？؟]/gi;

/** The last question of a line; null when it asks nothing. */
function lastQuestion(line: string): string | null {
  const prose = line.replace(NO_PROSE, (found) => ' '.repeat(found.length));
  const end = [...prose.matchAll(ASKS)].at(-1)?.index;
  if (end === undefined) return null;
  const before = line.slice(0, end).split(/(?<=[.!?]["')\]]{0,3}) +(?=\S)|(?<=[。！？؟।])/);
  const last = `${before.at(-1) ?? ''}${line.charAt(end)}`.trim();
  // By itself the other choice would stand for what was agreed to.
  const first = OTHER_CHOICE.test(last) ? (before.at(-2) ?? '') : '';
  return /\?["')\]*_]{0,3}$/.test(first) ? `${first} ${last}` : last;
}

/** How an answer begins, and, where that does not say so yet, what it leaves open. */
function endingOf(said: string): string {
  const all = oneLine(cleaned(said));
  if (all.length <= LONGEST_ENDED) return all;
  const open = sentencesOf(said).findLast(leavesOpen);
  const beginning = clipEnd(all, LONGEST_ENDED - Math.min(open?.length ?? 0, LONGEST_OPEN));
  if (open === undefined || all.slice(0, beginning.length).includes(open)) {
    return clipEnd(all, LONGEST_ENDED);
  }
  return `${beginning} ${clipEnd(open, LONGEST_OPEN)}`;
}

function leavesOpen(sentence: string): boolean {
  if (sentence.length < SHORTEST_OPEN) return false;
  if (SAYS_NOTHING.test(sentence) && !I_HAVE_NOT.test(sentence)) return false;
  const at = LEFT_OPEN.exec(sentence)?.index;
  return at !== undefined && !NOT_SAID_SO.test(sentence.slice(0, at));
}

/** "Shall I commit it? Or wait?" asks one question. */
const OTHER_CHOICE = /^(?:or|oder|ou|или|або|albo|veya)\s/i;

/** Characters that could be left out of these by shortening them. */
export function excessOf(requests: readonly Pick<Request, 'text' | 'ended'>[]): number {
  return requests.reduce(
    (sum, { text, ended }) =>
      sum + Math.max(0, text.length - SHORTENED) + (ended?.text.length ?? 0),
    0,
  );
}

/** A request by its beginning alone. */
export function shortenedRequest({ ended: _, ...request }: Request): Request {
  return { ...request, text: clipEnd(request.text, SHORTENED) };
}
