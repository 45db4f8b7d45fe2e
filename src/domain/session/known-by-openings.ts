import type { Item } from '../items/item.ts';
import {
  atomsByOpening,
  hasSaid,
  leadingInstructions,
  openingOf,
  type Speaking,
} from '../items/leading-instructions.ts';
import type { LoggedItem, ToldItem } from './match-history.ts';

/** One of the log; `opening`: what it is known by where it is instructions. */
export type Instructed = LoggedItem & Speaking & { opening: string | null };

/**
 * A log and a history that both begin with as many instructions, known by how these begin: with whatever
 * they go on, such as what time it is, the conversation is the same one. Null for others, and until
 * the model has said so many characters (`enough`).
 */
export function knownByOpenings<L extends Instructed, T extends ToldItem & { item: Item }>(
  log: readonly L[],
  client: readonly T[],
  enough: number,
): { log: L[]; client: T[] } | null {
  const told = client.map(({ item }) => item);
  if (!hasSaid(told, enough)) return null;
  const own = log.filter(({ isOurs }) => !isOurs);
  const count = leadingInstructions(own);
  if (count === 0 || count !== leadingInstructions(told)) return null;
  const head = new Set(own.slice(0, count));
  return {
    log: log.map((item) => (head.has(item) ? shortened(item, item.opening) : item)),
    client: client.map((item, at) => (at < count ? shortened(item, openingOf(item.item)) : item)),
  };
}

function shortened<I extends ToldItem>(item: I, opening: string | null): I {
  return opening === null ? item : { ...item, atoms: atomsByOpening(item.atoms, opening) };
}
