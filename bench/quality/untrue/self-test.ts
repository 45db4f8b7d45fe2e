import { untrueIn } from './check.ts';
import { HONEST, SEEDED_LIES, sampleSession } from './seeded-lies.ts';

/** How many of the seeded lies the checker finds, and how much it calls untrue where nothing is. */
export function selfTest(): {
  found: number;
  of: number;
  missed: string[];
  false_alarms: string[];
} {
  const session = sampleSession();
  const missed = SEEDED_LIES.filter(({ lie, instead_of, text }) => {
    const summary = HONEST.replace(instead_of, () => text);
    const { untrue } = untrueIn(summary, session);
    return summary === HONEST || !untrue.some((one) => one.lie === lie);
  });
  return {
    found: SEEDED_LIES.length - missed.length,
    of: SEEDED_LIES.length,
    missed: missed.map(({ text }) => text),
    false_alarms: untrueIn(HONEST, session).untrue.map(({ lie, text }) => `${lie}: ${text}`),
  };
}
