/**
 * Whether a text fits a pattern in which `*` stands for any text. The leftmost place of each piece leaves
 * the most for the next, so nothing is tried twice: a pattern of many stars stays linear.
 */
export function starMatcher(pattern: string): (text: string) => boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return (text) => text === pattern;
  return (text) => {
    if (!text.startsWith(first) || !text.endsWith(last)) return false;
    let from = first.length;
    for (const part of rest) {
      const at = text.indexOf(part, from);
      if (at === -1) return false;
      from = at + part.length;
    }
    return from <= text.length - last.length;
  };
}
