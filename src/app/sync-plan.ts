import { codecFor, type Format } from '../domain/items/codecs.ts';
import type { Item } from '../domain/items/item.ts';
import { clientCompaction } from '../domain/session/client-compaction.ts';
import { clientCut } from '../domain/session/client-cut.ts';
import type { State } from '../domain/session/head.ts';
import { knownByOpenings } from '../domain/session/known-by-openings.ts';
import { matchWithoutLeftOutCalls } from '../domain/session/left-out-calls.ts';
import { type Match, matchHistory } from '../domain/session/match-history.ts';
import { matchRounds } from '../domain/session/match-rounds.ts';
import type { Told } from '../domain/session/told.ts';
import { matchWithoutToldForOnce } from '../domain/session/told-for-once.ts';
import { type HistoryItem, loadHistory } from './load-history.ts';
import { ElsewhereError } from './ports/elsewhere-error.ts';
import type { SessionRef } from './ports/event-store.ts';
import type { Ports } from './ports/ports.ts';
import { readHere } from './read-here.ts';
import type { KnownItems, SeparatedItem, Telling } from './telling.ts';

/**
 * What a client's history is to its session. `follows`: all but the first `known` items are new, the
 * items at `superseded` are to be taken back. `compacted`: the client has compacted it; what is new
 * begins behind what `kept` stands for, with the places that the log has it at; `window`: it has only left
 * something out, and goes on with what the log has after a version, but for the items at `superseded`.
 * `diverges`: from its item `known` on it is another one than that of `parent` after `at`.
 */
export type SyncPlan = KnownItems &
  (
    | { kind: 'follows'; superseded: number[] }
    | {
        kind: 'compacted';
        kept: { item: Item; seq: number | null }[];
        summary_text: string;
        window: { after: number; superseded: number[] } | null;
      }
    | { kind: 'diverges'; parent: SessionRef; at: number }
  );

type Deps = Pick<Ports, 'store' | 'largestHere'>;

/**
 * Compares what a client tells with what the session knows. Where the client told it before, only what
 * came since is read (decision 0034). Throws ElsewhereError where more would have to be read than this
 * thread may.
 */
export async function planSync(
  deps: Deps,
  ref: SessionRef,
  { state, format }: { state: State; format: Format },
  telling: Telling,
): Promise<SyncPlan> {
  if (state.told !== null) {
    const plan = await planFrom(deps, ref, { state, format, told: state.told }, telling);
    if (plan !== null) return plan;
  }
  refuseMany(deps, state.version);
  const log = await loadHistory(readHere(deps).store, ref, { format, up_to: state.version });
  return planOf(ref, { state, format }, log, telling);
}

/** The plan for a telling that goes on where the last one ended; null when it is another. */
async function planFrom(
  deps: Deps,
  ref: SessionRef,
  { state, format, told }: { state: State; format: Format; told: Told & { seq: number } },
  telling: Telling,
): Promise<SyncPlan | null> {
  if (telling.known === 0) return null;
  // The last item of that telling may have grown since.
  const first = telling.known - 1;
  refuseMany(deps, state.version - told.seq);
  const range = { format, from: told.seq, up_to: state.version };
  const log = await loadHistory(readHere(deps).store, ref, range);
  const match = matchHistory(log, telling.piecesFrom(first));
  if (match.kind === 'follows') {
    const superseded = match.superseded.flatMap((place) => log[place]?.place?.seq ?? []);
    return { kind: 'follows', known: first + match.known, rest: null, superseded };
  }
  const place = log[match.place]?.place ?? null;
  if (place === null) return null;
  // What the client has said in other ways since, such as by the ids of answers, its telling may have
  // summarised: the rest of it says so.
  if (log.slice(match.place).some(isOfClient)) return null;
  const known = first + match.known;
  return { kind: 'diverges', known, rest: null, parent: ref, at: place.seq - 1 };
}

function isOfClient({ atoms }: HistoryItem): boolean {
  return atoms.some(({ isFirm, isOfModel }) => isFirm && !isOfModel);
}

function planOf(
  ref: SessionRef,
  { state, format }: { state: State; format: Format },
  log: readonly HistoryItem[],
  telling: Telling,
): SyncPlan {
  const pieces = telling.separated();
  const plain = matched(log, pieces);
  const beside =
    plain.kind === 'follows' || telling.vary_after === null
      ? null
      : knownByOpenings(log, pieces, telling.vary_after);
  const match = beside === null ? plain : matched(beside.log, beside.client);
  const known = telling.knownBefore(pieces, match.known);
  if (match.kind === 'follows') {
    const places = match.superseded.map((place) => log[place]?.place ?? null);
    const own = places.flatMap((place) => (place?.session_id === ref.session_id ? place.seq : []));
    if (own.length === places.length) return { kind: 'follows', ...known, superseded: own };
    // A compaction of the client has no place in the log: one that has grown since is told anew.
    const anew = places.includes(null) ? compacted(format, log, telling, pieces, isPlaced) : null;
    // What a parent of the session holds cannot be taken back here.
    return anew ?? diverging(ref, log, match.superseded[0] ?? 0, known);
  }
  return (
    compacted(format, log, telling, pieces) ??
    windowed(ref, state, log, { telling, pieces }, match) ??
    diverging(ref, log, match.place, known)
  );
}

function matched(log: readonly HistoryItem[], pieces: readonly SeparatedItem[]): Match {
  const plain = matchHistory(log, pieces);
  if (plain.kind === 'follows') return plain;
  return (
    matchRounds(log, pieces) ??
    matchWithoutToldForOnce(log, pieces) ??
    matchWithoutLeftOutCalls(log, pieces) ??
    plain
  );
}

function isPlaced({ place }: HistoryItem): boolean {
  return place !== null;
}

/** The plan for a client that has compacted its history itself; null for every other. */
function compacted(
  format: Format,
  log: readonly HistoryItem[],
  telling: Telling,
  pieces: readonly SeparatedItem[],
  isKnown: (item: HistoryItem) => boolean = () => true,
): SyncPlan | null {
  const by_client = clientCompaction(codecFor(format), log, pieces, log.filter(isKnown));
  if (by_client === null) return null;
  const { items, summary_text } = by_client;
  const kept = ofClient(log, pieces.slice(0, items), []);
  return {
    kind: 'compacted',
    ...telling.knownBefore(pieces, items),
    kept,
    summary_text,
    window: null,
  };
}

/**
 * The plan for a client that keeps a window over the newest of the conversation; null for every other.
 * Where a compaction of ours is in force, or came with a fork, the context is ours already, and holds what
 * the client does not.
 */
function windowed(
  ref: SessionRef,
  { base, told }: State,
  log: readonly HistoryItem[],
  { telling, pieces }: { telling: Telling; pieces: readonly SeparatedItem[] },
  match: Extract<Match, { kind: 'diverges' }>,
): SyncPlan | null {
  const isOurs = base !== null && (base.compaction_id !== null || base.through === base.version);
  const left = isOurs ? 0 : (base?.through ?? 0);
  const from = log.findIndex(
    ({ place }) => place !== null && place.session_id === ref.session_id && place.seq > left,
  );
  const cut =
    from === -1 ? null : clientCut(log, pieces, match, { from, told: told?.items ?? null });
  const next = cut && (log[cut.place]?.place ?? null);
  if (cut === null || next === null) return null;
  const superseded = cut.superseded.flatMap((at) => log[at]?.place?.seq ?? []);
  const known = telling.knownBefore(pieces, cut.known);
  if (isOurs) return { kind: 'follows', ...known, superseded };
  const opening = log.slice(0, cut.opening).map(({ place }) => place?.seq ?? null);
  return {
    kind: 'compacted',
    ...known,
    kept: ofClient(log, pieces.slice(0, cut.opening), match.place === cut.opening ? opening : []),
    summary_text: '',
    window: { after: next.seq - 1, superseded },
  };
}

/** These items with the places that the log has them at, without those that the session began with. */
function ofClient(
  log: readonly HistoryItem[],
  items: readonly SeparatedItem[],
  places: readonly (number | null)[],
): { item: Item; seq: number | null }[] {
  const initial = new Set(
    log.flatMap(({ place, isOurs, atoms }) => (place === null && isOurs ? textOf(atoms) : [])),
  );
  return items.flatMap(({ item, atoms }, at) =>
    initial.has(textOf(atoms)) ? [] : { item, seq: places[at] ?? null },
  );
}

/** What the client shares with the log before this place; nothing where no version tells it. */
function diverging(
  { tenant, session_id }: SessionRef,
  log: readonly HistoryItem[],
  at: number,
  known: KnownItems,
): SyncPlan {
  const place = log[at]?.place ?? null;
  if (place === null) {
    return { kind: 'diverges', known: 0, rest: null, parent: { tenant, session_id }, at: 1 };
  }
  const parent = { tenant, session_id: place.session_id };
  return { kind: 'diverges', ...known, parent, at: place.seq - 1 };
}

function textOf(atoms: readonly { text: string }[]): string {
  return atoms.map(({ text }) => text).join('\n');
}

function refuseMany({ largestHere }: Deps, events: number): void {
  if (largestHere !== undefined && events > largestHere.events) throw new ElsewhereError();
}
