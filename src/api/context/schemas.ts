import { z } from '@hono/zod-openapi';
import { FORMATS } from '../../domain/items/codecs.ts';
import { idSchema, jsonObject, MAX_VERSION, tokenCount, wholeNumber } from '../schemas/common.ts';
import { contextHash, contextItem } from '../schemas/context.ts';

export const contextQuery = z.object({
  format: z
    .enum(FORMATS)
    .optional()
    .openapi({ description: 'Wire format of the answer; default: that of the session.' }),
  at: wholeNumber(1, MAX_VERSION, 'Shows the context as it was at this version.').optional(),
  proposal: idSchema.optional().openapi({
    description: 'Id of an open proposal: shows the context that applying it now would give.',
  }),
  wait: z
    .literal('compaction', { error: 'must be "compaction"' })
    .optional()
    .openapi({ description: 'Holds the answer (at most 60 s) while a compaction is under way.' }),
  origins: z
    .enum(['true', 'false'], { error: 'must be "true" or "false"' })
    .transform((value) => value === 'true')
    .optional()
    .openapi({
      type: 'boolean',
      description: 'Each item comes as `{ seq, origin, edited, item }` and says where it is from.',
    }),
});

export const contextHeaders = z.object({
  'if-none-match': z.string().optional().openapi({ example: '"12"' }),
});

export const contextBody = z
  .object({
    session_id: z.string(),
    version: z.int().openapi({ description: 'The version whose context this is; also the ETag.' }),
    at: z.int().openapi({ description: 'The version asked for; the same, by default the newest.' }),
    format: z.enum(FORMATS),
    items: z.array(z.union([contextItem, jsonObject('An item as the provider takes it.')])),
    tokens: tokenCount,
    compacted_tool_ids: z.array(z.string()).openapi({
      description:
        'Ids of the tool calls whose results were cleared or digested, oldest first: ' +
        'GET …/tool-results/:id has them as they were.',
    }),
    base_compaction_id: z.string().nullable().openapi({
      description: 'The full compaction that it is built on, if any.',
    }),
    hash: contextHash,
  })
  .openapi('Context');
