/**
 * A bound on the work of one fold, in characters looked at: many edits of a very large file would
 * otherwise take seconds. What is not done any more is reported as not known, never guessed.
 */
export class Effort {
  private left: number;

  constructor(characters = 60_000_000) {
    this.left = characters;
  }

  /** Whether so many characters may still be looked at; they are taken from what is left. */
  spend(characters: number): boolean {
    if (characters > this.left) return false;
    this.left -= characters;
    return true;
  }
}
