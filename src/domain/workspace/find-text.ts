/**
 * Where `wanted` first stands in `text` from `from` on; -1 when it does not. Knuth, Morris and Pratt:
 * linear whatever the two texts are, where `indexOf` can take their product.
 */
export function findText(text: string, wanted: string, from = 0): number {
  if (wanted === '') return from <= text.length ? from : -1;
  if (wanted.length > text.length - from) return -1;
  // Most texts differ early; short wanted texts cannot be slow.
  if (wanted.length <= 32) return text.indexOf(wanted, from);
  const fallbacks = fallbacksOf(wanted);
  let matched = 0;
  for (let at = from; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    while (matched > 0 && wanted.charCodeAt(matched) !== unit) {
      matched = fallbacks[matched - 1] ?? 0;
    }
    if (wanted.charCodeAt(matched) === unit) matched++;
    if (matched === wanted.length) return at - matched + 1;
  }
  return -1;
}

/** For each end of a prefix, how long the longest proper prefix is that also ends there. */
function fallbacksOf(wanted: string): Int32Array {
  const fallbacks = new Int32Array(wanted.length);
  let length = 0;
  for (let at = 1; at < wanted.length; at++) {
    const unit = wanted.charCodeAt(at);
    while (length > 0 && wanted.charCodeAt(length) !== unit) length = fallbacks[length - 1] ?? 0;
    if (wanted.charCodeAt(length) === unit) length++;
    fallbacks[at] = length;
  }
  return fallbacks;
}
