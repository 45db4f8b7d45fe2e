import { z } from '@hono/zod-openapi';
import { modeSchema, triggerSchema } from '../../domain/session/events.ts';

const UNDER_WAY = {
  id: z.string().describe('Id of the compaction.'),
  status: z.enum(['queued', 'running']).describe('Whether a worker has begun with it.'),
  mode: modeSchema.describe('What was asked for; `auto` lets the service choose.'),
  trigger: triggerSchema.describe(
    'Who has asked: the service itself, somebody by hand, or the agent by a tool.',
  ),
};
const reason = z.string().describe('Why it was requested.');

export const runningCompaction = z
  .object(UNDER_WAY)
  .openapi('RunningCompaction', { description: 'A compaction that has not ended.' });

/** In the answers to what may have requested it. */
export const compactionUnderWay = runningCompaction
  .extend({ reason })
  .nullable()
  .openapi({ description: 'The compaction that is under way now.' });

/** The same where the client may have waited for its end. */
export const awaitedCompaction = z
  // Not an extension of the one above: the document would ask for both states at once.
  .object({
    ...UNDER_WAY,
    status: z.enum(['queued', 'running', 'ended']).describe('How far it has come.'),
    reason,
  })
  .nullable()
  .openapi({
    description: 'The compaction that is under way now; with `Prefer: wait`, possibly ended.',
  });

export const advice = z
  .enum(['tag', 'suggest', 'no_natural_boundary'])
  .nullable()
  .openapi({
    description:
      '`tag`, `suggest`: the context would be compacted now if its mode did not forbid it. ' +
      '`no_natural_boundary`: it is not compacted at the end of this turn, since nothing is finished.',
  });
