import { z } from '@hono/zod-openapi';
import { STEPS, TRACED_STATES } from '../../domain/context/trace.ts';
import { ORIGINS } from '../../domain/session/entry.ts';
import { resultEditSchema } from '../../domain/session/result-edits.ts';
import {
  idSchema,
  MAX_VERSION,
  sessionId,
  sessionParams,
  timestamp,
  tokenCount,
  wholeNumber,
} from '../schemas/common.ts';
import { storedItem } from '../schemas/item.ts';

export const itemParams = sessionParams.extend({
  seq: wholeNumber(1, MAX_VERSION, '`seq` of the item.').openapi({ example: 2 }),
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
    tool_use_id: tool_use_id.describe('Id of the tool call.'),
    kind: kind.describe(
      'What stands there now: the placeholder, a digest, or the result without its middle.',
    ),
    tokens_before: tokenCount.describe('Tokens of the result as it was, without margin.'),
    tokens_after: tokenCount.describe('Tokens of what stands there now, without margin.'),
    compaction_id: z.string().nullable().describe('The compaction that did it, where it is known.'),
  })
  .openapi('EditedResult', { description: 'A tool result that is not as it was appended.' });

const step = z
  .object({
    what: z.enum(STEPS).describe('What has happened to the item.'),
    session_id: z.string().openapi({ description: 'In whose log it happened.' }),
    version: z.int().describe('The version of that session at which it happened.'),
    at: timestamp.openapi({ description: 'When it happened.' }),
    compaction_id: z.string().nullable().describe('The compaction that did it; null: none.'),
    result: editedResult
      .pick({ tool_use_id: true, tokens_before: true, tokens_after: true })
      .nullable()
      .openapi({ description: 'The result that was cleared, digested or truncated.' }),
    pin_id: z.string().nullable().describe('The pin that was added or removed.'),
  })
  .openapi('TraceStep', { description: 'One thing that has happened to an item.' });

export const traceBody = z
  .object({
    session_id: sessionId,
    version: z.int().openapi({ description: 'The version of the session that this is told of.' }),
    item: z
      .object({
        session_id: z.string().describe('The session in whose log it stands.'),
        seq: z.int().describe('Its place in that log.'),
        at: timestamp.openapi({ description: 'When it was appended.' }),
        tokens: tokenCount.describe('Its tokens, estimated without margin.'),
      })
      .describe('The item that was asked for.'),
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
        session_id: z.string().describe('The session in whose log it stands.'),
        compaction_id: z.string().nullable().describe('Its id; null: the client’s own compaction.'),
        version: z.int().describe('The version of that session at which it ended.'),
        at: timestamp.openapi({ description: 'When it ended.' }),
      })
      .nullable()
      .openapi({
        description: 'Of what was summarised: the compaction whose summary stands for it now.',
      }),
    restored: z
      .array(
        z.object({
          origin: z.enum(ORIGINS).describe('As which part of the context.'),
          path: z.string().nullable().describe('Path of the file or plan, where it has one.'),
          is_whole: z.boolean().openapi({ description: 'The item itself, word for word.' }),
        }),
      )
      .openapi({ description: 'What that compaction has put back of it.' }),
    history: z.array(step).openapi({ description: 'All that has happened to it, oldest first.' }),
  })
  .openapi('Trace', { description: 'Where an item is now, and how it got there.' });

export const coveredItem = z
  .object({
    session_id: z.string().openapi({ description: 'In a fork also that of a parent.' }),
    seq: z.int().describe('Its place in the log of that session.'),
    at: timestamp.openapi({ description: 'When it was appended.' }),
    item: storedItem,
    tokens: tokenCount.describe('Its tokens, estimated without margin.'),
    taken: z
      .enum(['summarised', ...kind.options])
      .openapi({ description: 'What the compaction did to it, or to a result of it.' }),
    state,
    compaction_id: taker,
  })
  .openapi('CoveredItem', { description: 'An item that a compaction took away.' });
