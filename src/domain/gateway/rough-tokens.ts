const CHARACTERS_PER_TOKEN = 4;

/** About how many tokens so many characters are; below zero none. */
export function roughTokens(characters: number): number {
  return Math.max(0, Math.ceil(characters / CHARACTERS_PER_TOKEN));
}

/** About how many tokens the shorter of two lengths saves, in characters; none where it is longer. */
export function roughlySaved(before: number, after: number): number {
  return Math.max(0, Math.round((before - after) / CHARACTERS_PER_TOKEN));
}
