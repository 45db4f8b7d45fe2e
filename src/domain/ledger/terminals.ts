/** Where a shell waits for a command, as it stands in what users copy out of their terminals. */
const PROMPT =
  /^(?:\([\w.-]{1,40}\) )?(?:\[?[\w.-]{1,40}@[\w.-]{1,80}(?::\S{0,120}[$#]|[: ]\S{1,80}(?: [%$#]|\][$#]))|PS [A-Za-z]:\\[^\n>]{0,200}>)(?: |$)/;

/** Opens or closes a block; between two of them nothing is read anyway, and words may stand around. */
const FENCE = /^\s{0,20}```/;

/**
 * A text without what was copied out of a terminal: from the first prompt to the last one, and what that
 * command printed, down to an empty line. What programs print there asks the user for something.
 */
export function withoutTerminals(text: string): string {
  // Lists, not arguments: a message has more lines than a call may have of these.
  const own: (readonly string[])[] = [];
  let lines: string[] = [];
  for (const line of text.split('\n')) {
    if (!FENCE.test(line)) {
      lines.push(line);
      continue;
    }
    own.push(withoutTerminal(lines), [line]);
    lines = [];
  }
  return [...own, withoutTerminal(lines)].flat().join('\n');
}

function withoutTerminal(lines: readonly string[]): readonly string[] {
  const first = lines.findIndex((line) => PROMPT.test(line));
  if (first < 0) return lines;
  const last = lines.findLastIndex((line) => PROMPT.test(line));
  const isWaiting = lines[last]?.replace(PROMPT, '').trim() === '';
  let end = last;
  while (!isWaiting && end + 1 < lines.length && !isEmpty(lines[end + 1])) end++;
  return [...lines.slice(0, first), ...wordsBetween(lines, first, last), ...lines.slice(end + 1)];
}

/** The paragraphs right above a further prompt, between empty lines: there the user may have said something. */
function wordsBetween(lines: readonly string[], first: number, last: number): string[] {
  const words: (readonly string[])[] = [];
  let from = first;
  let isApart = false;
  for (let at = first; at <= last; at++) {
    const line = lines[at] ?? '';
    if (PROMPT.test(line)) {
      if (isApart && isEmpty(lines[at - 1])) words.push(lines.slice(from, at));
      isApart = false;
    } else if (isEmpty(lines[at - 1]) && !isEmpty(line)) {
      isApart = true;
      from = at;
    }
  }
  return words.flat();
}

function isEmpty(line: string | undefined): boolean {
  return line?.trim() === '';
}
