import { withoutTerminalCodes } from '../text.ts';
import type { TextCounter } from '../tokens/count.ts';
import { isDigest } from '../workspace/digest-mark.ts';
import { countsAllPassed, sumsUpFailure } from '../workspace/sums-up.ts';
import { chosenUnits, costOf, type Names } from './choose.ts';
import { codeOutline } from './code.ts';
import { diffOutline } from './diff.ts';
import { encodedOutline } from './encoded.ts';
import { failuresIn, isLogOfFailedJob } from './failures.ts';
import { htmlOutline } from './html.ts';
import { jsonOutline } from './json.ts';
import { type Asked, type Kind, kindOf, showsWhatIs, startOfOutput } from './kind.ts';
import { listingOutline } from './listing.ts';
import { logOutline } from './logs.ts';
import type { Asking, Outline } from './outline.ts';
import { proseOutline } from './prose.ts';
import { searchOutline } from './search.ts';
import { type Source, sourceOf } from './source.ts';
import { tableOutline } from './table.ts';
import { frameOf, written } from './write.ts';

/** A tool result as a digest is made of it. */
export type Result = Asked & {
  text: string;
  /** How to get at the original, where there is a way. */
  recall?: string | null;
};

/** Shorter texts, in tokens, are not worth a digest. */
const LEAST_TOKENS = 200;
/** No digest of an old result is longer than this, in tokens, however long its text is. */
const MOST_TOKENS = 6_000;
const SHARE = 1 / 4;
/** What says why a run has failed may take more. */
const SHARE_OF_FAILED = 3 / 4;
const SHARE_OF_MARKED = 0.9;
const SHARE_OF_NOTES = 0.9;
/** A failed run is told by its lines. */
const SHARE_OF_NOTES_OF_FAILED = 0.06;
/** Characters that the first line and the notes on gaps take. */
const FRAME = 200;
const MOST_TRIES = 8;

/** What a digest is made by. */
type Terms = {
  /** What the result takes now. */
  tokens: number;
  /** What the digest may take. Without it: a quarter of `tokens`, and where the lines of a failure need it up to three quarters. */
  most?: number;
  count: TextCounter;
  names: Names;
};

/**
 * The digest of a tool result (SPEC 2, section 26): what it is, what is left out, and the lines that say
 * most, each with its number. Null where nothing can be said in the tokens that it may take, and for a
 * text that is a digest.
 */
export function digestOf(asItCame: Result, { tokens, most, count, names }: Terms): string | null {
  // The same lines, as a terminal shows them: what begins with a colour begins with its word.
  const result = { ...asItCame, text: withoutTerminalCodes(asItCame.text) };
  if (tokens < LEAST_TOKENS || isDigest(result.text)) return null;
  const total = count(result.text);
  const now = Math.min(tokens, total);
  const least = Math.min(MOST_TOKENS, Math.floor(now * SHARE));
  if (total === 0 || (most ?? least) < LEAST_TOKENS * SHARE) return null;
  const isFailed = result.isFailed || (!showsWhatIs(result.tool) && tellsOfFailure(result.text));
  const source = sourceOf(result.text);
  const failures = failuresIn(source, isFailed);
  const perCharacter = total / result.text.length;
  const isTold = failures.told.length > 0;
  const needed = isTold ? (FRAME + costOfAll(source, failures.told)) * perCharacter : 0;
  const limit =
    most ?? Math.max(least, Math.floor(Math.min(MOST_TOKENS, now * SHARE_OF_FAILED, needed)));
  const characters = limit / perCharacter;
  const shown = outlined(source, { ...result, isFailed }, characters);
  const { outline, start } = shown;
  const { frame, room } = frameOf(shown.source, outline, {
    characters,
    recall: result.recall ?? null,
    shareOfNotes: isFailed ? SHARE_OF_NOTES_OF_FAILED : SHARE_OF_NOTES,
  });
  const said = [outline.what, ...outline.notes.slice(0, frame.notes)].join('\n');
  const { told, marked } = shown.source === source ? failures : failuresIn(shown.source, isFailed);
  const chosen = chosenUnits(shown.source, {
    wanted: [
      { places: told, share: 1 },
      { places: marked, share: SHARE_OF_MARKED },
      { places: outline.first, share: outline.share },
    ],
    below: outline.below,
    start,
    room,
    names: { ...names, known: `${names.known}\n${said}` },
  });
  return longest(chosen, (places) => written(frame, places), limit, count);
}

/** What a pipe or another program hides from the exit code. */
function tellsOfFailure(text: string): boolean {
  return (sumsUpFailure(text) && !countsAllPassed(text)) || isLogOfFailedJob(text);
}

function costOfAll({ units }: Source, places: readonly number[]): number {
  return places.reduce((sum, place) => sum + costOf(units[place]), 0);
}

/** The outline of a text, and the place of the first unit of the output. */
function outlined(
  source: Source,
  result: Result,
  room: number,
): { source: Source; outline: Outline; start: number } {
  const start = startOfOutput(source);
  const asking = { source, start, room };
  const json = jsonOutline(asking);
  if (json !== null) return { source, outline: json, start };
  const kind = kindOf(source, start, result);
  if (kind === 'html' && source.unseen === null) return { ...htmlOutline(source), start: 0 };
  // Nothing of what is encoded is worth quoting.
  const from = kind === 'base64' ? source.units.length : start;
  return { source, outline: outlineOf(kind, asking), start: from };
}

function outlineOf(kind: Kind, asking: Asking): Outline {
  switch (kind) {
    case 'base64':
      return encodedOutline(asking);
    case 'code':
      return codeOutline(asking);
    case 'diff':
      return diffOutline(asking);
    case 'listing':
      return listingOutline(asking);
    case 'log':
      return logOutline(asking, 'output');
    case 'tests':
      return logOutline(asking, 'output of tests');
    case 'search':
      return searchOutline(asking);
    case 'table':
      return tableOutline(asking);
    case 'html':
    case 'prose':
      return proseOutline(asking);
    default:
      return kind satisfies never;
  }
}

/** The digest with as many of the chosen units as fit; null where not even the first line does. */
function longest(
  chosen: readonly number[],
  write: (places: readonly number[]) => string,
  most: number,
  count: TextCounter,
): string | null {
  let best: string | null = null;
  let fits = -1;
  let exceeds = chosen.length + 1;
  let take = chosen.length;
  for (let tries = 0; tries < MOST_TRIES && exceeds - fits > 1; tries++) {
    const text = write(chosen.slice(0, take));
    const tokens = count(text);
    if (tokens <= most) {
      best = text;
      fits = take;
    } else exceeds = take;
    const guess = tokens <= most ? take + 1 : Math.floor((take * most) / tokens) - 1;
    take = guess > fits && guess < exceeds ? guess : Math.floor((fits + exceeds) / 2);
    if (take <= fits) break;
  }
  return best;
}
