import { safeSlice } from '../../domain/text.ts';

/*
 * What others have written never reaches a terminal as it is: escape sequences could move the cursor,
 * change what is shown already or fill the clipboard, and signs that nobody sees could hide or turn
 * round what is said.
 */

/** Of a text that no service of ours has sent, so many characters are quoted. */
export const MOST_OF_FOREIGN = 200;

/** Tabs and ends of lines are the business of the caller. Joiners make one sign of several. */
const UNSEEN = /(?![\t\n\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** The text with controls shown as `␛` or `<U+202E>`; tabs become blanks, line ends stay. */
export function plainText(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replaceAll('\t', '    ')
    .replace(UNSEEN, (sign) => shown(sign.codePointAt(0) ?? 0));
}

/** The beginning of a text, of at most so many characters, in one line without controls. */
export function plainLine(text: string, most: number): string {
  return plainText(safeSlice(text, 0, most).replace(/\s+/g, ' ').trim());
}

/** Of one text a terminal is given so many lines, and characters. */
const MOST_LINES = 400;
const MOST_CHARACTERS = 60_000;

/** A text in its lines without controls; of a very long one the beginning, and how much is missing. */
export function* longText(text: string): Generator<string> {
  const lines = safeSlice(text, 0, MOST_CHARACTERS).split('\n', MOST_LINES);
  for (const line of lines) yield plainText(line);
  const left = text.length - lines.join('\n').length;
  if (left > 0) yield `… ${left.toLocaleString('en-US')} more characters: --json has all`;
}

/** JSON that says the same, with escapes for what a terminal may act upon. */
export function plainJson(json: string): string {
  return json.replace(UNSEEN, (sign) =>
    sign
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

const DELETE = 0x7f;
/** Where Unicode has signs for the 32 controls of ASCII. */
const PICTURES = 0x2400;
const PICTURE_OF_DELETE = '\u2421';

function shown(code: number): string {
  if (code === DELETE) return PICTURE_OF_DELETE;
  if (code < 0x20) return String.fromCodePoint(PICTURES + code);
  return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
}
