import { z } from '@hono/zod-openapi';
import { contributorSchema, eventSchemas } from '../../domain/session/events.ts';
import { resultEditSchema } from '../../domain/session/result-edits.ts';
import { jsonObject } from '../schemas/common.ts';
import { described } from '../schemas/described.ts';

export const item = jsonObject('A stored item.');

const resultEdit = z
  .object(
    described(resultEditSchema.omit({ content: true }).shape, {
      seq: 'The item that carries the result, or the call whose input was cut.',
      tool_use_id: 'Id of the tool call, as the provider gave it.',
      kind:
        'What stands there now: the placeholder, a digest, the result without its middle, or the call ' +
        'with its input cut.',
      tokens_before: 'Tokens of the result, or of the call, before, without margin.',
      tokens_after: 'Tokens of what stands there now, without margin.',
    }),
  )
  .openapi('ToolResultEdit', { description: 'A tool result whose content was replaced.' });

export const editedResults = z
  .array(resultEdit)
  .describe('Tool results whose content was replaced.');

/** Why a compaction does nothing. */
export const skip = z
  .object({
    ...described(eventSchemas['compaction.skipped'].pick({ reason: true, detail: true }).shape, {
      reason: 'Why nothing was done, by name.',
      detail: 'The same in words, with the figures.',
    }),
    contributors: z
      .array(
        z.object(
          described(contributorSchema.shape, {
            what: 'A part of the context, in words.',
            tokens: 'Tokens of that part, without margin.',
          }),
        ),
      )
      .describe('What takes the room that cannot be made free, largest first.'),
  })
  .nullable();
