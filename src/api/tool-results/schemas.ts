import { z } from '@hono/zod-openapi';
import { timestamp } from '../schemas/common.ts';
import { storedItem } from '../schemas/item.ts';
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
