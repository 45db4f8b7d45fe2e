import { type LoggedItem, type Match, matchHistory, type ToldItem } from './match-history.ts';

/**
 * What a client leaves out of its history: after `opening` items it goes on at the log's item `place`.
 * `known` of its items are in the log then, whose items at `superseded` it does not have.
 */
type ClientCut = { opening: number; place: number; known: number; superseded: number[] };

/** Who asks something beside the conversation sends less of it than this part of what was told before. */
const LEAST_PART = 3;
/** What a history begins with again may stand in the log often: so many places are tried. */
const MOST_PLACES = 16;

/**
 * Finds out whether a history that differs from the log is the log without a stretch of it, up to its end:
 * the client keeps a window over what was said last, and perhaps the beginning. Null when it is not, and
 * where nothing that the model has said, or a call has answered, tells that it is the same conversation, or
 * it holds so little of it that it may ask something beside it.
 * `from`: the first item of the log that it may go on at; `told`: how many items the client told before,
 * where that is known.
 */
export function clientCut(
  log: readonly LoggedItem[],
  client: readonly ToldItem[],
  { known: opening, place: shared }: Extract<Match, { kind: 'diverges' }>,
  { from, told }: { from: number; told: number | null },
): ClientCut | null {
  const rest = client.slice(opening);
  const lead = rest.findIndex((item) => firstWords(item) !== null);
  const first = firstWords(rest[lead]);
  if (first === null) return null;
  let tried = 0;
  const least = (told ?? log.length) / LEAST_PART;
  const earliest = Math.max(from, shared + 1);
  for (let at = earliest; at < log.length; at++) {
    if (firstWords(log[at]) !== first) continue;
    // What says nothing new may stand before it, such as what the model has thought.
    let place = at;
    while (place > earliest && at - place < lead && firstWords(log[place - 1]) === null) place--;
    const match = matchHistory(log.slice(place), rest);
    const known = opening + match.known;
    if (match.kind === 'follows' && known >= least && tellsWhich(rest.slice(0, match.known))) {
      return { opening, place, known, superseded: match.superseded.map((at) => place + at) };
    }
    tried += 1;
    if (tried === MOST_PLACES) return null;
  }
  return null;
}

function firstWords(item: ToldItem | undefined): string | null {
  return item?.atoms.find(({ isFirm }) => isFirm)?.text ?? null;
}

function tellsWhich(items: readonly ToldItem[]): boolean {
  return items.some(({ atoms }) =>
    atoms.some(({ isFirm, isOfModel, anchor }) => isFirm && (isOfModel || anchor !== null)),
  );
}
