import { extractNames } from '../names.ts';
import { remembering, rememberingLast } from '../remember.ts';
import { bothEnds, oneLine } from '../text.ts';

/** Characters of one text that are looked at. */
const LOOKED_AT = 40_000;
const SHORTEST = 12;
const LONGEST = 400;
/** What is not to be done takes two words; "Don't see." and "Always null" order nothing. */
const SHORT_ORDER =
  /^(?:always|never|don['’]t|do not) (?:amend|ask|assume|benchmark|commit|comment|delete|deploy|document|explain|force|format|guess|hardcode|improvise|install|lie|lint|log|merge|mock|overwrite|paraphrase|publish|push|rebase|refactor|release|remove|rename|reset|reformat|skip|squash|stash|stub|summari[sz]e|test|translate|truncate|upgrade)[.!]?$/i;

/** The frames of notes and reports, and ends of lines in Markdown. */
const TAG = /<(\/?)([a-z][\w-]{0,60})>/gi;
const ENDS_LINE = /^(?:br|hr|p|li|div)$/i;

/**
 * The sentences of a text in prose: without code, JSON, what a printed error says that a value must be,
 * tables and headings, list marks taken off. Sentences end at a full stop before a capital or a letter of
 * a script without capitals, at the signs of other scripts, and with their line, unless an editor has
 * broken it.
 */
export const sentencesOf = rememberingLast((text: string): readonly string[] => {
  const sentences: string[] = [];
  const prose = withoutData(bothEnds(text, LOOKED_AT));
  for (const line of unwrapped(withoutFrames(prose).split('\n'))) {
    const isError = PRINTED_ERROR.test(line);
    const own = isError ? line.replace(JSON_TO_END, '') : line;
    for (const part of ENDS_SENTENCE.test(own) ? partsOf(own) : [own]) {
      const sentence = oneLine(part).replace(/^(?:[-*>•]|\d{1,2}[.)]) /, '');
      if (isError && isOfValue(sentence)) continue;
      if (isProse(sentence)) sentences.push(sentence);
    }
  }
  return sentences;
});

/** Whether it is of what somebody in a story says: a quote begins in front of it, or is not closed in it. */
export function isSpeech(sentence: string): boolean {
  const [straight, open, closed] = [/"/g, /“/g, /”/g].map(
    (sign) => sentence.match(sign)?.length ?? 0,
  );
  return /^[\s*_]{0,4}["“]/.test(sentence) || (straight ?? 0) % 2 === 1 || open !== closed;
}

/** Lines of their own for what stands in tags. One on its way through a line that nothing closes stands for a name. */
function withoutFrames(prose: string): string {
  const closed = new Set<string>();
  for (const [, slash, name = ''] of prose.matchAll(TAG)) if (slash === '/') closed.add(name);
  return prose.replace(TAG, (tag, slash: string, name: string, at: number) => {
    const isFrame =
      slash === '/' || ENDS_LINE.test(name) || (closed.has(name) && !isNamed(prose, tag, at));
    return isFrame || opensLine(prose, at) ? '\n' : tag;
  });
}

/** Whether a sentence goes on behind a tag that it names, as in "what the <issue> says". */
function isNamed(prose: string, tag: string, at: number): boolean {
  const end = at + tag.length;
  return (
    /[\p{L},] $/u.test(prose.slice(Math.max(0, at - 2), at)) &&
    /^ \p{Ll}/u.test(prose.slice(end, end + 3))
  );
}

/** Characters in front of a tag that are looked at: marks of a list or a quote, and blanks. */
const LONGEST_INDENT = 20;

function opensLine(text: string, at: number): boolean {
  return /(?:^|\n)[\s>*-]{0,20}$/.test(text.slice(Math.max(0, at - LONGEST_INDENT), at));
}

const PRINTED_ERROR =
  /^[ \t>]{0,20}(?:Uncaught (?:\(in promise\) )?)?(?:[A-Za-z_$][\w$]{0,60}\.){0,8}(?:[A-Z]\w{0,60})?(?:Error|Exception)(?: \[\w{1,60}\])?: /;
/** What a server has answered stands behind the name of the error. */
const JSON_TO_END = /\{\s?"[\w.$-]{1,80}"\s?:.*$/;
/** What an error says that a value must be, in so few words that it can be no more. */
const OF_VALUE =
  /(?:^|[:\]] )(?:the )?\S{1,60}(?: \S{1,60}){0,2} (?:(?:must|should|has to|needs to) (?:not )?be (?:(?:an?|of type|one of|either|in (?:the )?range|greater|less|more|at (?:least|most)|between) |(?:null|empty|undefined|positive|negative|non-?\w{1,20})\b)|(?:is|are) required\W{0,3}$)/i;
/** What nobody says of a value. */
const ASKS_READER = /\b(?:never|always|do not|don['’]?t|please|you|your|we|our)\b/i;

/** Whether a sentence behind the name of an error says no more than what a value must be. */
function isOfValue(sentence: string): boolean {
  return OF_VALUE.test(sentence) && !ASKS_READER.test(sentence);
}

const ENDS_SENTENCE = /[.!?。！？؟।॥۔]/;
const BETWEEN_SENTENCES = /(?<=[.!?]["')\]]?) +(?=[\p{Lu}\p{Lo}`"'*[(])|(?<=[。！？؟।॥۔])/u;

/** Words whose full stop ends no sentence, at the end of a part. */
const ABBREVIATED = /(?:^|[\s(])(?:e\.g|i\.e|vs|cf|z\. ?B|d\. ?h|bzw|p\. ?ex)\.$/i;
const LONGEST_ABBREVIATED = 8;

/** The sentences of a line; one with an abbreviation in it stays whole unless that makes it too long. */
function partsOf(line: string): string[] {
  const parts: string[] = [];
  for (const part of line.split(BETWEEN_SENTENCES)) {
    const last = parts.at(-1) ?? '';
    const isOne = ABBREVIATED.test(last.slice(-LONGEST_ABBREVIATED));
    if (isOne && last.length + part.length < LONGEST) parts.push(`${parts.pop()} ${part}`);
    else parts.push(part);
  }
  return parts;
}

/** Shorter lines are ended by whoever writes them, longer ones by no editor. */
const SHORTEST_WRAPPED = 60;
const LONGEST_WRAPPED = 130;
/** A page breaks its lines at a width that differs from line to line in characters. */
const FILLED = 0.85;
/** One line that is as long as the longest says nothing: it may be the longest. */
const FEWEST_BREAKS = 2;

/**
 * The lines, with those put together that an editor, a mail program or a page has broken: where the
 * next one goes on in small letters, and its first word had found no room, or no sentence ends so. What
 * would be too long for a sentence stays apart.
 */
function unwrapped(lines: readonly string[]): readonly string[] {
  let width = 0;
  for (const { length } of lines) {
    if (length <= LONGEST_WRAPPED) width = Math.max(width, length);
  }
  const isBroken = lines.map((line, at) => goesOn(lines[at - 1] ?? '', line, width * FILLED));
  const breaks = isBroken.filter(Boolean).length;
  const isCut = lines.map((line, at) => isOpen(lines[at - 1] ?? '', line));
  const hasCut = isCut.includes(true);
  const isWrapped = width >= SHORTEST_WRAPPED && (breaks >= FEWEST_BREAKS || hasCut);
  if (!isWrapped && !hasCut) return lines;
  const joined: string[] = [];
  let isPart = false;
  lines.forEach((line, at) => {
    const last = joined.at(-1);
    const words = line.replace(QUOTED, '').trim();
    // Behind a line that was broken also a short one is, and else whoever writes may have ended it.
    isPart = isCut[at] === true || ((isWrapped || isPart) && isBroken[at] === true);
    if (isPart && last !== undefined && openWords(last) + words.length < LONGEST) {
      joined[joined.length - 1] = `${last} ${words}`;
    } else {
      joined.push(line);
    }
  });
  return joined;
}

const OPEN_END = /^\s*[^\s#|].*[\p{L}\p{N},'"’”)\]`–—-]\s*$/u;
const CONTINUES =
  /^\s*[`"'“‘(]?(?!(?:always|never|please|do not|don['’]t|make sure|ensure)\b)\p{Ll}/u;

/** The mark of a line that an answer to a mail quotes. */
const QUOTED = /^\s{0,8}>\s{0,4}/;
/** Words that no sentence ends with; of those that a short question may, as in "what is it for", none. */
const OPEN_WORD =
  /(?:^|\s)(?:an?|and|any|don['’]t|every|if|into|my|never|always|of|or|our|should|must|the|their|unless|until|when|which|without|your)\s*$/i;
/** A quote that begins in the line, and one that ends in it. */
const OPEN_QUOTE = /^[^"]*(?:"[^"]*"[^"]*)*(?<![\p{L}\p{N}])"[^"]*$/u;
const CLOSED_QUOTE = /^[^"]*[\p{L}\p{N}.,!?]"(?![\p{L}\p{N}])/u;
const LIST_ITEM = /^\s*(?:[-*•]|\d{1,2}[.)]) /;

/** Whether a line ends in the midst of a sentence or a quote, or in a point whose next line is indented. */
function isOpen(before: string, line: string): boolean {
  if (!CONTINUES.test(line.replace(QUOTED, ''))) return false;
  if (OPEN_WORD.test(before) || (OPEN_QUOTE.test(before) && CLOSED_QUOTE.test(line))) return true;
  return LIST_ITEM.test(before) && /^ {2}/.test(line) && OPEN_END.test(before);
}

function goesOn(before: string, line: string, width: number): boolean {
  if (before.length > LONGEST_WRAPPED || !CONTINUES.test(line) || !OPEN_END.test(before))
    return false;
  const words = line.trimStart();
  return before.trimEnd().length + 1 + words.search(/\s|$/) > width;
}

/** Characters after the last sentence that has ended, near enough. */
function openWords(line: string): number {
  const ended = Math.max(line.lastIndexOf('. '), line.lastIndexOf('? '), line.lastIndexOf('! '));
  return line.length - ended;
}

function isProse(sentence: string): boolean {
  if (sentence.length > LONGEST || !/^[\p{L}\p{N}`*"'“‘([]/u.test(sentence)) return false;
  // Scripts without spaces say in four signs what others say in twelve.
  return (
    sentence.length >= SHORTEST ||
    SHORT_ORDER.test(sentence) ||
    /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{4}/.test(sentence)
  );
}

/** JSON that was pasted: what is said in it was said elsewhere. */
const JSON_LINE = /^\s*(?:[[{]\s*)+"[^"\n]{1,200}"\s*:|^\s*"[\w.$-]{1,80}"\s*:\s*["[{\d]/;

/** A line of code outside of a fence: a call or an assignment from end to end, or an opening of its own. */
const CODE_LINE =
  /^\s*(?:(?:await |return |throw |new )*[\w$.]{1,80}\(.{0,400}\)[;,:{]{0,2}|(?:(?:const|let|var|final|static|val) )?[\w$.[\]"']{1,60} ?(?::=|[-+*/|?]{0,2}=) ?(?![=>]).{0,400}[;)\]}"'{(,]|(?:if|for|while|switch|catch) ?\(.{0,400}[){};]|(?:def|fn|func|function) \w{1,60}\(.{0,400}|from \S{1,100} import .{1,200}|import [\w{*].{0,200}['";]|#include .{1,100})\s*$/;

/** A line of a log: behind a time, a level, or a place in a stack. */
const LOG_LINE =
  /^\s*(?:\[?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d|\[?\d\d:\d\d:\d\d[\]., ]|\[(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL)\] |(?:TRACE|DEBUG|INFO) (?!(?:lines?|messages?|logs?|level|and|or|is|must|should)\b)|at (?:async |new )?[\w$.<>]{1,200}(?: \[as [\w$.-]{1,80}\])? ?\([^)\n]{0,200}(?::\d|Native Method|Unknown Source)|> Task :|npm (?:ERR!|warn|error) )/;

/** What compilers and linters say of a place, and programs of how they were called and go on. */
const DIAGNOSTIC_LINE =
  /^\s*(?:[\w./\\@:[\]-]{1,300}(?::\d{1,7}|\(\d{1,7},\d{1,7}\)):?(?: -)? (?:fatal )?(?:error|warning|note)\b|\d{1,7}:\d{1,7} +(?:error|warning) |[\w.-]{1,60}: error: |\[nodemon\] )/;

/** The same behind the name of its container. */
const CONTAINER_LINE = /^\s*[\w./@-]{1,80} {1,40}\| /;
/** What stands in quotes or brackets. */
const ASIDE = /"[^"\n]{0,400}"|'[^'\n]{0,400}'|`[^`\n]{0,400}`|\([^()\n]{0,400}\)/g;
/** Words by which somebody asks for something, whatever the line looks like. */
const ASKS_FOR =
  /(?:^|\s)(?:must|never|always|should|do not|don['’]t|needs? to|may not)\s+\p{L}{2,}/iu;

function isData(line: string): boolean {
  if (JSON_LINE.test(line) || LOG_LINE.test(line) || DIAGNOSTIC_LINE.test(line)) return true;
  const looksSo = CODE_LINE.test(line) || CONTAINER_LINE.test(line);
  return looksSo && !ASKS_FOR.test(line.replace(ASIDE, ' '));
}

/** A text without what stands between lines of three backticks, and without lines of JSON, code and logs. */
function withoutData(text: string): string {
  let isInside = false;
  return text
    .split('\n')
    .filter((line) => {
      if (!line.trimStart().startsWith('```')) return !isInside && !isData(line);
      isInside = !isInside;
      return false;
    })
    .join('\n');
}

const WORD = /[\p{L}\p{N}_]{4,40}/gu;
const SIGNS = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{2}/g;

/** What a fact is about: its words of four letters and more, in lower case, or pairs of signs. */
export const subjectOf = remembering(({ text }: { text: string }): ReadonlySet<string> => {
  const lower = text.toLowerCase();
  return new Set([...(lower.match(WORD) ?? []), ...(lower.match(SIGNS) ?? [])].slice(0, 80));
});

/** Whether at least this share (above 0) of the words of two sentences stands in both. */
export function areAlike(
  one: ReadonlySet<string>,
  other: ReadonlySet<string>,
  share: number,
): boolean {
  const [fewer, more] = one.size <= other.size ? [one, other] : [other, one];
  // Were all of the fewer words in both, it would be too little still.
  if (fewer.size < more.size * share) return false;
  let both = 0;
  for (const word of fewer) if (more.has(word)) both++;
  const all = one.size + other.size - both;
  return all > 0 && both / all >= share;
}

/** Whether a sentence names something: a name, a figure, or words in quotes. */
export function namesSomething(sentence: string): boolean {
  return /\d|[`"“«][^`"”»]{2,}[`"”»]/.test(sentence) || extractNames(sentence).length > 0;
}
