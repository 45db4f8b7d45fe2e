import { z } from '@hono/zod-openapi';
import { SIGNALS } from '../../domain/policy/boundaries.ts';
import { sessionId, timestamp, versionNow } from '../schemas/common.ts';
import { contextLevels } from '../schemas/context.ts';
import { boundaries, percentOfWindow, preflightArmed, tier } from '../schemas/signal.ts';
import { advice, compactionUnderWay } from '../schemas/under-way.ts';

const MOST = 1_000_000;

export const signalBody = z
  .strictObject({
    signal: z.enum(SIGNALS).describe('What has happened in the turn.'),
    needs_follow_up: z.boolean().optional().openapi({
      description: 'With `sampling_complete`: the turn goes on with another model call.',
    }),
    queued_user_messages: z
      .union(
        [z.int().min(0).max(MOST), z.boolean(), z.array(z.unknown()).max(10_000)],
        'must be the number of waiting messages, a list of them, true or false',
      )
      .optional()
      .openapi({
        description:
          'With `turn_complete`: how many messages of the user are waiting. Of a list, only its length is recorded.',
      }),
    review_mode: z
      .boolean()
      .optional()
      .openapi({ description: 'With `turn_complete`: the watcher does nothing.' }),
    completed_steps: z.int().min(0).max(MOST).optional().openapi({
      description: 'With `plan_checkpoint` or `plan_update`: how many steps of the plan are done.',
    }),
  })
  .openapi('PostSignal', {
    description: 'What the client tells of a turn.',
    example: { signal: 'sampling_complete', needs_follow_up: true },
  });

export const observed = z
  .object({
    session_id: sessionId,
    version: versionNow,
    signals: boundaries,
    tier,
    percent_remaining_of_window: percentOfWindow,
    context: contextLevels,
    compaction: compactionUnderWay,
    advice,
    packet: z
      .object({
        prompt: z.string().describe('Give it to the agent; its answer is the packet.'),
        deadline: timestamp.openapi({ description: 'When the service goes on without a packet.' }),
      })
      .nullable()
      .openapi({ description: 'What to ask the agent before the compaction.' }),
    preflight_armed: preflightArmed,
  })
  .openapi('Observed', { description: 'Where the turn stands, and what to do.' });
