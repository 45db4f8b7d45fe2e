import { starMatcher } from '../star-pattern.ts';

/** What no tool is called and no pattern means: most likely a pattern of another language. */
const FOREIGN = /[\s?[\]{}()|\\^$+,;"'`<>]/;

/**
 * Says what is wrong with a list of tool names and patterns, or null. In a pattern `*` stands for any
 * text; `!` in front leaves out the tools that it fits, wherever it stands in the list.
 */
export function toolPatternProblem(patterns: readonly string[]): string | null {
  for (const pattern of patterns) {
    const body = pattern.replace(/^!/, '');
    if (body === '' || body.startsWith('!') || FOREIGN.test(body)) {
      return (
        `"${pattern}" is neither the name of a tool nor a pattern: write a name such as "Bash", use ` +
        '"*" for any text as in "mcp__*", and put "!" in front to leave tools out'
      );
    }
  }
  if (patterns.length > 0 && patterns.every((pattern) => pattern.startsWith('!'))) {
    return 'the list only leaves tools out: add those that are meant, for example "*" for all others';
  }
  return null;
}

/** Whether a tool's name fits a list of names and patterns, in upper or lower case; remembers names. */
export function toolMatcher(patterns: readonly string[]): (name: string) => boolean {
  const lower = patterns.map((pattern) => pattern.toLowerCase());
  const names = new Set(lower.filter((pattern) => !pattern.includes('*')));
  const globs = lower.filter((pattern) => pattern.includes('*'));
  const wanted = globs.filter((glob) => !glob.startsWith('!')).map(starMatcher);
  const unwanted = globs
    .filter((glob) => glob.startsWith('!'))
    .map((glob) => starMatcher(glob.slice(1)));
  const known = new Map<string, boolean>();
  return (name) => {
    const found = known.get(name);
    if (found !== undefined) return found;
    const key = name.toLowerCase();
    const isLeftOut = names.has(`!${key}`) || unwanted.some((fits) => fits(key));
    const isMeant = !isLeftOut && (names.has(key) || wanted.some((fits) => fits(key)));
    known.set(name, isMeant);
    return isMeant;
  };
}
