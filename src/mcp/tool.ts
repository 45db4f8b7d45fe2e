import type { z } from 'zod';
import type { Ports } from '../app/ports/ports.ts';
import type { Asker } from '../app/recall/reach.ts';
import type { OWN_TOOLS } from '../domain/policy/own-tools.ts';
import type { Outcome } from '../domain/session/errors.ts';

/** Who calls, and when nobody waits for the answer any more. */
export type Caller = Asker & { signal: AbortSignal };

/** What a tool of ours does with arguments that fit its schema. */
export type Tool<Args> = {
  name: (typeof OWN_TOOLS)[number];
  description: string;
  input: z.ZodType<Args>;
  /** Whether it changes nothing: clients need not ask before they call it. */
  isReading: boolean;
  call: (ports: Ports, caller: Caller, args: Args) => Promise<Outcome<string>>;
};
