import { z } from '@hono/zod-openapi';
import { idempotencyHeader, preferHeader, timestamp, tokenCount } from '../schemas/common.ts';
import { contextLevels } from '../schemas/context.ts';
import { postedItem, storedItem } from '../schemas/item.ts';
import { advice, awaitedCompaction } from '../schemas/under-way.ts';
export const appendBody = z
  .union([
    z.strictObject({ items: z.array(postedItem).min(1).max(10_000) }),
    z.array(postedItem).min(1).max(10_000),
    postedItem,
  ])
  .openapi('AppendItems', {
    example: {
      items: [
        { role: 'user', content: 'Why does the build fail?' },
        { role: 'assistant', content: 'Let me look at its log.' },
      ],
    },
  });

export const appendHeaders = idempotencyHeader.extend({
  'if-match': z.string().optional().openapi({
    description: 'The version that the session must be at, in quotes; or *.',
    example: '"12"',
  }),
  ...preferHeader.shape,
});

export const appended = z
  .object({
    session_id: z.string(),
    version: z.int(),
    first_seq: z.int(),
    last_seq: z.int(),
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
  .openapi('Appended');

export const logItem = z
  .object({ seq: z.int(), at: timestamp, item: storedItem, tokens: tokenCount })
  .openapi('LogItem');
