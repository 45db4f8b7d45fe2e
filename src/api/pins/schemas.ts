import { z } from '@hono/zod-openapi';
import { MAX_VERSION, sessionParams, timestamp, tokenCount } from '../schemas/common.ts';
import { contextLevels } from '../schemas/context.ts';

/** Long enough for rules; what is longer is an item, or a file. */
const LONGEST_TEXT = 20_000;

const text = z
  .string()
  .max(LONGEST_TEXT)
  .refine((value) => value.trim() !== '', 'must say something')
  .openapi({ description: 'Stands in the context as a message of the user.' });
const seq = z.int().min(1).max(MAX_VERSION).openapi({
  description: 'An item of the session; what it cannot stand without is pinned with it.',
});

export const pinBody = z
  .union([z.strictObject({ text }), z.strictObject({ seq })])
  .openapi('AddPin', { example: { text: 'Never touch the folder vendor/.' } });

export const pinParams = sessionParams.extend({
  pin_id: z.string().min(1).max(128).openapi({ description: 'Id of the pin.' }),
});

export const pinShown = z
  .object({
    id: z.string(),
    text: z.string().nullable(),
    seq: z.int().nullable().openapi({ description: 'The item that was asked for.' }),
    items: z.array(z.int()).openapi({ description: 'All items that are pinned with it.' }),
    tokens: tokenCount,
    version: z.int(),
    at: timestamp,
  })
  .openapi('Pin');

export const pinned = z
  .object({
    pin: pinShown,
    version: z.int(),
    context: contextLevels,
  })
  .openapi('Pinned');
