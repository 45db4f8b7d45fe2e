/**
 * Whether one of some patterns of words in any language stands in a text. A pattern with Unicode's rules
 * for case costs six times what the same one costs without, and most texts have no need of them.
 * `patterns`: in lower case, whatever they match in any case; of classes only `\p{L}` is of Unicode.
 */
export function anyOf(patterns: readonly RegExp[]): (text: string) => boolean {
  const plain = patterns.map(
    ({ source }) =>
      new RegExp(source.replaceAll('[^\\p{L}]', '[^a-z]').replaceAll('\\p{L}', '[a-z]')),
  );
  return (text) => {
    if (BEYOND_ASCII.test(text)) return patterns.some((pattern) => pattern.test(text));
    const lower = text.toLowerCase();
    return plain.some((pattern) => pattern.test(lower));
  };
}

const BEYOND_ASCII = /[^\0-\x7f]/;
