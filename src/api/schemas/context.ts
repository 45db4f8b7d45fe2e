import { z } from '@hono/zod-openapi';
import { ORIGINS } from '../../domain/session/entry.ts';
import { jsonObject, tokenCount } from './common.ts';

export const contextLevels = z
  .object({
    tokens: tokenCount,
    limit: z.int().openapi({ description: 'What the percentage refers to, in tokens.' }),
    percent_remaining: z.number(),
    is_above_warning: z.boolean(),
    is_above_error: z.boolean(),
    is_above_auto_compact: z.boolean(),
  })
  .openapi('ContextLevels');

export const contextHash = z.string().openapi({
  description:
    'SHA-256 of the canonical JSON of the items: the same for the same log, version and format, on any ' +
    'replica and any day.',
});

export const contextItem = z
  .object({
    seq: z.int().nullable().openapi({
      description: 'The first item of the log that went into it; null for what a compaction made.',
    }),
    origin: z.enum([...ORIGINS, 'added']),
    edited: z.boolean().openapi({ description: 'It is not as it was appended.' }),
    item: jsonObject('The item as the provider takes it.'),
  })
  .openapi('ContextItem');
