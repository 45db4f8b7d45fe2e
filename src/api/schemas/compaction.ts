import { z } from '@hono/zod-openapi';
import { compactionRowSchema } from '../../app/ports/event-store.ts';
import { timestamp } from './common.ts';

const { reason, outcome_reason } = compactionRowSchema.shape;

export const compaction = z
  .object({
    session_id: z.string(),
    ...compactionRowSchema.shape,
    reason: reason.openapi({ description: 'Why it was requested.' }),
    outcome_reason: outcome_reason.openapi({ description: 'Why it was skipped or failed.' }),
    requested_at: timestamp,
    ended_at: timestamp.nullable(),
    reverted_at: timestamp.nullable(),
  })
  .openapi('Compaction');
