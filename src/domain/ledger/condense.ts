import type { FactKind, File, Ledger, Request } from './ledger.ts';
import { scoreOf } from './names-index.ts';
import { excessOf, shortenedRequest } from './requests.ts';

/** How many facts of each kind a ledger holds; with the lengths of their texts this bounds its size. */
const MOST = {
  requests: 600,
  constraints: 200,
  conclusions: 160,
  files: 400,
  runs: 80,
  failures: 120,
  open_calls: 40,
  artifacts: 160,
  names: 1_500,
  tools: 100,
  epochs: 200,
  /** Of all requests together what could be shortened; beyond, older ones are, to their beginning. */
  request_characters: 80_000,
} as const;
/** What a ledger holds that a client carries from one request to the next, compressed. */
const MOST_CARRIED: Sizes = {
  requests: 200,
  constraints: 120,
  conclusions: 60,
  files: 150,
  runs: 30,
  failures: 40,
  open_calls: 20,
  artifacts: 60,
  names: 250,
  tools: 40,
  epochs: 20,
  request_characters: 24_000,
};
// `Object.keys` forgets what the keys are.
const PARTS = Object.keys(MOST) as (keyof typeof MOST)[];
/** So much stays as soon as there is more, so that it need not be done again with every item. */
const STAYS = 0.75;

/** How many facts there are of each kind that is bounded. */
export type Sizes = { [part in keyof typeof MOST]: number };

/** Whether there is more of a kind than a ledger holds. */
export function isOverfull(sizes: Sizes): boolean {
  return PARTS.some((part) => sizes[part] > MOST[part]);
}

/**
 * The ledger within its bounds. What gives way is counted by kind: of requests, conclusions and epochs
 * every second one of the older half, of constraints those that were superseded or meant for one task,
 * of failures those that were cured longest ago, of files those not touched for longest, of all others
 * the oldest or lightest.
 */
export function condensed(ledger: Ledger, bounds: Sizes = MOST): Ledger {
  const counts: Partial<Record<FactKind, number>> = { ...ledger.condensed };
  const within = <T>(list: readonly T[], most: number, kind: FactKind | null, cut: Cut<T>): T[] => {
    if (list.length <= most) return [...list];
    const kept = cut(list, most);
    if (kind !== null) counts[kind] = (counts[kind] ?? 0) + list.length - kept.length;
    return kept;
  };
  const { items } = ledger;
  return {
    ...ledger,
    requests: shortened(
      within(ledger.requests, bounds.requests, 'request', thinned),
      bounds.request_characters,
    ),
    constraints: within(ledger.constraints, bounds.constraints, 'constraint', (list, most) =>
      best(
        list,
        most,
        (one) => (one.superseded_by === undefined ? 2 : 0) + (one.is_standing ? 1 : 0),
      ),
    ),
    conclusions: within(ledger.conclusions, bounds.conclusions, 'finding', thinned),
    files: within(ledger.files, bounds.files, 'change', (list, most) =>
      best(list, most, worthOfFile),
    ),
    runs: within(ledger.runs, bounds.runs, 'run', newest),
    failures: within(ledger.failures, bounds.failures, 'error', (list, most) =>
      best(
        list,
        most,
        ({ cure, is_refused, failed_at }) =>
          failed_at + (cure === null && is_refused !== true ? items : 0),
      ),
    ),
    open_calls: within(ledger.open_calls, bounds.open_calls, 'open', newest),
    artifacts: within(ledger.artifacts, bounds.artifacts, 'artifact', newest),
    names: within(ledger.names, bounds.names, 'name', (list, most) =>
      best(list, most, (name) => scoreOf(name, items)),
    ),
    tools: within(ledger.tools, bounds.tools, null, (list, most) =>
      best(list, most, ({ calls }) => calls),
    ),
    epochs: within(ledger.epochs, bounds.epochs, null, thinned),
    condensed: counts,
  };
}

/** The ledger as a client can carry it: within tighter bounds, by the same rules. */
export function carriedLedger(ledger: Ledger): Ledger {
  return condensed(ledger, MOST_CARRIED);
}

type Cut<T> = (list: readonly T[], most: number) => T[];

function stay(most: number): number {
  return Math.floor(most * STAYS);
}

function newest<T>(list: readonly T[], most: number): T[] {
  return list.slice(-stay(most));
}

/** The best in their own order; of equals the later ones. */
function best<T>(list: readonly T[], most: number, worth: (one: T) => number): T[] {
  if (list.length <= most) return [...list];
  const ranked = list
    .map((one, place) => ({ place, worth: worth(one) }))
    .sort((a, b) => b.worth - a.worth || b.place - a.place);
  const kept = new Set(ranked.slice(0, stay(most)).map(({ place }) => place));
  return list.filter((_, place) => kept.has(place));
}

/** Without every second one of the older half, the first excepted. */
function thinned<T>(list: readonly T[], most: number): T[] {
  let rest = [...list];
  while (rest.length > most) {
    const half = Math.ceil(rest.length / 2);
    rest = rest.filter((_, place) => place >= half || place % 2 === 0);
  }
  return rest;
}

function worthOfFile({ edits, last_seq }: File): number {
  return last_seq + (edits > 0 ? 1e9 : 0);
}

/** As they are; when all are too long together, the older ones by their beginning. */
function shortened(requests: readonly Request[], most: number): Request[] {
  if (excessOf(requests) <= most) return [...requests];
  let left = most * STAYS;
  const newestFirst = requests.toReversed().map((one, place) => {
    const isFirst = place === requests.length - 1;
    left -= excessOf([one]);
    return left >= 0 || isFirst ? one : shortenedRequest(one);
  });
  return newestFirst.reverse();
}
