/** The largest size to which all can be cut so that together they stay within a budget. */
export function evenShare(sizes: readonly number[], budget: number): number {
  let left = budget;
  const ascending = sizes.toSorted((a, b) => a - b);
  for (const [index, size] of ascending.entries()) {
    const share = Math.floor(left / (ascending.length - index));
    if (size > share) return Math.max(16, share);
    left -= size;
  }
  return Number.MAX_SAFE_INTEGER;
}
