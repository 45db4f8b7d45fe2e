import type { Atom } from '../items/atoms.ts';
import { type LoggedItem, type Match, matchHistory, type ToldItem } from './match-history.ts';

/**
 * The match for a client that leaves calls of its own tools out of the history together with their
 * results, once they are over (Mastra does so with those of its working memory), and tells what came
 * behind them. Null for every other. Linear.
 */
export function matchWithoutLeftOutCalls(
  log: readonly LoggedItem[],
  client: readonly ToldItem[],
): Extract<Match, { kind: 'follows' }> | null {
  const told = new Set(client.flatMap(({ atoms }) => atoms.map(({ anchor }) => anchor)));
  const answered = new Set(
    log.flatMap(({ atoms }) => atoms.flatMap((atom) => (atom.isOfModel ? [] : atom.anchor))),
  );
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
  return rest.some(isBehind) && !gone.has(last) ? match : null;
}
