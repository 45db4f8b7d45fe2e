import { z } from '@hono/zod-openapi';
import { compactionRowSchema } from '../../app/ports/event-store.ts';
import { usageSchema } from '../../domain/items/item.ts';
import { sessionId, timestamp } from './common.ts';
import { described } from './described.ts';

export const compaction = z
  .object({
    session_id: sessionId,
    ...described(
      compactionRowSchema.omit({
        cost: true,
        requested_at: true,
        ended_at: true,
        reverted_at: true,
      }).shape,
      {
        id: 'Id of the compaction.',
        status: 'How far it has come; when it has `ended`, `outcome` says how.',
        outcome: 'How it has ended; null before.',
        mode: 'What was asked for; `auto` lets the service choose.',
        trigger: 'Who has asked: the service itself, somebody by hand, or the agent by a tool.',
        reason: 'Why it was requested.',
        outcome_reason: 'Why it was skipped, has failed or was discarded.',
        attempts: 'How often a worker has begun with it.',
        tokens_before: 'Tokens of the context when it began; null before.',
        tokens_after: 'Tokens of the context that it made; null when it made none.',
        requested_version: 'The version of its first event.',
        ended_version: 'The version of the event that ended it; null before.',
      },
    ),
    requested_at: timestamp.openapi({ description: 'When it was requested.' }),
    ended_at: timestamp.nullable().openapi({ description: 'When it ended; null before.' }),
    reverted_at: timestamp
      .nullable()
      .openapi({ description: 'When it was undone; null when it was not.' }),
  })
  .openapi('Compaction', { description: 'A compaction in short.' });

const usd = z.number().nullable();

/** What the reference says of the figures of a provider. */
export const USAGE_FIELDS = {
  input: 'Tokens that were read and neither taken from the provider’s cache nor written to it.',
  output: 'Tokens that were written.',
  cache_read: 'Tokens that were read from the provider’s cache.',
  cache_creation: 'Tokens that were written to the provider’s cache.',
} as const;

/** What all answers have taken. */
export const paidTokens = z
  .object(described(usageSchema.shape, USAGE_FIELDS))
  .openapi('PaidTokens', {
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
    saves_usd_per_call: usd.openapi({ description: 'What that saves, US dollars.' }),
    pays_after_calls: z.int().nullable().openapi({
      description: 'Calls of the model after which it has paid for itself.',
    }),
    calls_since: z.int().nullable().describe('Calls of the model that have followed.'),
    unpriced: z.string().nullable().openapi({ description: 'Why a price is null.' }),
  })
  .openapi('CompactionCost', { description: 'What a compaction has cost, and saves.' });

export const costedCompaction = compaction
  .extend({ cost: compactionCost })
  .openapi('CostedCompaction', { description: 'A compaction in short, with its cost.' });
