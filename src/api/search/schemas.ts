import { z } from '@hono/zod-openapi';
import { STATES } from '../../domain/context/standing.ts';
import { KINDS, ROLES } from '../../domain/search/documents.ts';
import { MAX_VERSION, timestamp, wholeNumber } from '../schemas/common.ts';

const LONGEST_QUERY = 500;
export const DEFAULT_HITS = 50;

const time = (description: string) =>
  z
    .union([z.iso.datetime({ offset: true }), z.iso.date()], {
      error: 'must be a time such as 2026-01-02T03:04:05Z, or a day',
    })
    .optional()
    .openapi({ type: 'string', description });

const text = (description: string) =>
  z.string().min(1).max(LONGEST_QUERY).optional().openapi({ description });

export const searchQuery = z.object({
  q: text(
    'Words, all of which have to stand there; `"a phrase"`, `begin*`, `-without`, `this OR that`.',
  ).openapi({ example: 'build' }),
  regex: text(
    'Instead of `q`: a regular expression in the syntax of RE2, such as `E_[A-Z]+_[0-9]+`.',
  ),
  role: z.enum(ROLES).optional().openapi({ description: 'Only what this role has said.' }),
  kind: z.enum(KINDS).optional().openapi({ description: 'Only parts of this kind.' }),
  tool: z
    .string()
    .min(1)
    .max(256)
    .optional()
    .openapi({ description: 'Name of the tool of a call or result.' }),
  after: wholeNumber(0, MAX_VERSION, 'Only items after this `seq`.').optional(),
  before: wholeNumber(0, MAX_VERSION, 'Only items before this `seq`.').optional(),
  since: time('Only items of this time or later: when they were said, as `at` of a hit.'),
  until: time('Only items of before this time.'),
  state: z.enum(STATES).optional().openapi({ description: 'Where the item stands now.' }),
  limit: wholeNumber(1, 500, `Hits per page; default ${DEFAULT_HITS}.`).optional(),
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
    seq: z.int().describe('The item in which it stands.'),
    at: timestamp.openapi({
      description: 'When that was said, where its client told it; else when it was appended.',
    }),
    role: z.enum(ROLES).nullable().describe('Who has said it.'),
    kind: z.enum(KINDS).describe('What part of the item it is.'),
    tool: z.string().nullable().describe('Name of the tool of a call or result.'),
    tool_use_id: z.string().nullable().describe('Id of that call.'),
    snippet: z.string().describe('The words around what was found.'),
    matches: z
      .array(
        z.object({
          start: z.int().describe('Where it begins.'),
          end: z.int().describe('Where it ends: the first place behind it.'),
        }),
      )
      .openapi({ description: 'Places in the snippet, in UTF-16 units.' }),
    score: z
      .number()
      .describe('How well it fits, higher is better; compare within one answer only.'),
    state: z.enum(STATES).nullable().openapi({
      description: 'Null: it never went to a model, or belongs to a compaction that was reverted.',
    }),
    compaction_id: z
      .string()
      .nullable()
      .openapi({ description: 'The compaction that took it out of the context.' }),
  })
  .openapi('SearchHit', { description: 'A place where it was found.' });

export const searchAnswer = z
  .object({
    data: z.array(hit).describe('The hits of this page, best first.'),
    next_cursor: z
      .string()
      .nullable()
      .describe('Send it as `cursor` for the next page; null: there is none.'),
    is_complete: z.boolean().openapi({
      description:
        'False: more may be found than was looked at. Use rarer words, filters, or the cursor. Also where ' +
        'the archive has lost the file of a session.',
    }),
  })
  .openapi('SearchAnswer', { description: 'What was found.' });
