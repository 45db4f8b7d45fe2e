import { parseArgs } from 'node:util';
import { z } from 'zod';
import { FAULTS, type Fault } from './faults.ts';

export type SoakOptions = {
  seed: number;
  clients: number;
  sessions: number;
  store: 'sqlite' | 'postgres';
  queue: 'in-process' | 'bullmq';
  /** Which faults may happen; those that the layout has no server for are left out. */
  faults: readonly Fault[];
  /** It ends after this time, and not before so many kills. */
  duration_ms: number;
  least_kills: number;
  /** Between two faults everything runs for up to this long. */
  quiet_ms: number;
};

const whole = z.coerce.number().int().min(1);

const schema = z.object({
  minutes: z.coerce.number().gt(0).default(5),
  clients: whole.default(8),
  sessions: whole.default(6),
  seed: whole.optional(),
  store: z.enum(['sqlite', 'postgres']).default('postgres'),
  queue: z.enum(['in-process', 'bullmq']).default('bullmq'),
});

export const USAGE =
  'npm run soak -- [--minutes 5] [--clients 8] [--sessions 6] [--seed N] ' +
  '[--store postgres|sqlite] [--queue bullmq|in-process]';

/** Kills that a run has to make for each of its minutes to say anything. */
const KILLS_PER_MINUTE = 6;
const QUIET_MS = 1_500;

/** Reads the command line of `npm run soak`. Throws with the name of an option that is wrong. */
export function readOptions(parameters: readonly string[], newSeed: () => number): SoakOptions {
  const names = schema.keyof().options;
  const { values } = parseArgs({
    args: [...parameters],
    options: Object.fromEntries(names.map((name) => [name, { type: 'string' as const }])),
  });
  const { minutes, seed = newSeed(), ...layout } = schema.parse(values);
  return {
    ...layout,
    seed,
    faults: FAULTS,
    duration_ms: minutes * 60_000,
    least_kills: Math.ceil(minutes * KILLS_PER_MINUTE),
    quiet_ms: QUIET_MS,
  };
}
