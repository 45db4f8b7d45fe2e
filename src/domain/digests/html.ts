import { counted, type Outline, plainOutline } from './outline.ts';
import type { Source, Unit } from './source.ts';

const TAG = /<(\/?)([a-zA-Z!][a-zA-Z0-9]{0,20})[^<>]{0,2000}>/g;
const LEAST_TEXT = 3;
const MOST_TEXTS = 8_000;

/**
 * HTML: the stretches of text between its tags take the place of its lines; scripts and styles are no
 * text. Title and headings come first.
 */
export function htmlOutline(source: Source): { source: Source; outline: Outline } {
  const { text, units } = source;
  const found: Unit[] = [];
  const headings: number[] = [];
  let links = 0;
  let hidden = '';
  let place = 0;
  let heading = false;
  let at = units[0]?.from ?? 0;
  const add = (to: number) => {
    let from = at;
    while (from < to && found.length < MOST_TEXTS) {
      while (place < units.length && (units[place]?.to ?? 0) <= from) place += 1;
      const unit = units[place];
      if (unit === undefined || unit.from >= to) return;
      const part = trimmed(text, Math.max(from, unit.from), Math.min(to, unit.to));
      if (part.to - part.from >= LEAST_TEXT) {
        if (heading) headings.push(found.length);
        found.push({ line: unit.line, ...part, isPart: true });
      }
      from = unit.to + 1;
    }
  };
  for (const { index, 0: tag, 1: slash, 2: written = '' } of text.matchAll(TAG)) {
    const name = written.toLowerCase();
    if (hidden === '') add(index);
    at = index + tag.length;
    if (name === 'script' || name === 'style') hidden = slash === '/' ? '' : name;
    if (name === 'a' && slash === '') links += 1;
    if (/^(?:title|h[1-4])$/.test(name)) heading = slash === '';
  }
  if (hidden === '') add(text.length);
  const outline = plainOutline(
    `text of HTML, ${counted(headings.length, 'heading')}, ${counted(links, 'link')}`,
  );
  outline.first = headings;
  return { source: { ...source, units: found }, outline };
}

function trimmed(text: string, from: number, to: number): { from: number; to: number } {
  let [start, end] = [from, to];
  while (start < end && text.charCodeAt(start) <= 32) start += 1;
  while (end > start && text.charCodeAt(end - 1) <= 32) end -= 1;
  return { from: start, to: end };
}
