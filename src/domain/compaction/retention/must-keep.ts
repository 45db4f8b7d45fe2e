import { changeText, type Place } from '../../ledger/facts.ts';
import type { FactKind } from '../../ledger/ledger.ts';
import { scoreOf } from '../../ledger/names-index.ts';
import { changedBy } from '../../ledger/newer-rules.ts';
import { PINNED_REQUEST } from '../../ledger/pinned.ts';
import { isProcess } from '../../ledger/processes.ts';
import { clipEnd, oneLine } from '../../text.ts';
import { errorText } from '../extractive/failure-lines.ts';
import { LABELS, newerLabel } from '../extractive/labels.ts';
import { isAfterCut, type Ledgers } from '../extractive/ledgers.ts';
import { runText } from '../extractive/work-lines.ts';

/** A fact that has to stand in the context after a compaction, as one line. */
export type MustKeep = {
  kind: FactKind;
  text: string;
  weight: number;
  sought: Sought;
};

/**
 * What tells that a fact stands in a text: most words of this one together; or these names, and one of
 * the others where there are any; or these letters.
 */
type Sought =
  | { by: 'words'; words: string }
  | { by: 'names'; all: readonly string[]; any: readonly string[] }
  | { by: 'letters'; letters: string };

/** What a fact of a kind weighs that was touched once, at the very beginning. */
const WEIGHT = {
  request: 4,
  constraint: 4,
  open: 3,
  error: 3,
  change: 2,
  plan: 2,
  run: 1,
  artifact: 1,
  name: 0.5,
} as const satisfies Partial<Record<FactKind, number>>;
type Kept = keyof typeof WEIGHT;

/** How many facts of a kind are looked for: the weightiest. */
const MOST: Record<Kept, number> = {
  request: 2,
  constraint: 60,
  open: 10,
  error: 20,
  change: 40,
  plan: 20,
  run: 10,
  artifact: 10,
  name: 20,
};
/** A line that is put back is no longer (UTF-16 units), its label left aside. */
const LONGEST = 400;

/**
 * The facts that a compaction has to keep, the weightiest first: the first and the latest request,
 * standing instructions of the user, open errors, todos and calls, changed files with what came into
 * them, how tests and builds ended last, exact values, the weightiest names. What was said after the
 * cut stands there anyway. At most 192, whatever the log holds.
 */
export function mustKeep({ covered, standing }: Ledgers): MustKeep[] {
  const { through } = covered;
  const weigh = (kind: Kept, { last_seq, of }: Place, times = 1) => {
    const recency = of === undefined && through > 0 ? Math.min(1, last_seq / through) : 0;
    return WEIGHT[kind] * (1 + recency) * (1 + Math.log2(Math.max(1, times)));
  };
  const before = <T extends Place>(list: readonly T[]) =>
    list.filter((one) => !isAfterCut(one, covered));
  const inWords = (kind: Kept, place: Place, label: string, text: string, times = 1): MustKeep => {
    const words = clipEnd(oneLine(text), LONGEST);
    const sought = { by: 'words', words } as const;
    return { kind, text: label + words, weight: weigh(kind, place, times), sought };
  };

  const [first] = covered.requests.slice(0, 1).filter(({ text }) => text !== PINNED_REQUEST);
  const latest = before(standing.requests.slice(-1)).find(({ text }) => text !== PINNED_REQUEST);
  const requests = [
    ...(first === undefined ? [] : [inWords('request', first, LABELS.first_request, first.text)]),
    ...(latest === undefined || latest.seq === first?.seq
      ? []
      : [inWords('request', latest, LABELS.latest_request, latest.text)]),
  ];
  const older = changedBy(standing.constraints);
  const constraints = before(standing.constraints)
    .filter(
      ({ by, is_standing, superseded_by }) =>
        by === 'user' && is_standing && superseded_by === undefined,
    )
    .map((one) => {
      const label = newerLabel(LABELS.constraint, older.get(one)?.text);
      return inWords('constraint', one, label, one.text);
    });
  const errors = before(standing.failures)
    .filter(({ cure }) => cure === null)
    .map((one): MustKeep => {
      const text = clipEnd(oneLine(errorText(one, { line: 160, lines: 1, said: 0 })), LONGEST);
      const words = clipEnd(oneLine(one.lines[0] ?? one.what), 160);
      const weight = weigh('error', one, one.times);
      return { kind: 'error', text, weight, sought: { by: 'words', words } };
    });
  const changes = before(standing.files)
    .filter(({ edits }) => edits > 0)
    .map((one): MustKeep => {
      const text = clipEnd(oneLine(changeText(one)), LONGEST);
      const sought = { by: 'names', all: [one.path], any: one.added } as const;
      return { kind: 'change', text, weight: weigh('change', one, one.edits), sought };
    });
  const runs = before(standing.runs).map((one): MustKeep => {
    const sought = { by: 'words', words: clipEnd(oneLine(one.command), 90) } as const;
    return {
      kind: 'run',
      text: oneLine(runText(one)),
      weight: weigh('run', one, one.runs),
      sought,
    };
  });
  const { plan } = standing;
  const todos = (plan === null || isAfterCut(plan, covered) ? [] : (plan.todos ?? [])).flatMap(
    (todo) => {
      if (plan === null || (todo.status !== 'open' && todo.status !== 'in progress')) return [];
      const label = todo.status === 'open' ? LABELS.open_todo : LABELS.active_todo;
      return [inWords('plan', plan, label, todo.text)];
    },
  );
  const calls = before(standing.open_calls).flatMap((one) => {
    const isRunning = isProcess(one.id);
    if (isRunning && one.of !== undefined) return [];
    const label = isRunning ? LABELS.running : LABELS.waiting;
    return inWords('open', one, label, `${one.tool} ${one.subject}`);
  });
  const artifacts = before(standing.artifacts)
    .filter(({ kind }) => kind !== 'number' && kind !== 'port')
    .map((one): MustKeep => {
      const letters = clipEnd(one.value, LONGEST);
      const weight = weigh('artifact', one, one.times);
      const text = LABELS.exact + letters;
      return { kind: 'artifact', text, weight, sought: { by: 'letters', letters } };
    });
  const names = covered.names
    .toSorted((a, b) => scoreOf(b, covered.items) - scoreOf(a, covered.items))
    .slice(0, MOST.name)
    .map((one): MustKeep => {
      const sought = { by: 'names', all: [one.name], any: [] } as const;
      return { kind: 'name', text: LABELS.name + one.name, weight: weigh('name', one), sought };
    });
  return byWeight([
    ...requests,
    ...heaviest('constraint', constraints),
    ...heaviest('error', errors),
    ...heaviest('change', changes),
    ...heaviest('run', runs),
    ...heaviest('plan', todos),
    ...heaviest('open', calls),
    ...heaviest('artifact', artifacts),
    ...names,
  ]);
}

function heaviest(kind: Kept, facts: readonly MustKeep[]): MustKeep[] {
  return byWeight(facts).slice(0, MOST[kind]);
}

/** The weightiest first; of equals the later one. */
function byWeight(facts: readonly MustKeep[]): MustKeep[] {
  return facts.toReversed().sort((a, b) => b.weight - a.weight);
}
