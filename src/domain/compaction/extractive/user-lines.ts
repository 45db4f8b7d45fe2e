import { withoutQuestions } from '../../items/user-words.ts';
import { isExperience, startsStanding } from '../../ledger/constraints.ts';
import { isSince } from '../../ledger/inherit.ts';
import type { Constraint, Ledger, Request } from '../../ledger/ledger.ts';
import { changedBy } from '../../ledger/newer-rules.ts';
import { clipEnd, clipMiddle, oneLine, safeSlice } from '../../text.ts';
import { LABELS, newerLabel } from './labels.ts';
import { isAfterCut, type Ledgers } from './ledgers.ts';
import { inOrder, type Line, type Tellings } from './line.ts';

const TOLD_WHOLE = 200;
const LENGTHS = [TOLD_WHOLE, 500, 1_200, 1_800, 2_400, 3_200, 4_000];

/** What all of it is about. */
export function firstTellings({ covered }: Ledgers): Tellings {
  const [first] = covered.requests;
  const { inherited } = covered;
  return LENGTHS.map(
    (most) => () =>
      inOrder([
        ...(inherited === null ? [] : [LABELS.inherited + clipMiddle(inherited.text, 4 * most)]),
        ...(first === undefined ? [] : [LABELS.first_request + clipMiddle(first.text, most)]),
      ]),
  );
}

/** It stands among the messages as well, where there is room for it. */
const LONGEST_BEFORE = 1_200;

/** What the user wants now. What came after the cut stands in the context as it was said. */
export function latestTellings({ covered, standing }: Ledgers): Tellings {
  const latest = standing.requests.at(-1);
  if (latest === undefined || standing.requests.length < 2) return [];
  const before = requestBefore(standing.requests);
  const isBelow = before !== undefined && isAfterCut(before, covered);
  const earlier = (most: number) =>
    before === undefined || isBelow
      ? []
      : [LABELS.request_before + clipMiddle(oneLine(before.text), Math.min(most, LONGEST_BEFORE))];
  if (isAfterCut(latest, covered)) {
    const below = `${LABELS.latest_request}it stands verbatim below`;
    return LENGTHS.map((most) => () => inOrder([...earlier(most), below]));
  }
  const own = (most: number) =>
    LABELS.latest_request + withAnswered(latest, standing.requests.at(-2), most, 120);
  return LENGTHS.map((most) => () => [
    ...inOrder(earlier(most)),
    { text: own(most), worth: 1, isNeeded: true },
  ]);
}

/**
 * The request that is worked on besides the latest: what a mere reply goes on with, and what the assistant
 * had not come to the end of when the user spoke again. The first is told anyway.
 */
function requestBefore(requests: readonly Request[]): Request | undefined {
  const earlier = requests.slice(0, -1);
  const latest = requests.at(-1);
  const isOver = earlier.at(-1)?.ended !== undefined;
  if (latest === undefined || (isOver && !isMereReply(latest))) return undefined;
  const before = earlier.findLastIndex((request) => !isMereReply(request));
  return before > 0 ? requests[before] : undefined;
}

/** A longer answer to a question asks for something by itself. */
const LONGEST_REPLY = 40;

function isMereReply({ text, answers }: Request): boolean {
  return answers !== undefined && text.length <= LONGEST_REPLY;
}

/** At least so much of each message that it can be known by; then so much that it says something. */
const SHORTEST_OPENING = 46;
const OPENINGS = [SHORTEST_OPENING, 64, 80, 100, 130, 170, 220, 300, 400, 800];
/** With so much of each message, what came of it is worth more than more of it. */
const ENDING_FROM = 100;
/** What "done" answers, said for the tenth time, is worth less than so much of what the user asked for. */
const AGAIN_FROM = 130;
/** Where not all of that fits, so much of each message may still fit. */
const ALONE_TO = 170;
/** What came of the newest request that was answered says where the work stands: it is told whole. */
const NEWEST_ENDED = 500;

/** All messages of the user in their order. */
export function messageTellings({ covered, standing }: Ledgers): Tellings {
  const { requests } = covered;
  const latest = standing.requests.at(-1);
  const last = requests.length - 1;
  const ended = requests.findLastIndex((request) => request.ended !== undefined);
  // The first stands in full, and so does the last one unless a later one is told of in its place.
  const isLatestTold = latest !== undefined && !isAfterCut(latest, covered);
  const isTold = (place: number) => place === 0 || (place === last && isLatestTold);
  if (requests.every((_, place) => isTold(place))) return [];
  const lengths = requests.map(({ text }) => text.length).sort((a, b) => a - b);
  const median = lengths[Math.floor(lengths.length / 2)] ?? 0;
  const hasEndings = covered.calls > 0 && requests.some(({ ended }) => ended !== undefined);
  const alone = OPENINGS.filter((most) => !hasEndings || most <= ALONE_TO);
  const both = OPENINGS.filter((most) => hasEndings && most >= ENDING_FROM);
  const levels: Level[] = [
    ...alone.map((most) => ({ most, isEnded: false })),
    ...both.map((most) => ({ most, isEnded: true })),
  ];
  const isAgain = repeated(requests);
  const linesOf = ({ most, isEnded }: Level, isAgainBare: boolean): Line[] =>
    requests.map((request, place) => {
      const length = isTold(place) ? SHORTEST_OPENING : most;
      const isBare = isAgainBare && isAgain[place] === true && place !== last;
      const answered = isBare ? 0 : Math.max(60, most / 3);
      const said = withAnswered(request, requests[place - 1], length, answered);
      const mostEnded = place === ended ? NEWEST_ENDED : most;
      const text = LABELS.message + said + (isEnded ? endingOf(request, mostEnded) : '');
      // The newest and the first, and of the others the longer half: a short one is often a mere reply.
      const isEnd = place === 0 || place === last;
      const isLong = request.text.length >= median;
      const worth = isEnd ? 2 : spread(place) + (isLong ? 1 : 0);
      return { text, worth, about: request.text };
    });
  const ofLevel = (level: Level) => linesOf(level, !level.isEnded && level.most < AGAIN_FROM);
  const shortest = lengthOf(linesOf({ most: SHORTEST_OPENING, isEnded: false }, false));
  return withoutFewer(levels, ofLevel, shortest).map((level) => () => ofLevel(level));
}

type Level = { most: number; isEnded: boolean };

/** The levels from the last one on that takes no more than so many characters. */
function withoutFewer(
  levels: readonly Level[],
  linesOf: (level: Level) => readonly Line[],
  length: number,
): readonly Level[] {
  const tooLong = levels.findIndex((level, at) => at > 0 && lengthOf(linesOf(level)) > length);
  return tooLong < 0 ? levels : levels.slice(tooLong - 1);
}

function lengthOf(lines: readonly Line[]): number {
  return lines.reduce((sum, { text }) => sum + text.length, 0);
}

/** Of each request, whether the same was said before. */
function repeated(requests: readonly Request[]): boolean[] {
  const said = new Set<string>();
  return requests.map(({ text }) => {
    const isAgain = said.has(text.toLowerCase());
    said.add(text.toLowerCase());
    return isAgain;
  });
}

function endingOf({ ended }: Request, most: number): string {
  if (ended === undefined) return '';
  return `\nthe assistant at its end: ${clipEnd(ended.text, most)}`;
}

const GOLDEN_RATIO = (Math.sqrt(5) - 1) / 2;

/** Numbers from 0 to 1 of which those above any bound lie evenly among the places. */
function spread(place: number): number {
  return (place * GOLDEN_RATIO) % 1;
}

/** What a reply answers stands on a line of its own: these are not the user's words. */
function withAnswered(
  { text, answers }: Request,
  before: Request | undefined,
  most: number,
  mostAnswered: number,
): string {
  const whole = oneLine(text);
  const given = oneLine(withoutQuestions(text));
  // Where not both fit, what the user has chosen says more than what was to choose.
  const said =
    given !== whole && whole.length > most
      ? clipEnd(`${given}, asked ${whole}`, most)
      : ownWords(whole, oneLine(before?.text ?? ''), most);
  return answers === undefined || mostAnswered === 0
    ? said
    : `${said}\nanswers: ${clipEnd(oneLine(answers), mostAnswered)}`;
}

/** Characters before the first that differs, which say what it is about. */
const LEADING = 12;

/** Stands in a long message, where it differs from the one before without saying how. */
const LEFT_OUT = / … \[\d{1,9} characters left out\] … /;

function isLeftOut(text: string, at: number): boolean {
  const mark = LEFT_OUT.exec(text);
  return mark !== null && at >= mark.index && at < mark.index + mark[0].length;
}

/**
 * As much of a message as there is room for: its beginning, or, where an application puts the same
 * words before each message of its user, the end of what is its own.
 */
function ownWords(text: string, before: string, most: number): string {
  if (text.length <= most) return text;
  let start = 0;
  while (start < before.length && text[start] === before[start]) start++;
  if (start < most || start === text.length || isLeftOut(text, start)) return clipEnd(text, most);
  let same = 0;
  const longest = Math.min(text.length, before.length) - start;
  while (same < longest && text.at(-1 - same) === before.at(-1 - same)) same++;
  const end = text.length - same;
  const own = safeSlice(text, Math.max(start - LEADING, end - most), end);
  return `…${own.replace(/^\S{0,10}\s/, '').trim()}`;
}

/** What has to hold, verbatim: what was said for good first, then what the tasks require. */
export function constraintTellings({ covered, standing: whole, verbatim }: Ledgers): Tellings {
  const valid = covered.constraints.filter(
    ({ superseded_by, is_withdrawn }) => superseded_by === undefined || is_withdrawn === true,
  );
  // Most instructions stand beside the summary as they are.
  const project = valid.filter(
    ({ by, text }) =>
      by === 'project_instructions' && !verbatim.some((one) => one.includes(text.slice(0, 60))),
  );
  const ofUser = valid.filter(({ by }) => by === 'user');
  const older = changedBy(ofUser);
  const standing = ofUser.filter(({ is_standing }) => is_standing);
  // What the first request says stands there in its own words; the one before the latest may have no place.
  const [first] = covered.requests;
  const told = first === undefined || first.text.length > TOLD_WHOLE ? '' : oneLine(first.text);
  const isTold = (text: string) => told.includes(text) && !isExperience(text);
  const required = ofUser.filter(({ is_standing, text }) => !is_standing && !isTold(text));
  // Of the task at hand there is a place for all, however little room there is.
  const since = requestBefore(whole.requests) ?? whole.requests.at(-1);
  const isOfTask = (one: Constraint) => since !== undefined && isSince(one, since);
  const least = new Set([...standing, ...required.filter((one) => isOfTask(one) && isShort(one))]);
  const texts = (list: readonly Constraint[]) =>
    list.map(
      (one, place): Line => ({
        text: labelOf(one, isOfTask(one), older.get(one)) + clipEnd(one.text, 400),
        worth: worthOf(one) + place / 1_000,
      }),
    );
  const level = (ofProject: number, ofTasks: number) => () => {
    const told = new Set([...least, ...required.filter(isShort).slice(-ofTasks)]);
    // In the order in which it was said.
    return texts([
      ...project.slice(project.length - Math.min(project.length, ofProject)),
      ...ofUser.filter((one) => told.has(one)),
    ]);
  };
  return [
    () => texts(standing),
    () => texts(ofUser.filter((one) => least.has(one))),
    ...[level(0, 10), level(8, 20), level(20, 40), level(60, 200)],
  ];
}

/** An instruction begins with what it is about, and is short; a story has such words on its way. */
function worthOf({ text, by, is_standing }: Constraint): number {
  const isTold = by === 'user' && is_standing ? 2 : 0;
  return isTold + (text.length <= 160 ? 1 : 0) + (startsStanding(text) ? 2 : 0);
}

function isShort({ text }: Constraint): boolean {
  return text.length <= (isExperience(text) ? 300 : 200);
}

function labelOf(
  { seq, by, is_standing, text, superseded_by }: Constraint,
  isOfTask: boolean,
  older: Constraint | undefined,
): string {
  if (superseded_by !== undefined)
    return `User, withdrawn in item ${superseded_by} (said in item ${seq}): `;
  if (by === 'project_instructions') return LABELS.project;
  if (isExperience(text) && !is_standing) return LABELS.experience;
  const asked = isOfTask ? LABELS.required : LABELS.required_before;
  return newerLabel(is_standing ? LABELS.constraint : asked, older?.text);
}

/** Words about a figure without the signs that their sentence goes on. */
function uncut(text: string): string {
  return text.replace(/^… /, '').replace(/ …$/, '');
}

/** Addresses, commits, versions and figures that were named, the newest last. */
export function exactTellings({ artifacts }: Ledger): Tellings {
  return [2, 8, 16, 32].map((most) => () => {
    const told = artifacts.slice(-most).map(({ kind, value, context }) => {
      const isBare = kind !== 'number' && kind !== 'version' && kind !== 'port';
      return { isBare, text: isBare ? value : context };
    });
    // Two figures of one sentence have much the same words about them.
    const own = told.flatMap(({ text, isBare }, at) => {
      const isAgain = told.some(
        (other, of) =>
          !other.isBare &&
          of !== at &&
          other.text.includes(uncut(text)) &&
          (other.text !== text || of > at),
      );
      return isAgain && !isBare ? [] : [text];
    });
    return own.length === 0 ? [] : [{ text: LABELS.exact + own.join('; '), worth: 0 }];
  });
}
