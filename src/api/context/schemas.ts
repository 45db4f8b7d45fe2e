import { z } from '@hono/zod-openapi';
import { FORMATS } from '../../domain/items/codecs.ts';
import {
  idSchema,
  jsonObject,
  MAX_VERSION,
  sessionId,
  tokenCount,
  wholeNumber,
} from '../schemas/common.ts';
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
  'if-none-match': z.string().optional().openapi({
    description: 'An `ETag` from before: the answer is 304 while the context is still that one.',
  }),
});

export const contextBody = z
  .object({
    session_id: sessionId,
    version: z.int().openapi({ description: 'The version whose context this is; also the ETag.' }),
    at: z.int().openapi({ description: 'The version asked for; the same, by default the newest.' }),
    format: z.enum(FORMATS).describe('Wire format of the items.'),
    items: z
      .array(z.union([contextItem, jsonObject('An item as the provider takes it.')]))
      .describe(
        'What to send to the model, in this order; with `origins` each says where it is from.',
      ),
    tokens: tokenCount.describe('Tokens of these items.'),
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
  .openapi('Context', { description: 'What goes to the model at one version.' });
