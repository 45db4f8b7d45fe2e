import { z } from '@hono/zod-openapi';
import { MAX_VERSION, timestamp, tokenCount, versionNow } from '../schemas/common.ts';
import { contextLevels } from '../schemas/context.ts';
import { LONGEST_PIN_TEXT } from '../schemas/pins.ts';

const text = z
  .string()
  .max(LONGEST_PIN_TEXT)
  .refine((value) => value.trim() !== '', 'must say something')
  .openapi({ description: 'Stands in the context as a message of the user.' });
const seq = z.int().min(1).max(MAX_VERSION).openapi({
  description: 'An item of the session; what it cannot stand without is pinned with it.',
});

export const pinBody = z
  .union([z.strictObject({ text }), z.strictObject({ seq })], {
    error: 'send one of "text" and "seq": what is to be pinned',
  })
  .openapi('AddPin', {
    description: 'What to keep: a text, or an item of the session.',
    example: { text: 'Never touch the folder vendor/.' },
  });

export const pinShown = z
  .object({
    id: z.string().describe('Id of the pin.'),
    text: z.string().nullable().describe('The text that is pinned; null: it is an item.'),
    seq: z.int().nullable().openapi({ description: 'The item that was asked for.' }),
    items: z.array(z.int()).openapi({ description: 'All items that are pinned with it.' }),
    tokens: tokenCount.describe('Tokens of what is pinned, without margin.'),
    version: z.int().describe('The version at which it was pinned.'),
    at: timestamp.openapi({ description: 'When it was pinned.' }),
  })
  .openapi('Pin', { description: 'What stands in every context, word for word.' });

export const pinned = z
  .object({
    pin: pinShown,
    version: versionNow,
    context: contextLevels,
  })
  .openapi('Pinned', { description: 'The pin, and what follows from it.' });
