import { NUMBERED } from './kind.ts';
import { type Asking, counted, type Outline, plainOutline } from './outline.ts';
import { textOf } from './source.ts';

const HEADING = /^\s{0,3}#{1,4} \S|^(?:={3,}|-{3,})$|^\*\*[^*]{1,100}\*\*:?$/;
const HEAD = 3;
const TAIL = 2;
const SHARE_OF_ENDS = 0.4;

/** Prose: its beginning and its end, and its headings. */
export function proseOutline({ source, start }: Asking): Outline {
  const filled: number[] = [];
  const headings: number[] = [];
  for (const [place, unit] of source.units.entries()) {
    if (place < start) continue;
    const text = textOf(source, unit).replace(NUMBERED, '').trim();
    if (text === '') continue;
    filled.push(place);
    if (HEADING.test(text) && text.length > 3) headings.push(place);
  }
  const outline = plainOutline(
    headings.length > 0 ? `text, ${counted(headings.length, 'heading')}` : 'text',
  );
  const [first, ...others] = filled.slice(0, HEAD);
  const ends = [first, ...filled.slice(-TAIL).reverse(), ...others];
  outline.first.push(...ends.filter((place) => place !== undefined), ...headings);
  outline.share = SHARE_OF_ENDS;
  return outline;
}
