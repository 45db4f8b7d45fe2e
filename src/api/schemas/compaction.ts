import { z } from '@hono/zod-openapi';
import { compactionRowSchema } from '../../app/ports/event-store.ts';
import { timestamp } from './common.ts';

export const compaction = z
  .object({
    session_id: z.string(),
    ...compactionRowSchema.shape,
    reason: z.string().openapi({ description: 'Why it was requested.' }),
    outcome_reason: z.string().nullable().openapi({ description: 'Why it was skipped or failed.' }),
    requested_at: timestamp,
    ended_at: timestamp.nullable(),
    reverted_at: timestamp.nullable(),
  })
  .openapi('Compaction');
