import type { Atom } from '../items/atoms.ts';
import { type LoggedItem, type Match, matchHistory, type ToldItem } from './match-history.ts';

/** A piece by itself, and the item that it is a part of. */
type Placed<T> = T & { from: number };

/**
 * The same comparison for clients that tell calls made at once one after the other, each with its result
 * (Mastra's memory does), where the model made them together. Null where the client does not follow the
 * log even so, or where a part of a message would be new.
 */
export function matchRounds(
  log: readonly LoggedItem[],
  client: readonly ToldItem[],
): Extract<Match, { kind: 'follows' }> | null {
  const logged = inRounds(log);
  const told = inRounds(client);
  const match = matchHistory(logged, told);
  if (match.kind === 'diverges') return null;
  const known = itemsOf(told.slice(0, match.known));
  const rest = itemsOf(told.slice(match.known));
  const gone = new Set(match.superseded);
  const superseded = itemsOf(logged.filter((_, at) => gone.has(at)));
  const kept = itemsOf(logged.filter((_, at) => !gone.has(at)));
  if ([...known].some((at) => rest.has(at))) return null;
  if ([...superseded].some((at) => kept.has(at))) return null;
  const isBeginning = Math.max(-1, ...known) === known.size - 1;
  return isBeginning ? { kind: 'follows', known: known.size, superseded: [...superseded] } : null;
}

/** The pieces one by one, each result right behind its call. */
function inRounds<T extends ToldItem>(items: readonly T[]): Placed<T>[] {
  const rounds: Placed<T>[][] = [];
  const calls = new Map<string, Placed<T>[]>();
  for (const [from, item] of items.entries()) {
    for (const atom of item.atoms) {
      const piece = { ...item, atoms: [atom], from };
      const round = resultOf(atom, calls);
      if (round !== undefined) {
        round.push(piece);
        continue;
      }
      const begun = [piece];
      rounds.push(begun);
      if (atom.anchor !== null && atom.isOfModel) calls.set(atom.anchor, begun);
    }
  }
  return rounds.flat();
}

function resultOf<T>(
  { anchor, isOfModel }: Atom,
  calls: ReadonlyMap<string, T[]>,
): T[] | undefined {
  return anchor === null || isOfModel ? undefined : calls.get(anchor);
}

function itemsOf(pieces: readonly Placed<unknown>[]): Set<number> {
  return new Set(pieces.map(({ from }) => from));
}
