import { z } from '@hono/zod-openapi';
import type { Json } from '../../domain/json.ts';
import { idempotencyHeader, jsonObject, preferHeader, timestamp, tokenCount } from './common.ts';
import { contextLevels } from './context.ts';
import { advice, awaitedCompaction } from './under-way.ts';

/**
 * One item of a request. Not checked here: the session's format decides, and its codec checks it in
 * the domain. The document shows what all formats have in common.
 */
export const postedItem = z
  .custom<Json>((value) => value !== null && value !== undefined, 'must be an item: a JSON object')
  .openapi('Item', {
    type: 'object',
    description:
      'A message in the format of the session, stored exactly as it comes, or a control item.',
    anyOf: [
      {
        type: 'object',
        description: 'A message.',
        additionalProperties: true,
        required: ['role', 'content'],
        properties: {
          role: { type: 'string', enum: ['user', 'assistant'] },
          content: { type: 'string', minLength: 1 },
        },
      },
      {
        type: 'object',
        description: 'A control item.',
        additionalProperties: true,
        required: ['type', 'attachment'],
        properties: {
          type: { type: 'string', const: 'attachment' },
          attachment: {
            type: 'object',
            additionalProperties: true,
            required: ['kind', 'path', 'content'],
            properties: {
              kind: { type: 'string', enum: ['file', 'todo', 'plan', 'memory'] },
              path: { type: 'string', minLength: 1 },
              content: { type: 'string' },
            },
          },
        },
      },
      {
        type: 'object',
        description: 'A control item that never reaches the model.',
        additionalProperties: true,
        required: ['type'],
        properties: { type: { type: 'string', enum: ['progress', 'ghost_snapshot'] } },
      },
    ],
    example: { role: 'user', content: 'Why does the build fail?' },
  });

/** An item in an answer. */
export const storedItem = jsonObject('An item exactly as it was posted.').openapi('StoredItem');

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

export const toolResultParams = {
  tool_use_id: z.string().min(1).max(512).openapi({
    description: 'Id of the tool call, as the provider gave it.',
    example: 'toolu_01A',
  }),
};

export const toolResult = z
  .object({
    session_id: z.string(),
    tool_use_id: z.string(),
    seq: z.int(),
    at: timestamp,
    is_error: z.boolean(),
    content: z
      .string()
      .openapi({ description: 'The whole result as text; images only as a note.' }),
    item: storedItem.openapi({
      description: 'The item that carried the result, as it was posted.',
    }),
  })
  .openapi('ToolResult');
