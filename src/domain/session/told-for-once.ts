import type { Atom } from '../items/atoms.ts';
import {
  atomsIn,
  type LoggedItem,
  type Match,
  matchHistory,
  type ToldItem,
} from './match-history.ts';

/**
 * The match for a client that puts something into its newest request alone, such as what time it is or
 * what it remembers, and tells its history without that from then on: the same answer stands behind what
 * it still tells. Null for every other. Linear.
 */
export function matchWithoutToldForOnce(
  log: readonly LoggedItem[],
  client: readonly ToldItem[],
): Extract<Match, { kind: 'follows' }> | null {
  const isOfClient = ({ isFirm, isOfModel }: Atom) => isFirm && !isOfModel;
  const isOfModel = ({ isFirm, isOfModel }: Atom) => isFirm && isOfModel;
  const answer = log.findLastIndex((item) => !item.isOurs && item.atoms.some(isOfClient)) + 1;
  const from = log.slice(0, answer).findLastIndex(({ atoms }) => atoms.some(isOfModel)) + 1;
  const before = matchHistory(log.slice(0, from), client);
  if (before.kind === 'diverges' || before.superseded.length > 0) return null;
  const told = atomsIn(client.slice(before.known));
  const next = told.findIndex(isOfModel);
  const given = atomsIn(log.slice(answer)).filter(isOfModel);
  if (!given.some((atom) => isSameAnswer(atom, told[next]))) return null;
  const asked = atomsIn(log.slice(from, answer));
  const kept = told.slice(0, next).filter(isOfClient);
  if (!isPartOf(kept, asked)) return null;
  // With no question, the first answer begins a window, or welcomes somebody else in the same words.
  if (from === 0 && kept.every(({ text }) => text.startsWith('system '))) return null;
  const superseded = log.flatMap(({ isOurs }, at) => (at < from || isOurs ? [] : at));
  return { kind: 'follows', known: before.known, superseded };
}

function isSameAnswer(one: Atom, other: Atom | undefined): boolean {
  if (other === undefined) return false;
  return one.text === other.text || (one.anchor !== null && one.anchor === other.anchor);
}

/** Whether all of these stand among the others, in their order. */
function isPartOf(atoms: readonly Atom[], others: readonly Atom[]): boolean {
  let at = 0;
  for (const { text } of others) if (text === atoms[at]?.text) at += 1;
  return at === atoms.length;
}
