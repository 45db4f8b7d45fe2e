import { z } from '@hono/zod-openapi';
import type { Json } from '../../domain/json.ts';
import { jsonObject } from '../schemas/common.ts';

/** One item of `input`; its codec checks it. The document shows the plainest kind. */
const inputItem = z
  .custom<Json>((value) => value !== undefined, 'must be an item: a JSON object')
  .openapi('ResponseInputItem', {
    type: 'object',
    description:
      'An item of the Responses API: a message, a call, an output, a compaction item. Types that the ' +
      'service does not know are kept as they are.',
    additionalProperties: true,
    required: ['role', 'content'],
    properties: {
      role: { type: 'string', enum: ['user', 'assistant', 'developer'] },
      content: { type: 'string', minLength: 1 },
    },
    example: { role: 'user', content: 'Why does the build fail?' },
  });

/** The body of a request; fields that are not named here are ignored, as clients send many more. */
export const compactRequest = z
  .object({
    model: z.string().min(1).max(200).openapi({
      description:
        'The model of the conversation; it chooses the summariser, like the `model` of a session.',
      example: 'gpt-5.4',
    }),
    input: z
      .union([z.string(), z.array(inputItem)])
      .nullish()
      .openapi({ description: 'The conversation: one user text, or items.' }),
    instructions: z.string().nullish().openapi({
      description:
        'What the summary should also pay attention to; only the first 2,000 tokens count.',
    }),
    previous_response_id: z.string().nullish().openapi({
      description: 'Refused unless null, since this service keeps no responses: send `input`.',
    }),
  })
  .openapi('ResponsesCompactRequest');

const tokens = z.int().min(0);

export const compactedResponse = z
  .object({
    id: z.string(),
    object: z.literal('response.compaction'),
    created_at: z.int().openapi({ description: 'Seconds since 1970.' }),
    output: z.array(jsonObject('An item of the Responses API.')).openapi({
      description:
        'One item of type `compaction` that stands for the whole conversation, the newest user messages ' +
        'as they came included, then tool calls that are still open.',
    }),
    usage: z
      .object({
        input_tokens: tokens,
        input_tokens_details: z.object({ cached_tokens: tokens, cache_write_tokens: tokens }),
        output_tokens: tokens,
        output_tokens_details: z.object({ reasoning_tokens: tokens }),
        total_tokens: tokens,
      })
      .openapi({
        description:
          'Tokens used by the model that wrote the summary; zeros when it was written without one.',
      }),
  })
  .openapi('CompactedResponse');
