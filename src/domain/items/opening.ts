import type { Speaker } from './item.ts';

/**
 * How far a program speaks that begins like this: to the end of the text, which is what those have who
 * let others speak; to the end of the line; as far as the pattern reaches; as far as another pattern
 * reaches, which stands further down; through the fenced block that follows; through a result, in
 * which the user may have answered; around what it quotes of the user, to words of its own; in front of
 * messages that have waited, each with marks of its own; or as far as the skill reaches that was called,
 * with words of the user or without.
 */
type Extent =
  | 'rest'
  | 'line'
  | 'mark'
  | 'fence'
  | 'result'
  | 'queue'
  | 'skill'
  | { quotesTo: string }
  | RegExp;

/** How a text begins, who says so, and how far: to its end where nothing is said. */
export type Opening = readonly [RegExp, Speaker, Extent?];
