import type { Atom } from '../items/atoms.ts';
import {
  answeredIn,
  atomsIn,
  type LoggedItem,
  type Match,
  matchHistory,
  type ToldItem,
} from './match-history.ts';

/**
 * The match for a client that leaves calls of its own tools out of the history together with their
 * results, once the user goes on (Mastra does so with those of its working memory), and tells what came
 * behind them. Null for every other, such as one that keeps a window over its newest calls. Linear.
 */
export function matchWithoutLeftOutCalls(
  log: readonly LoggedItem[],
  client: readonly ToldItem[],
): Extract<Match, { kind: 'follows' }> | null {
  const told = new Set(atomsIn(client).map(({ anchor }) => anchor));
  const answered = answeredIn(atomsIn(log));
  const isLeftOut = ({ anchor }: Atom) =>
    anchor !== null && answered.has(anchor) && !told.has(anchor);
  const last = log.findLastIndex(({ isOurs, atoms }) => !isOurs && atoms.some(isLeftOut));
  if (last === -1) return null;
  const rest = log.map((item) =>
    item.isOurs ? item : { ...item, atoms: item.atoms.filter((atom) => !isLeftOut(atom)) },
  );
  const match = matchHistory(rest, client);
  if (match.kind === 'diverges') return null;
  const gone = new Set(match.superseded);
  // Where nothing behind them is told, the client has gone back to before them.
  const isBehind = ({ isOurs, atoms }: LoggedItem, at: number) =>
    at > last && !isOurs && !gone.has(at) && atoms.some(({ isFirm }) => isFirm);
  if (gone.has(last) || !rest.some(isBehind)) return null;
  const own = log.filter(({ isOurs }) => !isOurs);
  return areOfToolsOver([...own, ...client.slice(match.known)], isLeftOut) ? match : null;
}

/** Whether a tool of which a call is left out is called again only after the user has said something. */
function areOfToolsOver(history: readonly ToldItem[], isLeftOut: (atom: Atom) => boolean): boolean {
  let isOver = false;
  const called = new Set<string>();
  for (const atom of atomsIn(history).reverse()) {
    if (atom.call === undefined) {
      if (!atom.isFirm || atom.isOfModel || atom.anchor !== null) continue;
      isOver = true;
      called.clear();
    } else if (!isLeftOut(atom)) called.add(atom.call.name);
    else if (!isOver || called.has(atom.call.name)) return false;
  }
  return true;
}
