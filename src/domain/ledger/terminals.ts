/** Where a shell waits for a command, as it stands in what users copy out of their terminals. */
const PROMPT =
  /^(?:\([\w.-]{1,40}\) )?(?:\[?[\w.-]{1,40}@[\w.-]{1,80}(?::\S{0,120}[$#]|[: ]\S{1,80}(?: [%$#]|\][$#]))|PS [A-Za-z]:\\[^\n>]{0,200}>)(?: |$)/;

/**
 * A text without what was copied out of a terminal: from the first prompt to the last one, and what that
 * command printed, down to an empty line. What programs print there asks the user for something.
 */
export function withoutTerminals(text: string): string {
  const lines = text.split('\n');
  const first = lines.findIndex((line) => PROMPT.test(line));
  if (first < 0) return text;
  let end = lines.findLastIndex((line) => PROMPT.test(line));
  const isWaiting = lines[end]?.replace(PROMPT, '').trim() === '';
  while (!isWaiting && end + 1 < lines.length && lines[end + 1]?.trim() !== '') end++;
  return [...lines.slice(0, first), ...lines.slice(end + 1)].join('\n');
}
