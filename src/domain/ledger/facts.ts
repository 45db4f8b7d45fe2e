import type { Speaker } from '../items/item.ts';
import { baseName } from '../names.ts';
import type { Constraint, FactKind, Failure, File, Ledger, Plan, Request } from './ledger.ts';
import { takenBackText } from './taken-back.ts';

/** Whether a fact still asks for something, is settled, holds, or was replaced by a later one. */
export const FACT_STATES = ['open', 'done', 'current', 'superseded'] as const;
type FactState = (typeof FACT_STATES)[number];

/** Who the fact comes from. */
export const FACT_SOURCES = [
  'user',
  'assistant',
  'tool',
  'subagent',
  'hook',
  'project_instructions',
] as const satisfies readonly Speaker[];
export type FactSource = (typeof FACT_SOURCES)[number];

/** A fact of a ledger in words, with the items where it was said and last touched. */
export type Fact = {
  kind: FactKind;
  seq: number;
  last_seq: number;
  /** The session whose numbers these are, where that is one that this one was forked from. */
  of?: string;
  state: FactState;
  source: FactSource;
  text: string;
};

export type Place = Pick<Fact, 'seq' | 'last_seq' | 'of'>;

/** All facts of a ledger, kind by kind, each kind in the order in which it was said. */
export function factsOf(ledger: Ledger): Fact[] {
  const { requests, constraints, conclusions, files, runs, failures, plan } = ledger;
  return [
    ...requests.map((one) =>
      fact(one, 'request', requestState(one, ledger), 'user', requestText(one)),
    ),
    ...constraints.map((one) =>
      fact(
        one,
        'constraint',
        one.superseded_by === undefined ? 'current' : 'superseded',
        one.by,
        constraintText(one),
      ),
    ),
    ...conclusions.map((one) => fact(one, one.kind, 'current', one.by, one.text)),
    ...files
      .filter(({ edits }) => edits > 0)
      .map((one) => fact(one, 'change', 'current', 'assistant', changeText(one))),
    ...runs.map((one) => {
      const said = one.line === '' ? '' : `: ${one.line}`;
      const { state, ended } = RUN_TEXTS[one.outcome];
      return fact(
        one,
        'run',
        state,
        'tool',
        `${one.command} ${ended}, ${one.failures} of ${one.runs} failed${said}`,
      );
    }),
    ...failures.map((one) => fact(one, 'error', failureState(one), 'tool', failureText(one))),
    ...(plan === null ? [] : planFacts(plan)),
    ...ledger.open_calls.map((one) =>
      fact(
        one,
        'open',
        'open',
        'assistant',
        one.subject === '' ? one.tool : `${one.tool}: ${one.subject}`,
      ),
    ),
    ...ledger.names.map((one) => fact(one, 'name', 'current', 'assistant', one.name)),
    ...ledger.artifacts.map((one) =>
      fact(one, 'artifact', 'current', 'assistant', `${one.kind} ${one.value}: ${one.context}`),
    ),
  ];
}

const RUN_TEXTS = {
  ok: { state: 'done', ended: 'passed last' },
  failed: { state: 'open', ended: 'failed last' },
  unknown: { state: 'current', ended: 'ended last, whether it passed is not known' },
} as const;

function fact(
  { seq, last_seq, of }: Place,
  kind: FactKind,
  state: FactState,
  source: FactSource,
  text: string,
): Fact {
  return { kind, seq, last_seq, ...(of !== undefined && { of }), state, source, text };
}

/** The last one is open until the assistant has spoken and calls nothing more. */
function requestState(request: Request, { requests, said, calls }: Ledger): FactState {
  if (request !== requests.at(-1)) return 'done';
  const [last] = said;
  const isAnswered = last !== undefined && last.seq > request.seq && last.calls === calls;
  return isAnswered ? 'done' : 'open';
}

function requestText({ text, answers, ended }: Request): string {
  const to = answers === undefined ? '' : ` (answers: ${answers})`;
  return text + to + (ended === undefined ? '' : ` (the assistant at its end: ${ended.text})`);
}

function constraintText({ text, superseded_by, is_withdrawn }: Constraint): string {
  if (superseded_by === undefined) return text;
  return `${text} (${is_withdrawn === true ? 'withdrawn' : 'superseded'} in item ${superseded_by})`;
}

/** What was done to a file, in one line. */
export function changeText(file: File): string {
  const { path, state, moved_to, copied_from, is_created, edits, added, removed } = file;
  if (state === 'deleted') return `${path}: ${is_created ? 'created, then deleted' : 'deleted'}`;
  if (state === 'moved') return `${path}: moved to ${moved_to ?? 'another place'}`;
  const since = is_created ? 'created' : `changed ${edits} times`;
  const facts = [copied_from === undefined ? since : `copied from ${copied_from}`];
  if (added.length > 0) facts.push(addedText(file, added));
  if (removed.length > 0) facts.push(`removed ${removed.join(', ')}`);
  const back = takenBackText(file);
  if (back !== '') facts.push(back);
  return `${path}: ${facts.join('; ')}`;
}

/** What edits of a file brought in; of one that was written over, what it holds: some may have been there. */
export function addedText({ is_rewritten }: File, names: readonly string[]): string {
  return `${is_rewritten === true ? 'now with' : 'added'} ${names.join(', ')}`;
}

/** How a failure was cured where the same did not work later. */
export const CURED_OTHERWISE = {
  changed: 'the file was changed later',
  mended: 'the same tool was run later to mend it',
  called: 'the tool worked later, whether for the same is not known',
} as const;

/** Files of one name are named once. */
export function filesOfCure(files: readonly string[]): string[] {
  return [...new Set(files.map(baseName))];
}

function failureState({ cure, is_refused }: Failure): FactState {
  if (cure !== null) return 'done';
  return is_refused === true ? 'current' : 'open';
}

function failureText({ what, lines, cure, is_refused }: Failure): string {
  const failed = `${what}${is_refused === true ? ' was refused' : ''}: ${lines.join(' / ')}`;
  if (cure === null) return failed;
  if (cure.otherwise !== undefined) return `${failed}; ${CURED_OTHERWISE[cure.otherwise]}`;
  const files = filesOfCure(cure.files).join(', ');
  return `${failed}; the same worked later${files === '' ? '' : ` after changes of ${files}`}`;
}

function planFacts(plan: Plan): Fact[] {
  const todos = (plan.todos ?? []).map(({ text, status }): Fact => {
    const state = {
      open: 'open',
      'in progress': 'open',
      done: 'done',
      dropped: 'superseded',
    } as const;
    return fact(plan, 'plan', state[status], 'assistant', `${status}: ${text}`);
  });
  const words = plan.text === '' ? [] : [fact(plan, 'plan', 'current', 'assistant', plan.text)];
  return [...todos, ...words];
}
