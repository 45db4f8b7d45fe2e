/** A number with its noun, thousands apart: `1 line`, `1,234 lines`. For nouns whose plural ends in "s". */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? noun : `${noun}s`}`;
}
