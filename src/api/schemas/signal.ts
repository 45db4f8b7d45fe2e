import { z } from '@hono/zod-openapi';
import { BOUNDARIES, TIERS } from '../../domain/policy/boundaries.ts';

export const boundaries = z
  .array(z.enum(BOUNDARIES))
  .openapi({ description: 'Boundaries seen since the turn began.' });

export const tier = z
  .enum(TIERS)
  .nullable()
  .openapi({ description: 'Null: more is left than any tier asks for.' });

export const percentOfWindow = z
  .int()
  .min(0)
  .max(100)
  .openapi({ description: 'What is left of the whole window, as the tiers measure it.' });

export const preflightArmed = z
  .boolean()
  .openapi({ description: 'The next user message waits for a compaction.' });
