import { z } from '@hono/zod-openapi';
import { FORMATS } from '../../domain/items/codecs.ts';
import { idempotencyHeader } from '../schemas/common.ts';
import { contextHash, contextItem, contextLevels } from '../schemas/context.ts';
import { postedItem } from '../schemas/item.ts';
import { advice, compactionUnderWay } from '../schemas/under-way.ts';

/** How many times the items of an append a history may have: most of them are known. */
export const HISTORY_FACTOR = 10;

export const syncBody = z
  .strictObject({
    items: z
      .array(postedItem, { error: 'must be an array: the whole history, oldest first' })
      .min(1, 'holds no items: send the whole history')
      .openapi({ description: 'The whole history that the client holds, oldest first.' }),
    format: z
      .enum(FORMATS)
      .optional()
      .openapi({ description: 'Of the items, and of a session that is created.' }),
    wait: z
      .union([z.literal('compaction'), z.boolean()], { error: 'must be "compaction"' })
      .optional()
      .openapi({ description: 'Holds the answer (at most 60 s) while a compaction is under way.' }),
    on_divergence: z.enum(['fork', 'reject']).optional().openapi({
      description: 'What to do with a history of another past; by default it is forked.',
    }),
  })
  .openapi('Sync', {
    example: {
      items: [
        { role: 'user', content: 'Why does the build fail?' },
        { role: 'assistant', content: 'Let me look at its log.' },
        { role: 'user', content: 'And?' },
      ],
    },
  });

export const syncHeaders = idempotencyHeader.extend({
  'if-match': z.string().optional().openapi({
    description: 'The version that the session must be at, in quotes; or *.',
    example: '"12"',
  }),
});

const divergence = z
  .object({
    session_id: z.string().openapi({ description: 'The fork: sync with it from now on.' }),
    parent_session_id: z.string(),
    parent_version: z.int().openapi({ description: 'The version of the parent that both share.' }),
    index: z.int().openapi({ description: 'The first item of the history that the parent lacks.' }),
  })
  .openapi('Divergence');

export const synced = z
  .object({
    session_id: z.string(),
    version: z.int().openapi({ description: 'The version whose context this is.' }),
    matched: z.int().openapi({ description: 'How many of the items were known.' }),
    appended: z.int().openapi({ description: 'How many were new: the rest.' }),
    superseded: z.array(z.int()).openapi({
      description:
        'Items of the log that the history does not have, such as an answer that was asked for again: ' +
        'the context holds them no more.',
    }),
    is_compacted_by_client: z.boolean().openapi({
      description: 'The history begins with a summary of the client’s own, which was recorded.',
    }),
    divergence: divergence.nullable(),
    compaction: compactionUnderWay,
    advice,
    note: z.string().nullable().openapi({ description: 'As in the answer to an append.' }),
    context: contextLevels
      .extend({
        format: z.enum(FORMATS),
        items: z.array(contextItem),
        compacted_tool_ids: z.array(z.string()),
        base_compaction_id: z.string().nullable(),
        hash: contextHash,
      })
      .openapi('SyncedContext'),
  })
  .openapi('Synced');
