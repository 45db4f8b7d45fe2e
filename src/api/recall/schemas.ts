import { z } from '@hono/zod-openapi';
import { STEPS, TRACED_STATES } from '../../domain/context/trace.ts';
import { ORIGINS } from '../../domain/session/entry.ts';
import { resultEditSchema } from '../../domain/session/result-edits.ts';
import {
  idSchema,
  MAX_VERSION,
  sessionParams,
  timestamp,
  tokenCount,
  wholeNumber,
} from '../schemas/common.ts';
import { storedItem } from '../schemas/item.ts';

export const itemParams = sessionParams.extend({
  seq: wholeNumber(1, MAX_VERSION, '`seq` of the item.'),
});

export const traceQuery = z.object({
  session_id: idSchema.optional().openapi({
    description:
      'In a fork: the session whose item it is, as a search names it; default: the fork itself.',
  }),
  at: wholeNumber(1, MAX_VERSION, 'Says where it was at this version.').optional(),
});

const state = z.enum(TRACED_STATES).openapi({
  description:
    'In the context; cleared: a result of it was replaced; summarised: only a summary tells of it; ' +
    'superseded: the client has taken it back; excluded: a command to the service, never sent.',
});
const taker = z.string().nullable().openapi({
  description: 'The compaction that took it away; null where that was the client, or nobody.',
});
const { kind, tool_use_id } = resultEditSchema.shape;

const editedResult = z
  .object({
    tool_use_id,
    kind,
    tokens_before: tokenCount,
    tokens_after: tokenCount,
    compaction_id: z.string().nullable(),
  })
  .openapi('EditedResult');

const step = z
  .object({
    what: z.enum(STEPS),
    session_id: z.string().openapi({ description: 'In whose log it happened.' }),
    version: z.int(),
    at: timestamp,
    compaction_id: z.string().nullable(),
    result: editedResult
      .pick({ tool_use_id: true, tokens_before: true, tokens_after: true })
      .nullable()
      .openapi({ description: 'The result that was cleared, digested or truncated.' }),
    pin_id: z.string().nullable(),
  })
  .openapi('TraceStep');

export const traceBody = z
  .object({
    session_id: z.string(),
    version: z.int().openapi({ description: 'The version of the session that this is told of.' }),
    item: z.object({ session_id: z.string(), seq: z.int(), at: timestamp, tokens: tokenCount }),
    state,
    compaction_id: taker,
    is_verbatim: z.boolean().openapi({
      description: 'It stands in the context as it was appended.',
    }),
    pin_id: z.string().nullable().openapi({ description: 'The pin that keeps it there.' }),
    results: z
      .array(editedResult)
      .openapi({ description: 'Its results that do not stand there as they were appended.' }),
    tokens_cleared: z.int().openapi({ description: 'What that saves, without margin.' }),
    summary: z
      .object({
        session_id: z.string(),
        compaction_id: z.string().nullable(),
        version: z.int(),
        at: timestamp,
      })
      .nullable()
      .openapi({
        description: 'Of what was summarised: the compaction whose summary stands for it now.',
      }),
    restored: z
      .array(
        z.object({
          origin: z.enum(ORIGINS),
          path: z.string().nullable(),
          is_whole: z.boolean().openapi({ description: 'The item itself, word for word.' }),
        }),
      )
      .openapi({ description: 'What that compaction has put back of it.' }),
    history: z.array(step).openapi({ description: 'All that has happened to it, oldest first.' }),
  })
  .openapi('Trace');

export const coveredItem = z
  .object({
    session_id: z.string().openapi({ description: 'In a fork also that of a parent.' }),
    seq: z.int(),
    at: timestamp,
    item: storedItem,
    tokens: tokenCount,
    taken: z
      .enum(['summarised', ...kind.options])
      .openapi({ description: 'What the compaction did to it, or to a result of it.' }),
    state,
    compaction_id: taker,
  })
  .openapi('CoveredItem');
