/** What a repetition costs beside what it repeats, in instructions. */
const OWN = 1;
const COUNTS = /\{(\d{1,4})(?:,(\d{0,4}))?\}/y;
/** One character or one class: an escape, with its name or number. */
const ESCAPE = /\\(?:[pP](?:\{[^}]*\}|[^{])|x(?:\{[^}]*\}|[^{].?)|.)/sy;
const LITERAL = /\\Q.*?(?:\\E|$)/sy;
/** One that nothing closes goes to the end: looked through from each `[` anew it would take seconds. */
const CLASS = /\[\^?\]?(?:\\.|\[:\^?\w{1,20}:\]|[^\]\\])*(?:\]|\\?$)/sy;
const GROUP = /\((?:\?(?:P?<[^>]*>|[a-zA-Z-]*[:)]))?/y;

/**
 * About how many instructions a regular expression comes to, most often a few more: told from its text
 * alone, since to compile one that repeats a lot takes a second.
 */
export function expressionSize(source: string): number {
  const outer: number[] = [];
  let sum = 0;
  /** What a repetition that follows repeats. */
  let last = 0;
  const add = (size: number) => {
    sum += size;
    last = size;
  };
  for (let at = 0; at < source.length; ) {
    const sign = source[at];
    const text = tokenAt(source, at);
    at += text.length;
    if (sign === '(' && !text.endsWith(')')) {
      outer.push(sum);
      sum = 0;
    } else if (sign === ')') {
      const inside = sum;
      sum = outer.pop() ?? 0;
      add(inside + 2 * OWN);
    } else if (sign === '*' || sign === '+' || sign === '?') {
      sum += OWN;
      last += OWN;
    } else if (sign === '{' && text.length > 1) {
      const repeated = repeatedBy(text, last);
      sum += repeated - last;
      last = repeated;
    } else {
      add(text.startsWith('\\Q') ? text.length : OWN);
    }
  }
  return sum;
}

function repeatedBy(counts: string, size: number): number {
  COUNTS.lastIndex = 0;
  const [, least = '0', most = least] = COUNTS.exec(counts) ?? [];
  const [from, to] = [Number(least), Number(most)];
  // What may be missing is an alternative of its own each time.
  return size * Math.max(from, to, 1) + OWN * Math.max(0, to - from);
}

function tokenAt(source: string, at: number): string {
  const way = WAYS[source[at] ?? ''] ?? [];
  for (const expression of way) {
    expression.lastIndex = at;
    const [text] = expression.exec(source) ?? [];
    if (text !== undefined) return text;
  }
  return source[at] ?? '';
}

const WAYS: Readonly<Record<string, readonly RegExp[]>> = {
  '\\': [LITERAL, ESCAPE],
  '[': [CLASS],
  '(': [GROUP],
  '{': [COUNTS],
};
