/**
 * `text` without the characters at its end that fit `one`, a pattern of a single character. Linear,
 * which a pattern like `/[\s.]+$/` is not: that begins anew at each character of a run inside the text.
 */
export function trimEndOf(text: string, one: RegExp): string {
  let end = text.length;
  while (end > 0 && one.test(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}
