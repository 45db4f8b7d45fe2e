/** A share (of 1) in whole percent: 100 only where nothing is missing. */
export function wholePercent(share: number): number {
  const percent = Math.round(share * 100);
  return share < 1 ? Math.min(99, percent) : percent;
}
