/*
 * Patterns of words in any language. Unicode's rules for case cost more than a text in lower case, and its
 * letters six times what those of ASCII do, of which most texts are. In all patterns here only `\p{L}` is of
 * Unicode among the classes.
 */

/**
 * Whether one of the patterns stands in a text. `patterns`: in lower case, whatever they match in any case.
 */
export function anyOf(patterns: readonly RegExp[]): (text: string) => boolean {
  const ofLower = patterns.map(({ source }) => new RegExp(source, 'u'));
  const plain = plainSources(patterns).map((source) => new RegExp(source));
  return (text) => {
    const lower = text.toLowerCase();
    if (!BEYOND_ASCII.test(text)) return plain.some((pattern) => pattern.test(lower));
    // The long s is the only letter that is an s in any case and stays another in lower case.
    const folded = lower.replaceAll('\u017f', 's');
    return ofLower.some((pattern) => pattern.test(folded));
  };
}

/** A text with a blank in place of whatever one of the patterns matches, in any case. */
export function withoutAny(patterns: readonly RegExp[]): (text: string) => string {
  const all = new RegExp(patterns.map(({ source }) => source).join('|'), 'giu');
  const plain = new RegExp(plainSources(patterns).join('|'), 'gi');
  return (text) => text.replace(BEYOND_ASCII.test(text) ? all : plain, ' ');
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
