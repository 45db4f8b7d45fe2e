import { z } from '@hono/zod-openapi';
import { ORIGINS } from '../../domain/session/entry.ts';
import { jsonObject, tokenCount } from './common.ts';

export const contextLevels = z
  .object({
    tokens: tokenCount.describe(
      'Tokens of the context: what the provider has counted, where messages bring it, and estimates with their margin.',
    ),
    limit: z.int().openapi({ description: 'What the percentage refers to, in tokens.' }),
    percent_remaining: z.number().describe('How much of that is left, 0 to 100.'),
    is_above_warning: z
      .boolean()
      .describe('It is time to tell the user that the context fills up.'),
    is_above_error: z.boolean().describe('The same, more urgently.'),
    is_above_auto_compact: z.boolean().describe('A compaction is due by the number of tokens.'),
  })
  .openapi('ContextLevels', { description: 'How full the context is.' });

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
    origin: z
      .enum([...ORIGINS, 'added'])
      .describe(
        'What put it there: `log` for an item that was appended, else the part of a compaction; `added`: what the format of the provider asks for.',
      ),
    edited: z.boolean().openapi({ description: 'It is not as it was appended.' }),
    item: jsonObject('The item as the provider takes it.'),
  })
  .openapi('ContextItem', { description: 'An item of a context, with where it is from.' });
