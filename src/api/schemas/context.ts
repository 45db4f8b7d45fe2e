import { z } from '@hono/zod-openapi';
import { tokenCount } from './common.ts';

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
