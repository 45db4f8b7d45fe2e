import { z } from '@hono/zod-openapi';
import { modeSchema, triggerSchema } from '../../domain/session/events.ts';
import { timestamp, tokenCount } from './common.ts';

export const compaction = z
  .object({
    session_id: z.string(),
    id: z.string(),
    status: z.enum(['queued', 'running', 'ended']),
    outcome: z
      .enum([
        'skipped',
        'not_needed',
        'micro_compacted',
        'full_compacted',
        'remote_compacted',
        'failed',
        'cancelled',
      ])
      .nullable(),
    mode: modeSchema,
    trigger: triggerSchema,
    reason: z.string().openapi({ description: 'Why it was requested.' }),
    outcome_reason: z.string().nullable().openapi({ description: 'Why it was skipped or failed.' }),
    attempts: z.int(),
    tokens_before: tokenCount.nullable(),
    tokens_after: tokenCount.nullable(),
    requested_at: timestamp,
    ended_at: timestamp.nullable(),
    reverted_at: timestamp.nullable(),
    requested_version: z.int(),
    ended_version: z.int().nullable(),
  })
  .openapi('Compaction');
