/** What was looked at, how it stands, and what to do. `note`: it works, but may not be what is wanted. */
export type Finding = {
  check: string;
  verdict: 'ok' | 'note' | 'trouble';
  says: string;
  advice: string | null;
};

export const ok = (check: string, says: string): Finding => ({
  check,
  verdict: 'ok',
  says,
  advice: null,
});
export const note = (check: string, says: string, advice: string): Finding => ({
  check,
  verdict: 'note',
  says,
  advice,
});
export const trouble = (check: string, says: string, advice: string): Finding => ({
  check,
  verdict: 'trouble',
  says,
  advice,
});
