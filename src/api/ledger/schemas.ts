import { z } from '@hono/zod-openapi';
import { FACT_SOURCES, FACT_STATES } from '../../domain/ledger/facts.ts';
import { FACT_KINDS } from '../../domain/ledger/ledger.ts';
import { sessionId, timestamp } from '../schemas/common.ts';

const kind = z.enum(FACT_KINDS);
const state = z.enum(FACT_STATES);
const source = z.enum(FACT_SOURCES);

export const ledgerQuery = z.object({
  kind: kind.optional().openapi({ description: 'Only facts of this kind.' }),
  state: state.optional().openapi({ description: 'Only facts in this state.' }),
  source: source.optional().openapi({ description: 'Only what comes from there.' }),
});

const of = z.string().optional().openapi({
  description: 'The session that the numbers are of, where this one was forked from it.',
});

const fact = z
  .object({
    kind: kind.describe('What kind of fact.'),
    seq: z.int().openapi({ description: 'The item that it was said in first.' }),
    last_seq: z.int().openapi({ description: 'The item that has touched it last.' }),
    of,
    state: state.describe('Whether it still holds.'),
    source: source.describe('Who it comes from.'),
    text: z.string().openapi({ description: 'The fact in words; what was said is quoted.' }),
  })
  .openapi('Fact', { description: 'Something that a successor has to know.' });

const epoch = z
  .object({
    from: z.int().describe('Its first `seq`.'),
    through: z.int().describe('Its last `seq`.'),
    at: timestamp.openapi({ description: 'When the compaction ended.' }),
    said_at: z
      .string()
      .optional()
      .describe('When its last item was said (ISO 8601), where its client told it.'),
    compaction_id: z.string().describe('The compaction that has covered it.'),
    of,
  })
  .openapi('Epoch', {
    description: 'A stretch of the session that a full compaction has covered.',
  });

export const ledgerBody = z
  .object({
    session_id: sessionId,
    version: z.int().openapi({ description: 'The version that the facts are of.' }),
    facts: z.array(fact).describe('Kind by kind, oldest first.'),
    epochs: z.array(epoch).describe('What compactions have covered, oldest first.'),
    condensed: z.partialRecord(kind, z.int()).openapi({
      type: 'object',
      description: 'How many facts of a kind gave way to newer ones, where any did.',
    }),
  })
  .openapi('Ledger', { description: 'What the log says that a successor has to know.' });
