import { z } from '@hono/zod-openapi';
import { sessionId, tokenCount } from '../schemas/common.ts';
import { paidTokens } from '../schemas/compaction.ts';

export const sessionCost = z
  .object({
    session_id: sessionId,
    model: z.string().nullable().openapi({
      description: 'The model of the session, else the newest one that its messages name.',
    }),
    calls: z.int().openapi({ description: 'Calls of that model, as its answers show them.' }),
    prices_date: z.string().openapi({ format: 'date', description: 'The day of the price table.' }),
    model_price: z
      .object({
        input: z.number().describe('Of tokens that are read.'),
        output: z.number().describe('Of tokens that are written.'),
        cache_read: z
          .number()
          .nullable()
          .describe('Of tokens from the cache; null: what other input costs.'),
        cache_write: z
          .number()
          .nullable()
          .describe('Of tokens into the cache; null: what other input costs.'),
      })
      .nullable()
      .openapi({ description: 'US dollars per million tokens.' }),
    model_unpriced: z.string().nullable().openapi({ description: 'Why there is no such price.' }),
    compactions: z.int().describe('Compactions so far, whatever came of them.'),
    tokens: paidTokens,
    usd: z.number().openapi({ description: 'What compactions have cost, of those with a price.' }),
    saved_tokens: tokenCount.openapi({ description: 'Over all calls since.' }),
    saved_usd: z.number().describe('What these have cost less, US dollars.'),
    net_usd: z.number().nullable().openapi({
      description: 'Saved less paid; null while a compaction has no price.',
    }),
    unpriced: z
      .object({
        compactions: z.int().describe('How many.'),
        reason: z.string().nullable().describe('Why, of the newest of them.'),
      })
      .openapi({
        description:
          'Compactions of which a price is not known, and why that of the newest is not.',
      }),
  })
  .openapi('SessionCost', {
    description: 'What all compactions of a session have cost, and saved.',
  });
