/** Letters whose plain form is not what is left of them without their marks. */
const PLAIN: Readonly<Record<string, string>> = {
  ß: 'ss',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ı: 'i',
  æ: 'ae',
  œ: 'oe',
};
const SPECIAL = /[ßøłđıæœ]/g;
/** Marks of Latin, Greek and Cyrillic; those of other scripts make other words. */
const MARKS = /[\u0300-\u036f]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: what is not ASCII
const ASCII = /^[\x00-\x7f]*$/;

/** Some characters are short for several, signs among them: `⑴` for `(1)`. No token holds one. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII that is no letter or digit
const SIGNS = /[\x00-\x2f\x3a-\x40\x5b-\x60\x7b-\x7f]/g;

/** A word as it is compared: lower case, without accents and dots, one form of each character. */
export function fold(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  return text
    .normalize('NFKD')
    .replace(MARKS, '')
    .normalize('NFC')
    .toLowerCase()
    .replace(SPECIAL, (letter) => PLAIN[letter] ?? letter)
    .replace(SIGNS, '');
}
