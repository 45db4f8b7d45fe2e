import { z } from '@hono/zod-openapi';
import { usageSchema } from '../../domain/items/item.ts';
import { attributionSchema } from '../../domain/policy/attribution.ts';
import {
  eventSchemas,
  leftOutSchema,
  modeSchema,
  triggerSchema,
} from '../../domain/session/events.ts';
import { hookResultSchema } from '../../domain/session/hook-result.ts';
import { retentionReportSchema } from '../../domain/session/retention-report.ts';
import { timestamp, tokenCount } from '../schemas/common.ts';
import { compaction, compactionCost, USAGE_FIELDS } from '../schemas/compaction.ts';
import { effectiveConfig } from '../schemas/config.ts';
import { described } from '../schemas/described.ts';

import { editedResults, item, skip } from './parts.ts';

const attribution = z
  .object(
    described(attributionSchema.shape, {
      path: 'By which way it was asked for: an append, the middle or end of a turn, a message held back, a command in a message, or a request.',
      tier: 'The tier that asked for it; null: none did.',
      percent_remaining: 'What was left of the window then; null where no tier was asked.',
      boundaries: 'The boundaries that the decision rests on; they are used up by it.',
    }),
  )
  .openapi('Attribution', { description: 'What led to the request for the compaction.' });

const codexCompaction = z
  .object({
    mode: z.enum(['command', 'auto']).describe('By a command in a message, or by the token limit.'),
    command: z.literal('codex-compact').describe('The name that clients of Codex look for.'),
    auto: z.boolean().openapi({ description: 'By `auto_compact_token_limit`, not by a command.' }),
    active: z.boolean().openapi({ description: 'It is queued or running.' }),
    reason: z.literal('token_limit').optional().describe('Stands there when it was not a command.'),
    truncated_turns: z
      .int()
      .openapi({ description: 'Turns that the summariser did not get to read.' }),
  })
  .openapi('CodexCompaction', { description: 'What clients of Codex look for.' });

const usage = z
  .object({
    ...described(usageSchema.shape, USAGE_FIELDS),
  })
  .openapi('SummarizerUsage', { description: 'Tokens as the provider counted them.' });

const retentionKinds = z.array(
  z.object(
    described(retentionReportSchema.shape.kinds.element.shape, {
      kind: 'What kind of fact.',
      total: 'Facts that have to be kept.',
      kept: 'How many of them are.',
      share: 'What is kept of them, 0 to 1, weighted.',
      missing: 'The weightiest of what is missing, each by its beginning.',
    }),
  ),
);

const hookRun = z
  .object({
    at: timestamp.openapi({ description: 'When it was called.' }),
    ...described(eventSchemas['hook.ran'].omit({ compaction_id: true, result: true }).shape, {
      hook: 'Name of the hook.',
      event: 'What it was called for.',
      ok: 'It has answered, and the answer could be used.',
      required: 'Without its answer the compaction fails.',
      status: 'HTTP status; null without an answer.',
      error: 'What went wrong; null: nothing.',
      duration_ms: 'Milliseconds until its answer.',
    }),
    result: z
      .object(
        described(
          { ...hookResultSchema.partial().shape, items: z.array(item).optional() },
          {
            new_custom_instructions: 'What it adds to the instructions of the summariser.',
            user_display_message: 'What it wants the user to see.',
            block: 'It forbids the compaction.',
            items: 'What it puts into the context behind the summary.',
          },
        ),
      )
      .describe('What it has answered, as far as it is used.'),
  })
  .openapi('HookRun', { description: 'A call of a hook of the operator.' });

const failure = z.object({
  at: timestamp.openapi({ description: 'When it failed.' }),
  ...described(
    eventSchemas['compaction.failed'].pick({ reason: true, message: true, will_retry: true }).shape,
    {
      reason: 'What went wrong, by name.',
      message: 'The same in words, without any text of the conversation.',
      will_retry: 'It goes on, with another attempt or with a fallback; false: this was the end.',
    },
  ),
  usage: usage
    .nullable()
    .openapi({ description: 'What answers have cost that came to nothing; null: nothing.' }),
});

const micro = z.object({
  ...described(
    eventSchemas['compaction.micro_completed'].omit({
      compaction_id: true,
      edits: true,
      is_before_reported: true,
      is_above_threshold: true,
      is_still_due: true,
      cost_basis: true,
    }).shape,
    {
      strategy: 'How results were chosen: see `micro_compact_strategy` of the configuration.',
      tokens_saved: 'Tokens that the context has lost by it, without margin.',
      tokens_before: 'Tokens of the context when it began.',
      tokens_after: 'Tokens of the context that it made.',
      result_tokens_before: 'Of all tool results that could be cleared, without margin.',
      result_tokens_after: 'Of the same results afterwards, without margin.',
      duration_ms: 'Milliseconds that it took.',
    },
  ),
});

export const compactionDetail = compaction
  .extend({
    request: z
      .object({
        mode: modeSchema.describe('The mode that was asked for.'),
        trigger: triggerSchema.describe('Who has asked.'),
        reason: z.string().describe('Why it was requested.'),
        instructions: z.string().nullable().describe('What the summariser was told besides.'),
        focus: z.string().nullable().describe('What the summary had to keep above all.'),
      })
      .describe('What was asked for.'),
    attribution,
    proposal: z
      .object({
        state: z.enum(['open', 'applied', 'discarded']).describe('What became of it.'),
        proposed_at: timestamp.openapi({ description: 'When the candidate was finished.' }),
        proposed_version: z.int().describe('The version of the event that holds it.'),
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
    metadata: z
      .object({
        codex_compaction: codexCompaction.nullable().openapi({
          description:
            'Of compactions by a command in a message, or by `auto_compact_token_limit`.',
        }),
      })
      .describe('What clients of other services look for.'),
    message: z
      .string()
      .nullable()
      .openapi({
        description:
          'Once it has ended. With trigger `tool`: what the agent is told, above all the summary. After a ' +
          'command: what the summariser has written, untouched, for the user. After a compaction that a ' +
          'message of the user has waited for: the note, then the summary.',
      }),
    attempt_history: z
      .array(
        z.object({
          attempt: z.int().describe('1 for the first.'),
          started_at: timestamp.openapi({ description: 'When a worker began with it.' }),
          failure: failure.nullable().describe('How it failed; null: it did not.'),
        }),
      )
      .describe('Each time that a worker has begun with it, oldest first.'),
    hook_runs: z.array(hookRun).openapi({ description: 'The calls of the operator’s hooks.' }),
    user_display_message: z
      .string()
      .nullable()
      .openapi({ description: 'What PreCompact hooks want the user to see.' }),
    config: z
      .union([effectiveConfig, z.null()])
      .describe('The configuration that the last attempt ran with; null before the first.'),
    skip: skip.openapi({ description: 'Why nothing was done.' }),
    micro: micro.nullable().describe('Figures of a compaction that cleared tool results.'),
    cleared_tool_results: editedResults,
    through: z.int().nullable().openapi({ description: 'The cut: the last `seq` that it covers.' }),
    boundary: item.nullable().openapi({
      type: ['object', 'null'],
      description: 'The item that marks the place in the context.',
    }),
    summary: z.string().nullable().describe('The summary as it stands in the context.'),
    preserved: z.array(item).openapi({
      description: 'User messages kept verbatim, and calls whose result comes behind the cut.',
    }),
    restored: z
      .array(
        z.object({
          kind: z.enum(['file', 'todo', 'plan']).describe('What was put back.'),
          path: z.string().nullable().describe('Path of the file or plan, where it has one.'),
          tokens: tokenCount.describe('Tokens of it, without margin.'),
        }),
      )
      .describe('What was put back behind the summary, as it was known last.'),
    tokens: z
      .object({
        covered: tokenCount.describe('Tokens of what was covered.'),
        replacement: tokenCount.describe('Tokens of what stands there instead.'),
      })
      .nullable()
      .openapi({
        description: 'Estimates without margin: what was covered, and what replaced it.',
      }),
    summarizer: z
      .string()
      .nullable()
      .describe('Who has written the summary, such as `extractive`.'),
    model: z.string().nullable().describe('The model that wrote it; null: none was asked.'),
    template: z.string().nullable().describe('Name and version of the prompt.'),
    usage: usage.nullable().openapi({
      description:
        'What all model answers cost, those of failed attempts included; null when none was paid for.',
    }),
    cost: compactionCost,
    left_out: z
      .object(
        described(leftOutSchema.shape, {
          cleared_results: 'Tool results of which the summariser saw a placeholder.',
          truncated_results: 'Tool results of which it saw beginning and end.',
          dropped_items: 'Items that it did not see.',
        }),
      )
      .nullable()
      .describe('What the summariser could not be shown, to fit its window.'),
    retention: z
      .object({
        ...described(
          {
            ...retentionReportSchema.shape,
            written_share: z.number().optional(),
            kinds: retentionKinds,
          },
          {
            share: 'What is kept, 0 to 1; facts that were touched lately or often count for more.',
            written_share: 'The same before facts were put back; left out where none were.',
            put_back: 'How many facts were put back.',
            kinds: 'The same by kind of fact.',
          },
        ),
      })
      .nullable()
      .openapi({
        description:
          'Which of the facts that have to be kept stand in the context after it, by kind; null when nothing was checked.',
      }),
    durations: z
      .object({
        total_ms: z.number().describe('Milliseconds of the last attempt.'),
        summarizer_ms: z.number().describe('Milliseconds of them that the summariser took.'),
      })
      .nullable()
      .describe('How long it took; null before its end, and of one that wrote no summary.'),
    threshold_exceeded: z
      .object(
        described(
          eventSchemas['compaction.threshold_exceeded'].omit({ compaction_id: true }).shape,
          {
            post_compact_tokens: 'Tokens of the context that it made.',
            threshold: 'Tokens at which the next compaction is due.',
          },
        ),
      )
      .nullable()
      .describe('Stands there when the context is above its threshold even afterwards.'),
  })
  .openapi('CompactionDetail', { description: 'Everything about a compaction.' });
