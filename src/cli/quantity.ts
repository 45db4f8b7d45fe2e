/** A count with its noun: `1 session`, `2 sessions`. For nouns whose plural ends in "s". */
export function quantity(count: number, noun: string): string {
  return `${count} ${count === 1 ? noun : `${noun}s`}`;
}
