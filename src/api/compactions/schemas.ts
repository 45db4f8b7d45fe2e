import { z } from '@hono/zod-openapi';
import { usageSchema } from '../../domain/items/item.ts';
import { attributionSchema } from '../../domain/policy/attribution.ts';
import { MAX_INSTRUCTIONS } from '../../domain/policy/commands.ts';
import { configSchema } from '../../domain/policy/config.ts';
import { entrySchema } from '../../domain/session/entry.ts';
import {
  contributorSchema,
  eventSchemas,
  leftOutSchema,
  modeSchema,
  triggerSchema,
} from '../../domain/session/events.ts';
import { hookResultSchema } from '../../domain/session/hook-result.ts';
import { resultEditSchema } from '../../domain/session/result-edits.ts';
import { retentionReportSchema } from '../../domain/session/retention-report.ts';
import { jsonObject, timestamp, tokenCount } from '../schemas/common.ts';
import { compaction, compactionCost } from '../schemas/compaction.ts';
import { contextLevels } from '../schemas/context.ts';

const item = jsonObject('A stored item.');

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
    focus: z.string().min(1).max(2_000).optional(),
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
  .openapi('CompactRequest', { example: { mode: 'full', focus: 'the database migration' } });

/** For requests whose path says it all; a field that one expects to work must not pass unnoticed. */
export const noFields = z.strictObject({}).openapi('NoFields', { example: {} });

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
export const requestedCompaction = compaction.extend(toolMessage).openapi('RequestedCompaction');

const attribution = z
  .object(attributionSchema.shape)
  .openapi('Attribution', { description: 'What led to the request for the compaction.' });

const codexCompaction = z
  .object({
    mode: z.enum(['command', 'auto']),
    command: z.literal('codex-compact'),
    auto: z.boolean().openapi({ description: 'By `auto_compact_token_limit`, not by a command.' }),
    active: z.boolean().openapi({ description: 'It is queued or running.' }),
    reason: z.literal('token_limit').optional(),
    truncated_turns: z
      .int()
      .openapi({ description: 'Turns that the summariser did not get to read.' }),
  })
  .openapi('CodexCompaction');

const resultEdit = z
  .object(resultEditSchema.omit({ content: true }).shape)
  .openapi('ToolResultEdit');

const usage = z
  .object({
    ...usageSchema.shape,
    input: tokenCount.openapi({
      description: 'Without tokens read from or written to the provider’s cache.',
    }),
  })
  .openapi('SummarizerUsage', { description: 'Tokens as the provider counted them.' });

const skip = z
  .object({
    ...eventSchemas['compaction.skipped'].pick({ reason: true, detail: true }).shape,
    contributors: z.array(z.object(contributorSchema.shape)),
  })
  .nullable();

const hookRun = z
  .object({
    at: timestamp,
    ...eventSchemas['hook.ran'].omit({ compaction_id: true }).shape,
    hook: z.string().openapi({ description: 'Its name.' }),
    status: z.int().nullable().openapi({ description: 'HTTP status; null without an answer.' }),
    result: z.object({ ...hookResultSchema.partial().shape, items: z.array(item).optional() }),
  })
  .openapi('HookRun');

const failure = z.object({
  at: timestamp,
  ...eventSchemas['compaction.failed'].omit({ compaction_id: true, attempt: true, model: true })
    .shape,
  usage: usage.nullable(),
});

const micro = z.object({
  ...eventSchemas['compaction.micro_completed'].omit({
    compaction_id: true,
    edits: true,
    is_above_threshold: true,
    is_still_due: true,
    cost_basis: true,
  }).shape,
  result_tokens_before: tokenCount.openapi({
    description: 'Of all tool results that could be cleared, without margin.',
  }),
});

export const compactionDetail = compaction
  .extend({
    request: z.object({
      mode: modeSchema,
      trigger: triggerSchema,
      reason: z.string(),
      instructions: z.string().nullable(),
      focus: z.string().nullable(),
    }),
    attribution,
    proposal: z
      .object({
        state: z.enum(['open', 'applied', 'discarded']),
        proposed_at: timestamp,
        proposed_version: z.int(),
        superseded_by: z.string().nullable().openapi({
          description: 'The compaction that has changed the context since, which discarded it.',
        }),
      })
      .nullable()
      .openapi({
        description:
          'Of a compaction that was asked to `propose`. While it is open, summary, edits and all other ' +
          'fields of the result say what applying it would put in place.',
      }),
    note: z
      .string()
      .nullable()
      .openapi({
        description:
          'What the user is told whose message waits for this compaction; once it has ended, that the ' +
          'request can go on.',
      }),
    metadata: z.object({
      codex_compaction: codexCompaction.nullable().openapi({
        description: 'Of compactions by a command in a message, or by `auto_compact_token_limit`.',
      }),
    }),
    message: z
      .string()
      .nullable()
      .openapi({
        description:
          'Once it has ended. With trigger `tool`: what the agent is told, above all the summary. After a ' +
          'command: what the summariser has written, untouched, for the user. After a compaction that a ' +
          'message of the user has waited for: the note, then the summary.',
      }),
    attempt_history: z.array(
      z.object({
        attempt: z.int(),
        started_at: timestamp,
        failure: failure.nullable(),
      }),
    ),
    hook_runs: z.array(hookRun).openapi({ description: 'The calls of the operator’s hooks.' }),
    user_display_message: z
      .string()
      .nullable()
      .openapi({ description: 'What PreCompact hooks want the user to see.' }),
    config: z.object(configSchema.shape).nullable().openapi('CompactionConfig', {
      description: 'The configuration that the last attempt ran with.',
    }),
    skip: skip.openapi({ description: 'Why nothing was done.' }),
    micro: micro.nullable(),
    cleared_tool_results: z.array(resultEdit),
    through: z.int().nullable().openapi({ description: 'The cut: the last `seq` that it covers.' }),
    boundary: item.nullable().openapi({ type: ['object', 'null'] }),
    summary: z.string().nullable(),
    preserved: z.array(item).openapi({ description: 'User messages kept verbatim.' }),
    restored: z.array(
      z.object({
        kind: z.enum(['file', 'todo', 'plan']),
        path: z.string().nullable(),
        tokens: tokenCount,
      }),
    ),
    tokens: z.object({ covered: tokenCount, replacement: tokenCount }).nullable().openapi({
      description: 'Estimates without margin: what was covered, and what replaced it.',
    }),
    summarizer: z.string().nullable(),
    model: z.string().nullable(),
    template: z.string().nullable(),
    usage: usage.nullable().openapi({
      description:
        'What all model answers cost, those of failed attempts included; null when none was paid for.',
    }),
    cost: compactionCost,
    left_out: z.object(leftOutSchema.shape).nullable(),
    retention: z
      .object({ ...retentionReportSchema.shape, written_share: z.number().optional() })
      .nullable()
      .openapi({
        description:
          'Which of the facts that have to be kept stand in the context after it, by kind; null when nothing was checked.',
      }),
    durations: z.object({ total_ms: z.number(), summarizer_ms: z.number() }).nullable(),
    threshold_exceeded: z
      .object(eventSchemas['compaction.threshold_exceeded'].omit({ compaction_id: true }).shape)
      .nullable(),
  })
  .openapi('CompactionDetail');

export const dryRunBody = z
  .object({
    dry_run: z.literal(true),
    action: z.enum(['skip', 'micro', 'full', 'remote']),
    skip,
    cleared_tool_results: z.array(resultEdit),
    tokens_before: tokenCount,
    tokens_after_micro: tokenCount.openapi({
      description: 'After the mechanical part; as before when nothing is cleared.',
    }),
    through: z.int().nullable(),
    covered_tokens: tokenCount.nullable(),
    kept_tokens: tokenCount.nullable(),
    prompt_tokens: tokenCount
      .nullable()
      .openapi({ description: 'Estimate of the conversation that the summariser would read.' }),
    summary_budget: tokenCount.nullable(),
    files: z.array(z.string()).openapi({ description: 'Files that could be restored.' }),
  })
  .openapi('DryRun');

const diffEntry = z
  .object({
    ...entrySchema.omit({ item: true }).shape,
    seq: z.int().min(1).nullable().openapi({ description: 'Null for what a compaction made.' }),
  })
  .openapi('DiffEntry');

const diffEntryWithItem = diffEntry.extend({ item }).openapi('DiffEntryWithItem');

export const compactionDiff = z
  .object({
    session_id: z.string(),
    compaction_id: z.string(),
    before_version: z.int(),
    after_version: z.int(),
    kept: z.array(diffEntry),
    cleared: z.array(resultEdit),
    removed: z.array(diffEntryWithItem),
    added: z.array(diffEntryWithItem),
    tokens: z.object({
      before: tokenCount,
      after: tokenCount,
      kept: tokenCount,
      cleared: tokenCount.openapi({ description: 'What clearing saved.' }),
      removed: tokenCount,
      added: tokenCount,
    }),
  })
  .openapi('CompactionDiff', {
    description: 'Token figures are estimates without margin.',
  });

export const applied = z
  .object({
    compaction,
    version: z.int(),
    context: contextLevels.openapi({ description: 'The levels of the context from now on.' }),
  })
  .openapi('Applied');

export const reverted = z
  .object({
    compaction,
    version: z.int(),
    context: contextLevels.openapi({ description: 'The levels of the context from now on.' }),
  })
  .openapi('Reverted');
