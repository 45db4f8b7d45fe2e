import { z } from 'zod';
import { compact } from '../../app/compact.ts';
import { accept } from '../../domain/session/errors.ts';
import type { Tool } from '../tool.ts';

/** Seconds: clients give up a call after sixty. */
const WAIT_SECONDS = 45;

const input = z.strictObject({
  focus: z
    .string()
    .min(1)
    .max(2_000)
    .optional()
    .describe('What the summary has to tell in any case.'),
});

/** A compaction that the agent itself asks for. */
export const compactTool: Tool<z.infer<typeof input>> = {
  name: 'compact',
  description:
    'Makes room in the context of this conversation: clears old tool results or summarises what is ' +
    'older. Call it between two tasks. Nothing is lost: recall and search_history still find everything.',
  input,
  isReading: false,
  call: async (ports, { ref, signal }, { focus }) => {
    const asked = { mode: 'auto', trigger: 'tool', ...(focus !== undefined && { focus }) } as const;
    const how = { wait_seconds: WAIT_SECONDS, idempotency: null };
    const requested = await compact(ports, ref, asked, how, signal);
    if (!requested.ok) return requested;
    const { compaction, is_under_way } = requested.value;
    if (compaction.message !== null) return accept(compaction.message);
    const { id } = compaction;
    return accept(
      is_under_way
        ? `Compaction ${id} is under way: go on, your context changes once it has ended`
        : `Compaction ${id} has ended: ${compaction.outcome}`,
    );
  },
};
