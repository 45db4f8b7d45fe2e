import { codecFor, type Format } from '../domain/items/codecs.ts';
import { type ClientCompaction, clientCompaction } from '../domain/session/client-compaction.ts';
import { clientCut } from '../domain/session/client-cut.ts';
import type { State } from '../domain/session/head.ts';
import { type Match, matchHistory, type ToldItem } from '../domain/session/match-history.ts';
import { matchRounds } from '../domain/session/match-rounds.ts';
import type { Told } from '../domain/session/told.ts';
import { type HistoryItem, loadHistory } from './load-history.ts';
import { ElsewhereError } from './ports/elsewhere-error.ts';
import type { SessionRef } from './ports/event-store.ts';
import type { Ports } from './ports/ports.ts';
import { readHere } from './read-here.ts';
import type { Telling } from './telling.ts';

/**
 * What a client's history is to its session. `follows`: all but the first `known` items are new, the
 * items at `superseded` are to be taken back. `compacted`: the client has compacted it; what is new
 * begins behind what `by_client` covers, and `without` are the items of that which the session began
 * with; `window`: it has only left something out, and goes on with what the log has after a version, but
 * for the items at `superseded`, behind those of the log at `opening`. `diverges`: from its item `known`
 * on it is another one than that of `parent` after `at`.
 */
export type SyncPlan =
  | { kind: 'follows'; known: number; superseded: number[] }
  | {
      kind: 'compacted';
      known: number;
      by_client: ClientCompaction;
      without: Set<number>;
      window: { opening: (number | null)[]; after: number; superseded: number[] } | null;
    }
  | { kind: 'diverges'; known: number; parent: SessionRef; at: number };

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
    return { kind: 'follows', known: first + match.known, superseded };
  }
  const place = log[match.place]?.place ?? null;
  if (place === null) return null;
  // What the client has said in other ways since, such as by the ids of answers, its telling may have
  // summarised: the rest of it says so.
  if (log.slice(match.place).some(isOfClient)) return null;
  return { kind: 'diverges', known: first + match.known, parent: ref, at: place.seq - 1 };
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
  const pieces = telling.piecesFrom(0);
  const plain = matchHistory(log, pieces);
  const match = plain.kind === 'follows' ? plain : (matchRounds(log, pieces) ?? plain);
  if (match.kind === 'follows') {
    const places = match.superseded.map((place) => log[place]?.place ?? null);
    const own = places.flatMap((place) => (place?.session_id === ref.session_id ? place.seq : []));
    if (own.length === places.length) return { ...match, superseded: own };
    // What a parent of the session holds cannot be taken back here.
    return diverging(ref, log, match.superseded[0] ?? 0, match.known);
  }
  const by_client = clientCompaction(codecFor(format), log, pieces);
  if (by_client === null) {
    return (
      windowed(ref, state, log, pieces, match) ?? diverging(ref, log, match.place, match.known)
    );
  }
  const without = initialItems(log, pieces.slice(0, by_client.items));
  return { kind: 'compacted', known: by_client.items, by_client, without, window: null };
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
  pieces: readonly ToldItem[],
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
  if (isOurs) return { kind: 'follows', known: cut.known, superseded };
  const opening = log.slice(0, cut.opening).map(({ place }) => place?.seq ?? null);
  return {
    kind: 'compacted',
    known: cut.known,
    by_client: { items: cut.opening, summary_text: '' },
    without: initialItems(log, pieces.slice(0, cut.opening)),
    window: {
      opening: match.place === cut.opening ? opening : [],
      after: next.seq - 1,
      superseded,
    },
  };
}

/** Which of the items the session began with. */
function initialItems(log: readonly HistoryItem[], items: readonly ToldItem[]): Set<number> {
  const initial = new Set(
    log.flatMap(({ place, isOurs, atoms }) => (place === null && isOurs ? textOf(atoms) : [])),
  );
  return new Set(items.flatMap(({ atoms }, at) => (initial.has(textOf(atoms)) ? [at] : [])));
}

/** What the client shares with the log before this place; nothing where no version tells it. */
function diverging(
  { tenant, session_id }: SessionRef,
  log: readonly HistoryItem[],
  at: number,
  known: number,
): SyncPlan {
  const place = log[at]?.place ?? null;
  if (place === null) {
    return { kind: 'diverges', known: 0, parent: { tenant, session_id }, at: 1 };
  }
  const parent = { tenant, session_id: place.session_id };
  return { kind: 'diverges', known, parent, at: place.seq - 1 };
}

function textOf(atoms: readonly { text: string }[]): string {
  return atoms.map(({ text }) => text).join('\n');
}

function refuseMany({ largestHere }: Deps, events: number): void {
  if (largestHere !== undefined && events > largestHere.events) throw new ElsewhereError();
}
