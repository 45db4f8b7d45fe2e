import { z } from '@hono/zod-openapi';
import { sessionId, timestamp } from '../schemas/common.ts';
import { storedItem } from '../schemas/item.ts';

export const toolResultParams = {
  tool_use_id: z.string().min(1).max(512).openapi({
    description: 'Id of the tool call, as the provider gave it.',
    example: 'toolu_01A',
  }),
};

export const toolResult = z
  .object({
    session_id: sessionId.openapi({ description: 'In a fork also that of a parent.' }),
    tool_use_id: z.string().describe('Id of the tool call, in full.'),
    seq: z.int().describe('The item that carries the result.'),
    at: timestamp.openapi({ description: 'When that was appended.' }),
    is_error: z.boolean().describe('The tool has said that it failed.'),
    content: z
      .string()
      .openapi({ description: 'The whole result as text; images only as a note.' }),
    item: storedItem.openapi({
      description: 'The item that carried the result, as it was posted.',
    }),
  })
  .openapi('ToolResult', { description: 'What a tool has answered, in full.' });
