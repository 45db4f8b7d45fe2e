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
      role: {
        type: 'string',
        enum: ['user', 'assistant', 'developer'],
        description: 'Who speaks.',
      },
      content: { type: 'string', minLength: 1, description: 'What is said: a text, or parts.' },
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
  .openapi('ResponsesCompactRequest', {
    description: 'The body as clients of the OpenAI API send it; other fields are ignored.',
    example: { model: 'gpt-5.4', input: 'Why does the build fail?' },
  });

const tokens = z.int().min(0);

export const compactedResponse = z
  .object({
    id: z.string().describe('A new id; nothing is kept under it.'),
    object: z.literal('response.compaction').describe('As in the OpenAI API.'),
    created_at: z.int().openapi({ description: 'Seconds since 1970.' }),
    output: z.array(jsonObject('An item of the Responses API.')).openapi({
      description:
        'One item of type `compaction` that stands for the whole conversation, the newest user messages ' +
        'as they came included, then tool calls that are still open.',
    }),
    usage: z
      .object({
        input_tokens: tokens.describe('Tokens that were read.'),
        input_tokens_details: z
          .object({
            cached_tokens: tokens.describe('Tokens of them from the cache.'),
            cache_write_tokens: tokens.describe('Tokens of them that were written to the cache.'),
          })
          .describe('How these were read.'),
        output_tokens: tokens.describe('Tokens that were written.'),
        output_tokens_details: z
          .object({ reasoning_tokens: tokens.describe('Always 0: it is not told apart.') })
          .describe('What these were spent on.'),
        total_tokens: tokens.describe('Tokens that were read or written.'),
      })
      .openapi({
        description:
          'Tokens used by the model that wrote the summary; zeros when it was written without one.',
      }),
  })
  .openapi('CompactedResponse', { description: 'The compacted conversation, as OpenAI has it.' });
