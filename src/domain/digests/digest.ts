import type { TextCounter } from '../tokens/count.ts';
import { isDigest } from '../workspace/digest-mark.ts';
import { chosenUnits, type Names } from './choose.ts';
import { codeOutline } from './code.ts';
import { diffOutline } from './diff.ts';
import { encodedOutline } from './encoded.ts';
import { failuresIn } from './failures.ts';
import { htmlOutline } from './html.ts';
import { jsonOutline } from './json.ts';
import { type Asked, type Kind, kindOf, startOfOutput } from './kind.ts';
import { listingOutline } from './listing.ts';
import { logOutline } from './logs.ts';
import type { Asking, Outline } from './outline.ts';
import { proseOutline } from './prose.ts';
import { searchOutline } from './search.ts';
import { type Source, sourceOf } from './source.ts';
import { tableOutline } from './table.ts';
import { frameOf, written } from './write.ts';

/** A tool result as a digest is made of it. */
export type Result = Asked & { text: string };

/** Shorter texts, in tokens, are not worth a digest. */
const LEAST_TOKENS = 200;
/** No digest is longer than this, in tokens, however long its text is. */
const MOST_TOKENS = 6_000;
const SHARE = 1 / 4;
const SHARE_OF_FAILURES = 0.9;
const SHARE_OF_NOTES = 0.9;
/** A failed run is told by its lines. */
const SHARE_OF_NOTES_OF_FAILED = 0.06;
const MOST_TRIES = 8;

/**
 * The digest of a tool result (SPEC 2, section 26): what it is, what is left out, and the lines that say
 * most, each with its number. It takes at most a quarter of `tokens`, which is what the result takes
 * now. Null where nothing can be said in that, and for a text that is a digest.
 */
export function digestOf(
  result: Result,
  { tokens, count, names }: { tokens: number; count: TextCounter; names: Names },
): string | null {
  if (tokens < LEAST_TOKENS || isDigest(result.text)) return null;
  const total = count(result.text);
  const most = Math.min(MOST_TOKENS, Math.floor(Math.min(tokens, total) * SHARE));
  if (total === 0 || most < LEAST_TOKENS * SHARE) return null;
  const characters = (result.text.length * most) / total;
  const { source, outline, start } = outlined(result, characters);
  const { frame, room } = frameOf(source, outline, {
    characters,
    shareOfNotes: result.isFailed ? SHARE_OF_NOTES_OF_FAILED : SHARE_OF_NOTES,
  });
  const said = [outline.what, ...outline.notes.slice(0, frame.notes)].join('\n');
  const chosen = chosenUnits(source, {
    wanted: [
      { places: failuresIn(source, result.isFailed), share: SHARE_OF_FAILURES },
      { places: outline.first, share: outline.share },
    ],
    below: outline.below,
    start,
    room,
    names: { ...names, known: `${names.known}\n${said}` },
  });
  return longest(chosen, (places) => written(frame, places), most, count);
}

/** The text taken apart, its outline, and the place of the first unit of the output. */
function outlined(
  result: Result,
  room: number,
): { source: Source; outline: Outline; start: number } {
  const source = sourceOf(result.text);
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
