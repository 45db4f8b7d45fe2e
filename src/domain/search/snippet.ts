import type { Matched } from './matches.ts';
import { clusterOf } from './rank.ts';

/** `matches` are places in `text`, in UTF-16 units as JavaScript counts them, in their order. */
export type Snippet = { text: string; matches: { start: number; end: number }[] };

const LENGTH = 240;
/** Of what is shown, so much stands before the first match. */
const BEFORE = 60;
/** How far an end may move to stand between words. */
const SLACK = 20;

/** The part of a text that answers a query best, word for word. */
export function snippetOf(matched: Matched): Snippet {
  const { start } = clusterOf(matched);
  const places = matched.places.flat().flatMap(({ from, to }) => {
    const [first, last] = [matched.parts[from], matched.parts[to]];
    return first === undefined || last === undefined ? [] : [{ start: first.start, end: last.end }];
  });
  return cut(matched.text, start, places);
}

/** The part of a text around a place, with those of the given places that stand in it. */
export function cut(
  text: string,
  at: number,
  places: readonly { start: number; end: number }[],
): Snippet {
  const from = startNear(text, Math.max(0, Math.min(at - BEFORE, text.length - LENGTH)));
  const to = endNear(text, Math.min(text.length, from + LENGTH));
  const matches: Snippet['matches'] = [];
  const inside = places.filter(({ start, end }) => start >= from && end <= to && end > start);
  for (const { start, end } of inside.sort((a, b) => a.start - b.start || b.end - a.end)) {
    const last = matches.at(-1);
    if (last !== undefined && start - from < last.end) last.end = Math.max(last.end, end - from);
    else matches.push({ start: start - from, end: end - from });
  }
  return { text: text.slice(from, to), matches };
}

/** After the next white space, if there is one close by; never inside of a character. */
function startNear(text: string, at: number): number {
  if (at === 0) return 0;
  const space = text.slice(at, at + SLACK).search(/\s/);
  if (space >= 0) return at + space + 1;
  return isSecondHalf(text, at) ? at + 1 : at;
}

function endNear(text: string, at: number): number {
  if (at >= text.length) return text.length;
  for (let end = at; end > at - SLACK; end--) if (/\s/.test(text[end] ?? '')) return end;
  return isSecondHalf(text, at) ? at - 1 : at;
}

function isSecondHalf(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff;
}
