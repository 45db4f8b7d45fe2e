/**
 * Whether one of some patterns of words in any language stands in a text. Unicode's rules for case cost
 * more than a text in lower case, and its letters six times what those of ASCII do, of which most texts are.
 * `patterns`: in lower case, whatever they match in any case; of classes only `\p{L}` is of Unicode.
 */
export function anyOf(patterns: readonly RegExp[]): (text: string) => boolean {
  const ofLower = patterns.map(({ source }) => new RegExp(source, 'u'));
  const plain = patterns.map(
    ({ source }) =>
      new RegExp(source.replaceAll('[^\\p{L}]', '[^a-z]').replaceAll('\\p{L}', '[a-z]')),
  );
  return (text) => {
    const lower = text.toLowerCase();
    if (!BEYOND_ASCII.test(text)) return plain.some((pattern) => pattern.test(lower));
    // The long s is the only letter that is an s in any case and stays another in lower case.
    const folded = lower.replaceAll('\u017f', 's');
    return ofLower.some((pattern) => pattern.test(folded));
  };
}

const BEYOND_ASCII = /[^\0-\x7f]/;
