import type { Atom } from '../items/atoms.ts';
import { isJsonObject, type Json } from '../json.ts';

/** An item of a conversation as it is compared: what it says, piece by piece. */
export type ToldItem = { atoms: readonly Atom[] };

/** One of the log. */
export type LoggedItem = ToldItem & {
  /** Put there by the service, which the client knows nothing of. */
  isOurs: boolean;
};

/**
 * What a client's whole history has to do with the log, both from a common beginning on.
 *
 * `follows`: the first `known` items of the client are in the log. The log is behind them, but for the
 * items with the places `superseded`: answers that the client does not have, or has in another shape,
 * and a last message that has grown since.
 *
 * `diverges`: the client's past is another one from its item `known` on, the log's from `place` on.
 */
export type Match =
  | { kind: 'follows'; known: number; superseded: number[] }
  | { kind: 'diverges'; known: number; place: number };

/** A piece, and the place of its item. */
type Piece = { atom: Atom; item: number };
/** Places of two pieces that are the same. */
type Pair = { client: number; log: number };

/**
 * Compares a client's history with the log, by content (SPEC 2, section 22). How the pieces are put into
 * messages does not matter. Linear.
 */
export function matchHistory(log: readonly LoggedItem[], client: readonly ToldItem[]): Match {
  const logged = piecesOf(log);
  const told = piecesOf(client);
  const pairs = pairsOf(logged, told);
  const last = pairs.at(-1);
  const rest = logged.slice(last === undefined ? 0 : last.log + 1);
  const kept = commonBoundary(pairs, logged, told);
  const boundary = pairs[kept - 1];
  const known = boundary === undefined ? 0 : itemAt(told, boundary.client) + 1;
  const place = boundary === undefined ? 0 : itemAt(logged, boundary.log) + 1;
  // What the client itself has said, and has not any more: its past is another one.
  if (rest.some(({ atom }) => atom.isFirm && !atom.isOfModel)) {
    return { kind: 'diverges', known, place };
  }
  const isUnanswered = kept === pairs.length && rest.every(({ atom }) => !atom.isFirm);
  const superseded: number[] = [];
  for (let at = place; at < log.length; at++) {
    if (!isUnanswered && log[at]?.isOurs === false) superseded.push(at);
  }
  return { kind: 'follows', known, superseded };
}

function piecesOf(items: readonly ToldItem[]): Piece[] {
  return items.flatMap(({ atoms }, item) => atoms.map((atom) => ({ atom, item })));
}

function itemAt(pieces: readonly Piece[], place: number): number {
  return pieces[place]?.item ?? -1;
}

/** The pieces that are the same from the beginning on, up to the first firm ones that differ. */
function pairsOf(logged: readonly Piece[], told: readonly Piece[]): Pair[] {
  const isAnchor = anchorsOf(logged, told);
  const answered = answeredIn(logged.map(({ atom }) => atom));
  const isSame = (one: Atom, other: Atom) =>
    one.text === other.text ||
    (one.anchor !== null &&
      one.anchor === other.anchor &&
      one.isOfModel === other.isOfModel &&
      isAnchor(one) &&
      (answered.has(one.anchor) || agree(one.call?.input, other.call?.input)));
  const pairs: Pair[] = [];
  let log = 0;
  let client = 0;
  for (;;) {
    const one = logged[log]?.atom;
    const other = told[client]?.atom;
    if (one === undefined || other === undefined) return pairs;
    if (isSame(one, other)) {
      pairs.push({ client, log });
      log += 1;
      client += 1;
    } else if (!one.isFirm) {
      const later = other.isFirm ? -1 : laterIn(told, client, one);
      if (later === -1) log += 1;
      else client = later;
    } else if (!other.isFirm) {
      client += 1;
    } else {
      return pairs;
    }
  }
}

/** So far is looked for what says nothing new: nobody puts more of it between two words. */
const LOOKED_AHEAD = 64;

/** Where a piece comes again among those that say nothing new and follow each other; else -1. */
function laterIn(pieces: readonly Piece[], from: number, atom: Atom): number {
  for (let at = from; at < from + LOOKED_AHEAD; at++) {
    const other = pieces[at]?.atom;
    if (other === undefined || other.isFirm) return -1;
    if (other.text === atom.text) return at;
  }
  return -1;
}

/** All that these items say, piece by piece. */
export function atomsIn(items: readonly ToldItem[]): Atom[] {
  return items.flatMap(({ atoms }) => atoms);
}

/** The ids of the calls that have a result among these. */
export function answeredIn(atoms: readonly Atom[]): ReadonlySet<string> {
  return new Set(
    atoms.flatMap(({ anchor, isOfModel }) => (anchor === null || isOfModel ? [] : anchor)),
  );
}

/**
 * Whether a call that has no result yet is told as it was made: programs add defaults and leave fields
 * out. With another value it is the call that the user has let through in place of the model's.
 */
function agree(one: Json | undefined, other: Json | undefined): boolean {
  if (one === undefined || other === undefined) return true;
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((value, at) => agree(value, other[at]));
  }
  if (isJsonObject(one) && isJsonObject(other)) {
    return Object.entries(one).every(([name, value]) => agree(value, other[name]));
  }
  return one === other;
}

/** Whether the id of a call says which one it is: some clients use ids again. */
function anchorsOf(...tellings: (readonly Piece[])[]): (atom: Atom) => boolean {
  const repeated = new Set<string>();
  for (const pieces of tellings) {
    const seen = new Set<string>();
    for (const { atom } of pieces) {
      if (atom.anchor === null) continue;
      const key = anchorKey(atom);
      if (seen.has(key)) repeated.add(key);
      seen.add(key);
    }
  }
  return (atom) => !repeated.has(anchorKey(atom));
}

function anchorKey({ anchor, isOfModel }: Atom): string {
  return `${isOfModel} ${anchor}`;
}

/**
 * How many of the pairs stand in items that are the same as a whole: where the last ones are a part of
 * a longer message on either side, that message is none of them.
 */
function commonBoundary(
  pairs: readonly Pair[],
  logged: readonly Piece[],
  told: readonly Piece[],
): number {
  for (let kept = pairs.length; kept > 0; kept--) {
    const pair = pairs[kept - 1];
    const next = pairs[kept];
    if (pair === undefined) continue;
    const item = itemAt(logged, pair.log);
    const own = itemAt(told, pair.client);
    const endsInLog =
      next === undefined
        ? restOf(logged, pair.log, item).every(({ atom }) => !atom.isFirm)
        : itemAt(logged, next.log) !== item;
    const endsInClient =
      next === undefined
        ? restOf(told, pair.client, own).length === 0
        : itemAt(told, next.client) !== own;
    if (endsInLog && endsInClient) return kept;
  }
  return 0;
}

/** The pieces of an item behind one of them. */
function restOf(pieces: readonly Piece[], place: number, item: number): Piece[] {
  const rest: Piece[] = [];
  for (let at = place + 1; pieces[at]?.item === item; at++) {
    const piece = pieces[at];
    if (piece !== undefined) rest.push(piece);
  }
  return rest;
}
