import { z } from '@hono/zod-openapi';
import { compactionRowSchema } from '../../app/ports/event-store.ts';
import { usageSchema } from '../../domain/items/item.ts';
import { timestamp } from './common.ts';

export const compaction = z
  .object({
    session_id: z.string(),
    ...compactionRowSchema.omit({ cost: true }).shape,
    reason: z.string().openapi({ description: 'Why it was requested.' }),
    outcome_reason: z.string().nullable().openapi({ description: 'Why it was skipped or failed.' }),
    requested_at: timestamp,
    ended_at: timestamp.nullable(),
    reverted_at: timestamp.nullable(),
  })
  .openapi('Compaction');

const usd = z.number().nullable();

/** What all answers have taken. */
export const paidTokens = z.object(usageSchema.shape).openapi('PaidTokens', {
  description:
    'Tokens of the summariser as providers counted them; `input` without the cached ones.',
});

export const compactionCost = z
  .object({
    tokens: paidTokens,
    summarizer_usd: usd.openapi({ description: 'What those answers have cost, US dollars.' }),
    cache_write_usd: usd.openapi({
      description:
        'What the first call after it pays beyond the later ones, since the provider has the new ' +
        'context not in its cache yet.',
    }),
    usd: usd.openapi({ description: 'Both together.' }),
    saved_tokens: z
      .int()
      .nullable()
      .openapi({ description: 'What each later call of the model reads less.' }),
    saves_usd_per_call: usd,
    pays_after_calls: z.int().nullable().openapi({
      description: 'Calls of the model after which it has paid for itself.',
    }),
    calls_since: z.int().nullable(),
    unpriced: z.string().nullable().openapi({ description: 'Why a price is null.' }),
  })
  .openapi('CompactionCost');

export const costedCompaction = compaction
  .extend({ cost: compactionCost })
  .openapi('CostedCompaction');
