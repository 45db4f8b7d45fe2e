/*
 * Patterns of words in any language. Unicode's rules for case cost more than a text in lower case, and its
 * letters six times what those of ASCII do, of which most texts are. So all patterns here are in lower case,
 * whatever they match in any case, and of their classes only `\p{L}` is of Unicode.
 */

/** Whether one of the patterns stands in a text. */
export function anyOf(patterns: readonly RegExp[]): (text: string) => boolean {
  const all = patterns.map(({ source }) => new RegExp(source, 'u'));
  const plain = plainSources(patterns).map((source) => new RegExp(source));
  return (text) => {
    const lower = lowerCase(text);
    return (BEYOND_ASCII.test(text) ? all : plain).some((pattern) => pattern.test(lower));
  };
}

/** A text in lower case, with a blank in place of whatever one of the patterns matches. */
export function withoutAny(patterns: readonly RegExp[]): (text: string) => string {
  const all = new RegExp(patterns.map(({ source }) => source).join('|'), 'gu');
  const plain = new RegExp(plainSources(patterns).join('|'), 'g');
  return (text) => lowerCase(text).replace(BEYOND_ASCII.test(text) ? all : plain, ' ');
}

/** The long s is the only letter that is an s in any case and stays another in lower case. */
function lowerCase(text: string): string {
  return text.toLowerCase().replaceAll('\u017f', 's');
}

/** The patterns that may stand in a text of nothing but ASCII, as far as they may. */
function plainSources(patterns: readonly RegExp[]): string[] {
  return patterns
    .map(({ source }) => source)
    .filter((source) => !isOfOtherScript(source))
    .map((source) => source.replaceAll(LETTERS_OR_CLASS, withPlainLetters));
}

/** Letters of any script, on their own or in a class, and whatever is escaped. */
const LETTERS_OR_CLASS = /\\p\{L\}|\\.|\[(?:\\.|[^\]\\])*\]/g;

function withPlainLetters(found: string): string {
  if (found === String.raw`\p{L}`) return '[a-z]';
  return found.startsWith('[') ? found.replaceAll(String.raw`\p{L}`, 'a-z') : found;
}

/** Words of scripts without a letter of ASCII. */
function isOfOtherScript(source: string): boolean {
  return BEYOND_ASCII.test(source) && !/[a-z]/i.test(source.replaceAll(/\\(?:p\{\w+\}|.)/g, ''));
}

const BEYOND_ASCII = /[^\0-\x7f]/;
