/** A share (0 to 1, or more) in whole percent: 100 only where nothing is missing, 0 only where nothing is there. */
export function wholePercent(share: number): number {
  const percent = Math.round(share * 100);
  if (share < 1) return share > 0 ? Math.min(99, Math.max(1, percent)) : 0;
  return percent;
}
