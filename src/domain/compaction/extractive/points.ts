import { errorPoints, named, toolPoints } from './call-points.ts';
import { LABELS } from './earlier.ts';
import type { Facts, Other } from './facts.ts';
import { filePoints } from './file-points.ts';
import type { Topic } from './headings.ts';
import type { Point, Points } from './point.ts';
import { decisionPoints, lastIntention } from './statements.ts';
import { cleaned, clipEnd, clipMiddle, oneLine } from './text.ts';

const MAX_MESSAGES = 200;
/** Characters of an earlier point that are taken on, so that a chain of summaries does not grow. */
const MAX_CARRIED = 400;
const MAX_MESSAGE = 4_000;
/** How many of the assistant's last texts show the current work. */
const LAST_TEXTS = 4;
/** Characters from which a text of the assistant is a report and not a passing note. */
const TELLING_LENGTH = 200;

/** Everything that a summary could tell, by topic, most important first. */
export function collectPoints(facts: Facts): Points {
  const intention = lastIntention(facts.assistant);
  const points: Points = new Map();
  points.set('request', requestPoints(facts));
  points.set('messages', messagePoints(facts));
  points.set('files', filePoints(facts.files));
  points.set('errors', [...errorPoints(facts), ...carried(facts, 'errors')]);
  points.set('decisions', [
    ...decisionPoints(facts.assistant, intention),
    ...carried(facts, 'decisions'),
  ]);
  points.set('tools', [...toolPoints(facts), ...saidByOthers(facts, ['subagent', 'hook'])]);
  points.set('concepts', [
    ...saidByOthers(facts, ['project_instructions']),
    ...carried(facts, 'concepts'),
  ]);
  points.set('todos', orCarried(facts, 'todos', todoPoints(facts)));
  points.set('current', orCarried(facts, 'current', currentPoints(facts)));
  points.set('next', orCarried(facts, 'next', nextPoints(facts, intention)));
  return points;
}

const MAX_OTHERS = 20;
const MAX_OTHER = 300;

/** What others said, under their own names and newest first: their words are not the user's. */
function saidByOthers(facts: Facts, speakers: readonly Other[]): Point[] {
  const points = facts.others
    .filter(({ speaker }) => speakers.includes(speaker))
    .map(({ text, speaker, index }) => ({
      text: LABELS[speaker] + clipMiddle(oneLine(withoutTags(text)), MAX_OTHER),
      place: index,
    }));
  return points.toReversed().slice(0, MAX_OTHERS);
}

/** The frames of reports say nothing to a reader. */
function withoutTags(text: string): string {
  return text.replace(/<\/?[a-z][\w-]{0,60}(?:\s[^<>]{0,300})?>/gi, ' ');
}

/** Points of the earlier summary on a topic, placed before all newer ones. */
function carried(facts: Facts, topic: Topic): Point[] {
  const earlier = facts.earlier?.points.get(topic) ?? [];
  return earlier.map((text, i) => ({ text: fromEarlier(text), place: i - earlier.length }));
}

function orCarried(facts: Facts, topic: Topic, points: Point[]): Point[] {
  return points.length > 0 ? points : carried(facts, topic);
}

function fromEarlier(text: string): string {
  const isLabelled = Object.values(LABELS).some((label) => text.startsWith(label));
  return clipMiddle(isLabelled ? text : LABELS.earlier + text, MAX_CARRIED);
}

function requestPoints(facts: Facts): Point[] {
  const points: Point[] = [];
  const { first, latest } = requests(facts);
  if (latest !== undefined) points.push({ text: LABELS.latest_request + latest, place: 2 });
  if (first !== undefined) points.push({ text: LABELS.first_request + first, place: 0 });
  const told = (facts.earlier?.points.get('request') ?? [])
    .filter((text) => !text.startsWith(LABELS.first_request))
    .map((text) => text.replace(LABELS.earlier, ''));
  const prose = [...told, facts.earlier?.prose ?? ''].join('\n').trim();
  if (prose !== '') {
    points.push({ text: LABELS.earlier + clipMiddle(oneLine(prose), 3 * MAX_CARRIED), place: 1 });
  }
  return points;
}

/** The first request of the whole session and the latest one of the covered part. */
function requests(facts: Facts): { first: string | undefined; latest: string | undefined } {
  const earlierFirst = facts.earlier?.points
    .get('request')
    ?.find((text) => text.startsWith(LABELS.first_request));
  const newest = facts.user.at(-1)?.text;
  const first = earlierFirst?.slice(LABELS.first_request.length) ?? earlierOr(facts);
  const latest = newest === first ? undefined : newest;
  return { first: clipped(first), latest: clipped(latest) };
}

/** Behind a model's summary the first message is not the session's first request. */
function earlierOr(facts: Facts): string | undefined {
  return facts.earlier === null ? facts.user[0]?.text : undefined;
}

function clipped(text: string | undefined): string | undefined {
  return text === undefined ? undefined : clipMiddle(text, MAX_MESSAGE);
}

function messagePoints(facts: Facts): Point[] {
  const { first, latest } = requests(facts);
  const earlier = (facts.earlier?.points.get('messages') ?? []).map((text) =>
    clipMiddle(
      text.replace(/^User(?:, latest request)?: /, '').replace(/^"(.*)"$/s, '$1'),
      MAX_CARRIED,
    ),
  );
  const texts = [...earlier, ...facts.user.map((said) => clipMiddle(said.text, MAX_MESSAGE))];
  const shown = new Set([first, latest]);
  const points: Point[] = [];
  texts.forEach((text, place) => {
    if (text === '' || shown.has(text)) return;
    shown.add(text);
    points.push({ text: LABELS.message + text, place });
  });
  return newestAndFirst(points).slice(0, MAX_MESSAGES);
}

/** Two of the newest, one of the oldest, and so on inwards: the middle is what can be missed. */
function newestAndFirst(points: readonly Point[]): Point[] {
  const order: Point[] = [];
  let from = 0;
  let to = points.length - 1;
  for (let turn = 0; from <= to; turn++) {
    const point = turn % 3 === 2 ? points[from++] : points[to--];
    if (point !== undefined) order.push(point);
  }
  return order;
}

function todoPoints(facts: Facts): Point[] {
  const order = {
    'in progress': LABELS.active_todo,
    open: LABELS.open_todo,
    done: LABELS.done_todo,
    dropped: LABELS.dropped_todo,
  };
  const points = Object.entries(order).flatMap(([status, label], rank) =>
    facts.todos
      .filter((todo) => todo.status === status)
      .map((todo, i) => ({
        text: label + clipEnd(oneLine(cleaned(todo.text)), 300),
        place: rank * 1_000 + i,
      })),
  );
  if (facts.plan !== '') points.push({ text: LABELS.plan + cleaned(facts.plan), place: 9_000 });
  return points;
}

/** The last things that the assistant said, as they are, and the last things that it did. */
function currentPoints(facts: Facts): Point[] {
  const said = facts.assistant.slice(-LAST_TEXTS).reverse();
  const telling = facts.assistant.findLast(({ text }) => text.length >= TELLING_LENGTH);
  // Short notes between tool calls say little: the last report stands after the very last word.
  if (telling !== undefined && !said.slice(0, 2).includes(telling)) said.splice(1, 0, telling);
  const points = [...new Set(said)].map((said) => ({
    text: LABELS.decision + clipMiddle(said.text, MAX_MESSAGE),
    place: said.index,
  }));
  const calls = facts.calls.slice(-4).map((call) => `${named(call)}, ${call.outcome}`);
  const last = { text: `${LABELS.last_calls}${calls.join('; ')}.`, place: Number.MAX_SAFE_INTEGER };
  if (calls.length > 0) points.splice(1, 0, last);
  return points;
}

function nextPoints(facts: Facts, intention: string | undefined): Point[] {
  const points: Point[] = [];
  const { todos } = facts;
  const todo =
    todos.find(({ status }) => status === 'in progress') ??
    todos.find(({ status }) => status === 'open');
  if (todo !== undefined)
    points.push({ text: LABELS.next_todo + oneLine(cleaned(todo.text)), place: 0 });
  if (intention !== undefined) {
    points.push({ text: LABELS.intention + intention, place: 1 });
  }
  const open = facts.calls.filter((call) => call.outcome === 'open').slice(-3);
  if (open.length > 0) {
    points.push({ text: `${LABELS.waiting}${open.map(named).join('; ')}`, place: 2 });
  }
  return points;
}
