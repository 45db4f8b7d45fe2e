import { z } from '@hono/zod-openapi';
import { MAX_INSTRUCTIONS } from '../../domain/policy/commands.ts';
import { entrySchema } from '../../domain/session/entry.ts';
import { modeSchema, triggerSchema } from '../../domain/session/events.ts';
import { sessionId, tokenCount, versionNow } from '../schemas/common.ts';
import { compaction } from '../schemas/compaction.ts';
import { contextLevels } from '../schemas/context.ts';
import { described } from '../schemas/described.ts';

import { editedResults, item, skip } from './parts.ts';

export const compactBody = z
  .strictObject({
    mode: modeSchema.optional().openapi({
      description:
        'Default: auto. `remote` needs a session of format `openai-responses` with a model of OpenAI.',
    }),
    instructions: z
      .string()
      .min(1)
      .max(MAX_INSTRUCTIONS)
      .optional()
      .openapi({ description: 'For the summariser, under a heading of its own in the prompt.' }),
    focus: z
      .string()
      .min(1)
      .max(2_000)
      .optional()
      .openapi({ description: 'What the summary has to keep above all.' }),
    trigger: triggerSchema
      .exclude(['auto'])
      .optional()
      .openapi({
        description:
          'Default: manual. `tool`: the agent itself asks, for instance before it turns to a new task, ' +
          'after a large piece of work, or when it notices that it is losing the thread. The ' +
          '`message` of the compaction is the answer to its call.',
      }),
    dry_run: z
      .boolean()
      .optional()
      .openapi({ description: 'Says what would happen, and appends nothing.' }),
    propose: z
      .boolean()
      .optional()
      .openapi({
        description:
          'Does everything but the last step: the finished candidate waits as a proposal, outcome ' +
          '`proposed`, to be looked at and then applied or discarded.',
      }),
  })
  .refine(({ dry_run, propose }) => dry_run !== true || propose !== true, {
    message: 'a dry run makes no proposal: send one of "dry_run" and "propose"',
  })
  .openapi('CompactRequest', {
    description: 'How to compact. All fields are optional.',
    example: { mode: 'full', focus: 'the database migration' },
  });

/** For requests whose path says it all; a field that one expects to work must not pass unnoticed. */
export const noFields = z.strictObject({}).openapi('NoFields', {
  description: 'Nothing: the path says it all. The body may be left out.',
  example: {},
});

const toolMessage = {
  message: z
    .string()
    .nullable()
    .openapi({
      description:
        'With trigger `tool`, once it has ended: what the agent is told, above all the summary. Of any ' +
        'trigger: that focus or instructions came too late for a compaction that was under way.',
    }),
};

/** What a request for a compaction is answered with. */
export const requestedCompaction = compaction.extend(toolMessage).openapi('RequestedCompaction', {
  description: 'A compaction in short, with what to answer who has asked for it.',
});

export const dryRunBody = z
  .object({
    dry_run: z.literal(true).describe('Says that nothing was done.'),
    action: z.enum(['skip', 'micro', 'full', 'remote']).describe('What a compaction would do.'),
    skip: skip.describe('Why nothing would be done; null when something would.'),
    cleared_tool_results: editedResults,
    tokens_before: tokenCount.describe('Tokens of the context now.'),
    tokens_after_micro: tokenCount.openapi({
      description: 'After the mechanical part; as before when nothing is cleared.',
    }),
    through: z.int().nullable().describe('The cut: the last `seq` that it would cover.'),
    covered_tokens: tokenCount.nullable().describe('Tokens that would be covered, without margin.'),
    kept_tokens: tokenCount.nullable().describe('Tokens behind the cut, without margin.'),
    prompt_tokens: tokenCount
      .nullable()
      .openapi({ description: 'Estimate of the conversation that the summariser would read.' }),
    summary_budget: tokenCount.nullable().describe('Tokens that the summary could have.'),
    files: z.array(z.string()).openapi({ description: 'Files that could be restored.' }),
  })
  .openapi('DryRun', { description: 'What a compaction would do now.' });

const diffEntry = z
  .object({
    ...described(entrySchema.omit({ item: true }).shape, {
      seq: 'The item of the log; null for what a compaction made.',
      tokens: 'Tokens of it, without margin.',
      origin:
        'What put it there: `log` for an item that was appended, else the part of a compaction.',
    }),
  })
  .openapi('DiffEntry', { description: 'One place of a context.' });

const diffEntryWithItem = diffEntry.extend({ item }).openapi('DiffEntryWithItem', {
  description: 'One place of a context, with what stands there.',
});

export const compactionDiff = z
  .object({
    session_id: sessionId,
    compaction_id: z.string().describe('Id of the compaction.'),
    before_version: z.int().describe('The version of the context before.'),
    after_version: z.int().describe('The version of the context after.'),
    kept: z.array(diffEntry).describe('What stands in both, as it is afterwards.'),
    cleared: editedResults,
    removed: z.array(diffEntryWithItem).describe('What stands only in the one before.'),
    added: z.array(diffEntryWithItem).describe('What stands only in the one after.'),
    tokens: z
      .object({
        before: tokenCount.describe('Tokens of the context before.'),
        after: tokenCount.describe('Tokens of the context after.'),
        kept: tokenCount.describe('Tokens of what was kept.'),
        cleared: tokenCount.describe('Tokens that clearing has saved.'),
        removed: tokenCount.describe('Tokens of what was removed.'),
        added: tokenCount.describe('Tokens of what was added.'),
      })
      .describe('Estimates without margin.'),
  })
  .openapi('CompactionDiff', {
    description: 'The context on both sides of a compaction.',
  });

export const applied = z
  .object({
    compaction,
    version: versionNow,
    context: contextLevels,
  })
  .openapi('Applied', { description: 'The proposal that was applied, and what follows from it.' });

export const revertBody = z
  .strictObject({
    cascade: z.boolean().optional().openapi({
      description: 'Takes back the later compactions that build on it, too, newest first.',
    }),
  })
  .openapi('RevertRequest', {
    description: 'How far to go. The body may be left out.',
    example: { cascade: true },
  });

export const reverted = z
  .object({
    compaction,
    reverted: z
      .array(z.string())
      .describe('Ids of what was undone, in that order; more than one with `cascade`.'),
    version: versionNow,
    context: contextLevels,
    note: z.string().nullable().openapi({
      description: 'A warning when the context is above the threshold again.',
    }),
  })
  .openapi('Reverted', {
    description: 'The compaction that was undone, and what follows from it.',
  });
