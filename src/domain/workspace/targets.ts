import { findText } from './find-text.ts';
import { isAnchored, isInside } from './paths.ts';

/** Whether a path, pattern or folder that a command was given means this file. */
type Matcher = (path: string) => boolean;

const PATTERN = /[*?[{$`]/;
/** Signs of a pattern that reach over folders. */
const DEEP = /\*\*|[$`]|\{[^}]{0,200}\//;

/**
 * Reads a word as the name of a file, of a folder that it lies in, or as a pattern. A pattern is
 * compared by what stands in front of its first sign and after its last one: it may match too much,
 * never too little. Without a known folder, a path may begin in any. Null where no file can match that
 * does not have this path itself. `isFolder`: whether files are known in a folder.
 */
export function matcherOf(target: string, isFolder: Matcher): Matcher | null {
  if (target === '') return () => true;
  const start = isAnchored(target) ? '' : '/';
  const at = target.search(PATTERN);
  if (at === -1) {
    if (start === '') return isFolder(target) ? (path) => isInside(path, target) : null;
    const [inside, below, last] = [`/${target}/`, `${target}/`, `/${target}`];
    return (path) =>
      path === target ||
      path.startsWith(below) ||
      path.endsWith(last) ||
      findText(path, inside) !== -1;
  }
  const bare = target.slice(0, at);
  const head = start + bare;
  const tail = tailOf(target.slice(at));
  const depth = DEEP.test(target) ? null : slashesIn(target);
  // A pattern without an ending may match folders, too.
  const isDeepEnough = (path: string) =>
    depth === null || (tail === '' ? slashesIn(path) >= depth : slashesIn(path) === depth);
  return (path) => {
    if (!path.endsWith(tail)) return false;
    if (start === '/') return path.startsWith(bare) || findText(path, head) !== -1;
    return path.startsWith(head) && isDeepEnough(path);
  };
}

/** What it takes to compare one path with a target, besides reading the two. */
const MATCH_COST = 100;

/** What it takes to compare these paths with a target, in characters looked at. */
export function matchingCost(target: string, paths: Iterable<string>): number {
  let cost = 0;
  for (const path of paths) cost += MATCH_COST + 4 * (path.length + target.length);
  return cost;
}

/** What stands after the last sign of a pattern; a variable, a class and a choice end later. */
function tailOf(pattern: string): string {
  const last = Math.max(...['*', '?', ']', '}', ')', '`'].map((sign) => pattern.lastIndexOf(sign)));
  const tail = pattern.slice(last + 1);
  const variable = tail.lastIndexOf('$');
  return variable === -1 ? tail : tail.slice(variable).replace(/^\$\w*/, '');
}

function slashesIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf('/'); at >= 0; at = text.indexOf('/', at + 1)) count++;
  return count;
}
