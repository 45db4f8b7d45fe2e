import { z } from '@hono/zod-openapi';
import { FORMATS } from '../../domain/items/codecs.ts';
import { idempotencyHeader, sessionId } from '../schemas/common.ts';
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
    overhead: z
      .int({ error: 'must be a number of tokens, 0 or more' })
      .min(0, 'must be a number of tokens, 0 or more')
      .max(1_000_000_000)
      .optional()
      .openapi({
        description:
          'Tokens of your requests that the count of the context lacks: system prompt, tools, and what ' +
          'the provider counts more. So much of the window is kept free from now on, at most half: ' +
          '`free_space_buffer` of the session is raised where it is smaller. Not for histories whose ' +
          'assistant messages bring their `usage`, which includes it.',
      }),
    on_divergence: z.enum(['fork', 'reject']).optional().openapi({
      description: 'What to do with a history of another past; by default it is forked.',
    }),
  })
  .openapi('Sync', {
    description: 'A history as the client holds it.',
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
    description: 'The version that the session must be at, in quotes such as `"12"`; or `*`.',
  }),
});

const divergence = z
  .object({
    session_id: z.string().openapi({ description: 'The fork: sync with it from now on.' }),
    parent_session_id: z.string().describe('The session that was asked for.'),
    parent_version: z.int().openapi({ description: 'The version of the parent that both share.' }),
    index: z.int().openapi({ description: 'The first item of the history that the parent lacks.' }),
  })
  .openapi('Divergence', {
    description: 'Where a history of another past went: into a fork.',
  });

export const synced = z
  .object({
    session_id: sessionId,
    version: z.int().openapi({ description: 'The version whose context this is.' }),
    matched: z.int().openapi({ description: 'How many of the items were known.' }),
    appended: z.int().openapi({ description: 'How many were new: the rest.' }),
    superseded: z.array(z.int()).openapi({
      description:
        'Items of the log that the history does not have, such as an answer that was asked for again: ' +
        'the context holds them no more.',
    }),
    is_compacted_by_client: z.boolean().openapi({
      description:
        'The history begins with a summary of the client’s own, or keeps a window over the newest only: that was recorded.',
    }),
    divergence: divergence.nullable(),
    compaction: compactionUnderWay,
    advice,
    note: z.string().nullable().openapi({ description: 'As in the answer to an append.' }),
    context: contextLevels
      .extend({
        format: z.enum(FORMATS).describe('Wire format of the items.'),
        items: z.array(contextItem).describe('What to send to the model, in this order.'),
        compacted_tool_ids: z
          .array(z.string())
          .describe('Ids of the tool calls whose results were cleared or digested.'),
        base_compaction_id: z
          .string()
          .nullable()
          .describe('The full compaction that it is built on, if any.'),
        hash: contextHash,
      })
      .openapi('SyncedContext', { description: 'What to send to the model, and how full it is.' }),
  })
  .openapi('Synced', { description: 'What was new, and the context.' });
