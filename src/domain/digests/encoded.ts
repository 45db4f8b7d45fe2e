import { type Asking, type Outline, plainOutline } from './outline.ts';

/** How files begin, in base64. */
const BEGINNINGS: readonly [beginning: string, what: string][] = [
  ['iVBORw0KGgo', 'a PNG image'],
  ['/9j/', 'a JPEG image'],
  ['R0lGOD', 'a GIF image'],
  ['UklGR', 'a RIFF file (WebP, WAV)'],
  ['JVBERi0', 'a PDF document'],
  ['UEsDB', 'a ZIP archive'],
  ['H4sI', 'a gzip file'],
  ['PHN2Zy', 'an SVG image'],
  ['AGFzbQ', 'WebAssembly'],
  ['f0VMRg', 'an ELF program'],
];

/** Base64: what it was, and how many bytes. Nothing of it is worth quoting. */
export function encodedOutline({ source, start }: Asking): Outline {
  const { text, units } = source;
  const from = units[start]?.from ?? 0;
  const head = text.slice(from, from + 200).replace(/^data:[\w/+.;=-]{1,100},/, '');
  const what = BEGINNINGS.find(([beginning]) => head.startsWith(beginning))?.[1];
  return plainOutline(what === undefined ? 'base64 data' : `base64 data, begins as ${what}`);
}
