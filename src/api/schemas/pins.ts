import { z } from '@hono/zod-openapi';
import { sessionParams } from './common.ts';

/** In characters. Long enough for rules; what is longer is an item, or a file. */
export const LONGEST_PIN_TEXT = 20_000;

export const pinParams = sessionParams.extend({
  pin_id: z.string().min(1).max(128).openapi({
    description: 'Id of the pin.',
    example: '01936f5e-8a31-7b40-a6c2-4f0d9e8b7a65',
  }),
});
