import { z } from '@hono/zod-openapi';
import {
  idempotencyHeader,
  preferHeader,
  sessionId,
  timestamp,
  tokenCount,
  versionNow,
} from '../schemas/common.ts';
import { contextLevels } from '../schemas/context.ts';
import { postedItem, storedItem } from '../schemas/item.ts';
import { advice, awaitedCompaction } from '../schemas/under-way.ts';

export const appendBody = z
  .union([
    z.strictObject({
      items: z.array(postedItem).min(1).max(10_000).describe('The items, oldest first.'),
    }),
    z.array(postedItem).min(1).max(10_000),
    postedItem,
  ])
  .openapi('AppendItems', {
    description: 'Items to append: one, an array of them, or an object that holds them.',
    example: {
      items: [
        { role: 'user', content: 'Why does the build fail?' },
        { role: 'assistant', content: 'Let me look at its log.' },
      ],
    },
  });

export const appendHeaders = idempotencyHeader.extend({
  'if-match': z.string().optional().openapi({
    description: 'The version that the session must be at, in quotes such as `"12"`; or `*`.',
  }),
  ...preferHeader.shape,
});

export const appended = z
  .object({
    session_id: sessionId,
    version: versionNow,
    first_seq: z.int().describe('`seq` of the first of these items: its place in the log.'),
    last_seq: z.int().describe('`seq` of the last of them.'),
    context: contextLevels,
    compaction: awaitedCompaction,
    advice,
    note: z.string().nullable().openapi({
      description: 'A note about this request, such as that it waits for a compaction.',
    }),
    message: z
      .string()
      .nullable()
      .openapi({
        description:
          'With `Prefer: wait`, when the compaction has ended that this append has requested: what to ' +
          'show the user who has sent a command, or whose message has waited.',
      }),
  })
  .openapi('Appended', { description: 'What was appended, and what follows from it.' });

export const logItem = z
  .object({
    seq: z.int().describe('Its place in the log.'),
    at: timestamp.openapi({ description: 'When it was appended.' }),
    occurred_at: timestamp
      .nullable()
      .openapi({ description: 'When it was said, where its client or its transcript tells.' }),
    item: storedItem,
    tokens: tokenCount.describe('Its tokens, estimated without margin.'),
  })
  .openapi('LogItem', { description: 'An item of the log.' });
