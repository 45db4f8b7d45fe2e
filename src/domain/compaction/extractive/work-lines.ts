import { changesOf } from '../../ledger/changing-calls.ts';
import { isLater, isSince } from '../../ledger/inherit.ts';
import type { Conclusion, Epoch, Ledger, OpenCall, Plan, Run } from '../../ledger/ledger.ts';
import { passedSince } from '../../ledger/passed-since.ts';
import { isProcess } from '../../ledger/processes.ts';
import { isSpeech, sentencesOf } from '../../ledger/sentences.ts';
import { baseName, shortPath } from '../../names.ts';
import { clipEnd, clipMiddle, oneLine } from '../../text.ts';
import { isAnchored, isInside } from '../../workspace/paths.ts';
import { LABELS } from './labels.ts';
import { isAfterCut, type Ledgers } from './ledgers.ts';
import { evenly, inOrder, type Tellings } from './line.ts';

/** The last outcome of each command of tests, builds and checks; then how often each tool was called. */
export function runTellings({ runs, tools }: Ledger): Tellings {
  const texts = runs.map((run) => runText(run, passedSince(run, runs)?.command));
  const lines = (most: number) => texts.slice(-most);
  const calls = tools
    .toSorted((a, b) => b.calls - a.calls)
    .map(
      ({ name, calls }) => `${LABELS.tool}${name}: ${calls === 1 ? '1 call' : `${calls} calls`}`,
    );
  return [
    () => inOrder(lines(4)),
    () => inOrder(lines(10)),
    () => inOrder([...calls.slice(0, 6), ...lines(20)]),
    () => inOrder([...calls.slice(0, 20), ...lines(60)]),
  ];
}

/** What calls have changed out there before the cut, the newest last: those after it stand below. */
export function changedTellings({ covered }: Ledgers): Tellings {
  const changed = changesOf(covered.tools);
  if (changed.length === 0) return [];
  return [
    { most: 8, characters: 90 },
    { most: 20, characters: 90 },
    { most: 20, characters: 140 },
    { most: 60, characters: 300 },
  ].map(
    ({ most, characters }) =>
      () =>
        inOrder(changed.slice(-most).map((text) => LABELS.changed + clipEnd(text, characters))),
  );
}

/** A command of tests or builds, and how it ended last. `passed`: what of the same program passed since. */
export function runText({ command, outcome, line }: Run, passed?: string): string {
  const said = line === '' ? '' : `: tool output "${clipEnd(line.replaceAll('"', "'"), 140)}"`;
  const since = passed === undefined ? '' : `; ${clipEnd(passed, 60)} passed since`;
  return `${LABELS.run}${clipEnd(command, 90)}: ${ENDED[outcome]}${said}${since}`;
}

const ENDED: Record<Run['outcome'], string> = {
  ok: 'passed last',
  failed: 'failed last',
  unknown: 'whether it passed last is not known',
};

const SAID_BY: Record<Conclusion['by'], string> = {
  user: LABELS.message,
  assistant: LABELS.decision,
  subagent: LABELS.subagent,
  hook: LABELS.hook,
};

/** What was chosen and found out, evenly from all of the session. */
export function decisionTellings({ conclusions }: Ledger): Tellings {
  return [
    { most: 6, characters: 140 },
    { most: 12, characters: 180 },
    { most: 24, characters: 220 },
    { most: 48, characters: 300 },
    { most: 160, characters: 300 },
  ].map(
    ({ most, characters }) =>
      () =>
        inOrder(
          evenly(conclusions, most).map(({ text, by }) => {
            return SAID_BY[by] + clipEnd(oneLine(text), characters);
          }),
        ),
  );
}

/** The stretches that earlier compactions have closed, one line each. */
export function epochTellings({ covered }: Ledgers): Tellings {
  const { epochs } = covered;
  return [
    { most: 8, characters: 60 },
    { most: 20, characters: 90 },
    { most: 60, characters: 140 },
    { most: 200, characters: 200 },
  ].map(
    ({ most, characters }) =>
      () =>
        inOrder(
          stretchesOf(evenly(epochs, most), covered, characters).map(({ epoch, about }) => {
            const where = epoch.of === undefined ? '' : ` of session ${epoch.of}`;
            const what = about === '' ? '' : `: ${about}`;
            return `Items ${epoch.from} to ${epoch.through}${where}, before ${(epoch.said_at ?? epoch.at).slice(0, 16)}${what}`;
          }),
        ),
  );
}

/** Epochs with what they were about; neighbours of which nothing is known that is new become one. */
function stretchesOf(
  epochs: readonly Epoch[],
  ledger: Ledger,
  most: number,
): { epoch: Epoch; about: string }[] {
  const stretches: { epoch: Epoch; about: string }[] = [];
  for (const epoch of epochs) {
    const about = aboutEpoch(epoch, ledger, most);
    const before = stretches.at(-1);
    const isNext = before?.epoch.of === epoch.of && before?.epoch.through === epoch.from - 1;
    if (before !== undefined && isNext && about === '' && before.about === '') {
      before.epoch = { ...epoch, from: before.epoch.from };
    } else stretches.push({ epoch, about });
  }
  return stretches;
}

/** What was asked, which files were changed for the first time, else what was found out. */
function aboutEpoch(
  { from, through, of }: Epoch,
  { requests, files, conclusions }: Ledger,
  most: number,
): string {
  const isInside = (fact: { seq: number; of?: string }) =>
    fact.seq >= from && fact.seq <= through && fact.of === of;
  const asked = requests.find(isInside)?.text;
  const changed = files.filter((file) => file.edits > 0 && isInside(file)).slice(-3);
  const about = [
    ...(asked === undefined ? [] : [`"${clipEnd(oneLine(asked), most)}"`]),
    ...changed.map(({ path }) => baseName(path)),
  ];
  const found = about.length > 0 ? undefined : conclusions.find(isInside);
  if (found === undefined) return about.join(', ');
  // Only what was asked stands there without a speaker.
  return `${SAID_BY[found.by]}"${clipEnd(oneLine(found.text), most)}"`;
}

/** A list that nobody has touched for so many requests tells of work that is over, or was given up. */
const STALE_FROM = 3;
/** After so many items so does one that has seen a single request: who keeps a list touches it more often. */
const STALE_ITEMS = 100;

/** Who says no more than that, or answers a question, is still with the same work. */
const GOES_ON =
  /^\W*(?:(?:ok(?:ay)?|yes|please|good|great|now|and|just|let['’]s)[\s,.!]{1,5}){0,3}(?:ok(?:ay)?|yes|continue|go (?:on|ahead)|carry on|keep (?:going|at it)|proceed|resume|(?:mach )?weiter|continuez?|continúa|continua|sigue|adelante|продолжай(?:те)?|дальше|请?继续|請?繼續|続けて(?:ください)?|계속(?:해(?: ?줘| ?주세요)?)?)(?: please| working| with (?:it|that|the work))?[\W]*$/iu;
const LONGEST_GO_ON = 80;

function requestsSince(plan: Plan, { requests }: Ledger): Ledger['requests'] {
  return requests.filter((request) => isLater(request, plan));
}

/** Whether requests have left a list of todos behind. */
function isLeft(plan: Plan, ledger: Ledger): boolean {
  const since = requestsSince(plan, ledger);
  const items = plan.of === undefined ? ledger.through - plan.last_seq : 0;
  const isOther = ({ text, answers }: Ledger['requests'][number]) =>
    (text.length > LONGEST_GO_ON || !GOES_ON.test(text)) && !/[?？]$/.test(answers ?? '');
  return since.length >= STALE_FROM || (items >= STALE_ITEMS && since.some(isOther));
}

/** The todos with their state, then the plan in words. */
export function todoTellings(ledger: Ledger): Tellings {
  const { plan } = ledger;
  if (plan === null) return [];
  const of = (status: string, label: string) =>
    (plan.todos ?? []).flatMap((todo) =>
      todo.status === status ? [label + clipEnd(todo.text, 200)] : [],
    );
  const since = requestsSince(plan, ledger).length;
  const requests = since === 1 ? '1 request' : `${since} requests`;
  const note = isLeft(plan, ledger) ? `${LABELS.todos_left}${requests} since: ` : '';
  const open = [
    ...of('in progress', note + LABELS.active_todo),
    ...of('open', note + LABELS.open_todo),
  ];
  const ended = [...of('done', LABELS.done_todo), ...of('dropped', LABELS.dropped_todo)];
  const planNote = since < STALE_FROM ? '' : `${LABELS.plan_left}${requests} since: `;
  const words = (most: number) =>
    plan.text === '' ? [] : [planNote + LABELS.plan + clipMiddle(plan.text, most)];
  return [
    () => inOrder(open.toReversed()).reverse(),
    () => inOrder([...open, ...ended]),
    () => inOrder([...open, ...ended, ...words(600)]),
    () => inOrder([...open, ...ended, ...words(2_000)]),
    () => inOrder([...open, ...ended, ...words(6_000)]),
  ];
}

const MOST_CHANGED = 8;

/** The branch that work stands on, its newest commit, and what was changed since that was made. */
export function gitText(ledger: Ledger): string | null {
  const { git_head, files } = ledger;
  const { folder, branch, commit } = git_head;
  if (branch === null && commit === null) return null;
  const isElsewhere = (path: string) =>
    folder !== null && isAnchored(path) && path !== folder && !isInside(path, folder);
  const edited = files.filter(({ edits }) => edits > 0);
  const changed = edited
    .filter((file) => commit !== null && commit.at > 0 && file.changed_at > commit.at)
    .filter(({ path }) => !isElsewhere(path))
    .map(({ path }) => shortPath(path));
  // Where all work is done in one folder, its name says nothing.
  const isOneOfSome =
    isElsewhere(ledger.folder ?? '') || edited.some(({ path }) => isElsewhere(path));
  const more = changed.length - MOST_CHANGED;
  const parts = [
    ...(isOneOfSome ? [`in ${folder}`] : []),
    ...(branch === null ? [] : [`on branch ${branch}`]),
    ...(commit === null ? [] : [`newest commit ${commit.id} "${commit.subject}"`]),
    ...(changed.length === 0
      ? []
      : [
          `changed since: ${changed.slice(0, MOST_CHANGED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`,
        ]),
  ];
  return `${LABELS.git}${parts.join(', ')}`;
}

/** What the assistant has said last, and where Git stands; an agent in a loop says the same again and again. */
export function currentTellings({ covered, standing }: Ledgers): Tellings {
  const git = gitText(standing);
  const said = covered.said.filter(
    ({ text }, at, all) => all.findIndex((other) => other.text === text) === at,
  );
  return [
    { texts: 1, characters: 220 },
    { texts: 2, characters: 400 },
    { texts: 3, characters: 800 },
    { texts: 4, characters: 2_000 },
  ].map(
    ({ texts, characters }) =>
      () =>
        inOrder([
          ...(git === null ? [] : [git]),
          ...said
            .slice(0, texts)
            .toReversed()
            .map(({ text }) => LABELS.decision + clipMiddle(text.trim(), characters)),
        ]),
  );
}

const INTENDS =
  /\b(?:next|let me|let['’]s|I['’]ll|I will|I['’]m going to|I need to|we need to|we should|now I|now \w{3,20}ing)\b/i;
/** A heading says nothing of what comes next. */
const IS_HEADING = /^\W*(?:the )?(?:next steps?|what['’]s next|next up|up next|next)\W*$/i;
/** After more calls what was intended has been done, or given up. */
const MOST_CALLS_SINCE = 2;
/** After so many items nobody waits for a result any more: the call was broken off. */
const MOST_ITEMS_SINCE = 8;

/** What the assistant has said last that it is going to do, unless it has gone on since. */
function intentionOf({ said, calls }: Ledger): string | null {
  const [last] = said;
  if (last === undefined || calls - last.calls > MOST_CALLS_SINCE) return null;
  const sentence = sentencesOf(last.text).findLast(
    (one) => INTENDS.test(one) && !IS_HEADING.test(one) && !isSpeech(one),
  );
  return sentence === undefined ? null : clipEnd(sentence, 300);
}

/** Whether the user has spoken after what the assistant said last, and may have said otherwise. */
function isAskedSince({ requests, said }: Ledger): boolean {
  const [request, last] = [requests.at(-1), said[0]];
  if (request === undefined || last === undefined) return false;
  return isSince(request, last);
}

/** Of calls without a result, and of what was left running, so many are told: the newest. */
const MOST_OPEN = 3;

function nameOfCall({ tool, subject }: OpenCall): string {
  return subject === '' ? tool : `${tool} (${subject})`;
}

/** What comes next, as far as the whole log tells: a step done is none. */
export function nextTellings({ standing, covered }: Ledgers): Tellings {
  const { plan, said, items, open_calls } = standing;
  const lines: string[] = [];
  const isStale = plan !== null && isLeft(plan, standing);
  const todos = isStale ? [] : (plan?.todos ?? []);
  const todo =
    todos.find(({ status }) => status === 'in progress') ??
    todos.find(({ status }) => status === 'open');
  if (todo !== undefined) lines.push(LABELS.next_todo + clipEnd(todo.text, 200));
  const intention = intentionOf(standing);
  if (intention !== null) {
    const [last] = said;
    const where = last !== undefined && isAfterCut(last, covered) ? '(verbatim below) ' : '';
    const label = isAskedSince(standing) ? LABELS.intention_asked_since : LABELS.intention;
    lines.push(label + where + intention);
  } else if (standing.calls === covered.calls) {
    // Nothing was done since: so it may still hold.
    const before = intentionOf(covered);
    if (before !== null) lines.push(LABELS.intention_before + before);
  }
  // What a fork's parent has left running is not at its hand.
  const running = open_calls
    .filter(({ id, of }) => isProcess(id) && of === undefined)
    .slice(-MOST_OPEN);
  for (const call of running) {
    lines.push(`${LABELS.running}${clipEnd(nameOfCall(call), 140)}, ${call.id}`);
  }
  const waiting = open_calls
    .filter(({ id, called_at }) => !isProcess(id) && items - called_at <= MOST_ITEMS_SINCE)
    .slice(-MOST_OPEN);
  if (waiting.length > 0) lines.push(LABELS.waiting + waiting.map(nameOfCall).join('; '));
  return [() => inOrder(lines)];
}
