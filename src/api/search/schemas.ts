import { z } from '@hono/zod-openapi';
import { STATES } from '../../domain/context/standing.ts';
import { KINDS, ROLES } from '../../domain/search/documents.ts';
import { MAX_VERSION, timestamp, wholeNumber } from '../schemas/common.ts';

const LONGEST_QUERY = 500;
export const DEFAULT_HITS = 10;

const time = (description: string) =>
  z.iso
    .datetime({ offset: true, error: 'must be a time such as 2026-01-02T03:04:05Z' })
    .optional()
    .openapi({ type: 'string', format: 'date-time', description });

const text = (description: string, example: string) =>
  z.string().min(1).max(LONGEST_QUERY).optional().openapi({ description, example });

export const searchQuery = z.object({
  q: text(
    'Words, all of which have to stand there; `"a phrase"`, `begin*`, `-without`, `this OR that`.',
    'prompts.go "connection refused" -test',
  ),
  regex: text('Instead of `q`: a regular expression in the syntax of RE2.', 'E_[A-Z]+_[0-9]+'),
  role: z.enum(ROLES).optional(),
  kind: z.enum(KINDS).optional(),
  tool: z
    .string()
    .min(1)
    .max(256)
    .optional()
    .openapi({ description: 'Name of the tool of a call or result.' }),
  after: wholeNumber(0, MAX_VERSION, 'Only items after this `seq`.').optional(),
  before: wholeNumber(0, MAX_VERSION, 'Only items before this `seq`.').optional(),
  since: time('Only items appended at this time or later.'),
  until: time('Only items appended before this time.'),
  state: z.enum(STATES).optional().openapi({ description: 'Where the item stands now.' }),
  limit: wholeNumber(1, 50, `Hits per page; default ${DEFAULT_HITS}.`).optional(),
  cursor: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .openapi({ description: '`next_cursor` of the page before, with the same query.' }),
});

const hit = z
  .object({
    session_id: z.string().openapi({ description: 'In a fork also that of a parent.' }),
    seq: z.int(),
    at: timestamp,
    role: z.enum(ROLES).nullable(),
    kind: z.enum(KINDS),
    tool: z.string().nullable(),
    tool_use_id: z.string().nullable(),
    snippet: z.string(),
    matches: z
      .array(z.object({ start: z.int(), end: z.int() }))
      .openapi({ description: 'Places in the snippet, in UTF-16 units.' }),
    score: z.number(),
    state: z.enum(STATES).nullable().openapi({
      description: 'Null: it never went to a model, or belongs to a compaction that was reverted.',
    }),
    compaction_id: z
      .string()
      .nullable()
      .openapi({ description: 'The compaction that took it out of the context.' }),
  })
  .openapi('SearchHit');

export const searchAnswer = z
  .object({
    data: z.array(hit),
    next_cursor: z.string().nullable(),
    is_complete: z.boolean().openapi({
      description:
        'False: more may be found than was looked at. Use rarer words, filters, or the cursor.',
    }),
  })
  .openapi('SearchAnswer');
