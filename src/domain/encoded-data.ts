/** So many characters of it in a row are no word, path or name. */
const LEAST = 200;
/** Of a drawn line, so many characters stay. */
const DRAWN = 20;
const NOTE = '[encoded data]';
const CHARACTERS = charactersOf(
  'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=_-',
);

/**
 * A text with a note in place of each run of 200 characters and more that base64 is made of. Such a run
 * stands at one of every 200th places, so only these are looked at: nearly all texts have none. Of a
 * line that a program has drawn from side to side the beginning stays.
 */
export function withoutEncodedData(text: string): string {
  let rest = '';
  let from = 0;
  for (let at = LEAST - 1; at < text.length; at += LEAST) {
    if (!isOfRun(text, at)) continue;
    let start = at;
    // What the last run has taken ends before a character of no run, so none is read twice.
    while (start > from && isOfRun(text, start - 1)) start--;
    let end = at + 1;
    while (isOfRun(text, end)) end++;
    if (end - start < LEAST) continue;
    rest += text.slice(from, start) + inPlaceOf(text, start, end);
    from = end;
    at = end - 1;
  }
  return from === 0 ? text : rest + text.slice(from);
}

function inPlaceOf(text: string, start: number, end: number): string {
  const drawn = text.slice(start, start + DRAWN);
  if (/[A-Za-z0-9]/.test(drawn)) return NOTE;
  for (let at = start + DRAWN; at < end; at++) if (!drawn.includes(text.charAt(at))) return NOTE;
  return drawn;
}

function isOfRun(text: string, at: number): boolean {
  return CHARACTERS[text.charCodeAt(at)] === 1;
}

function charactersOf(all: string): Uint8Array {
  const characters = new Uint8Array(128);
  for (const one of all) characters[one.charCodeAt(0)] = 1;
  return characters;
}
