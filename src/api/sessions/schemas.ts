import { z } from '@hono/zod-openapi';
import { FORMATS } from '../../domain/items/codecs.ts';
import { PROFILES } from '../../domain/policy/profiles.ts';
import { idSchema, jsonObject, MAX_VERSION, timestamp, tokenCount } from '../schemas/common.ts';
import { configOverrides, effectiveConfig, MAX_CONTEXT_WINDOW } from '../schemas/config.ts';
import { contextLevels } from '../schemas/context.ts';
import { postedItem } from '../schemas/item.ts';
import { boundaries, percentOfWindow, preflightArmed, tier } from '../schemas/signal.ts';
import { runningCompaction } from '../schemas/under-way.ts';

const format = z.enum(FORMATS).openapi({ description: 'Wire format of the items.' });
const profile = z.enum(PROFILES).openapi({ description: 'Named set of configuration defaults.' });
const model = z
  .string()
  .min(1)
  .max(200)
  .describe(
    'Name of the model that the context is for: it tells the window, the provider and the price.',
  );
/** In less there is no room for a summary beside the message that it makes room for. */
const MIN_CONTEXT_WINDOW = 1_000;
const windowRange = `must be a whole number of tokens from ${MIN_CONTEXT_WINDOW} to ${MAX_CONTEXT_WINDOW}, such as 200000`;
const contextWindow = z
  .int(windowRange)
  .min(MIN_CONTEXT_WINDOW, windowRange)
  .max(MAX_CONTEXT_WINDOW, windowRange)
  .openapi({ description: 'Tokens that the model takes, answer included.' });

const METADATA_BYTES = 65_536;
/** Limited because it is part of every answer about the session, and kept in memory. */
const metadata = jsonObject(
  'Anything that the client wants to keep with the session; at most 64 KiB of JSON.',
).refine((value) => Buffer.byteLength(JSON.stringify(value)) <= METADATA_BYTES, {
  message: 'has more than 64 KiB of JSON: keep large things elsewhere and refer to them',
});

export const createSessionBody = z
  .strictObject({
    id: idSchema.optional().openapi({ description: 'Default: a UUIDv7.' }),
    format: format.optional().openapi({ description: 'Default: anthropic.' }),
    profile: profile.optional().openapi({ description: 'Default: default.' }),
    config: configOverrides.optional(),
    model: model.optional(),
    context_window: contextWindow
      .optional()
      .openapi({ description: 'Tokens. Default: that of the model, else 200,000.' }),
    initial_context: z
      .array(postedItem)
      .max(1_000)
      .optional()
      .openapi({ description: 'Items that survive every compaction.' }),
    metadata: metadata.optional(),
  })
  .openapi('CreateSession', {
    description: 'Settings of a new session. All are optional.',
    example: {
      id: 'support-4711',
      format: 'anthropic',
      model: 'claude-sonnet-4-6',
      metadata: { team: 'red' },
    },
  });

export const changeSessionBody = z
  .strictObject({
    config: configOverrides.optional(),
    profile: profile.optional(),
    model: model.nullable().optional(),
    context_window: contextWindow.optional(),
    metadata: metadata.optional(),
  })
  .refine((body) => Object.keys(body).length > 0, {
    message: 'name at least one of config, profile, model, context_window and metadata',
  })
  .openapi('ChangeSession', {
    description:
      'Settings to change: what is left out stays. a field of `config` changes alone, `metadata` as a whole.',
    minProperties: 1,
    example: { config: { auto_compact_enabled: false } },
  });

export const forkBody = z
  .strictObject({
    at: z.int().min(1).max(MAX_VERSION).optional().openapi({
      description: 'Version whose context the new session gets; default: the current one.',
    }),
    id: idSchema.optional().openapi({ description: 'Id of the new session; default: a UUIDv7.' }),
  })
  .openapi('ForkSession', {
    description: 'Where to fork, and what the fork is called.',
    example: { at: 12, id: 'support-4711-try-2' },
  });

const packetStanding = z
  .object({
    state: z
      .enum(['idle', 'awaiting_packet', 'compacting'])
      .describe('Whether the agent was asked for a packet, or its compaction is under way.'),
    deadline: timestamp.nullable().openapi({
      description: 'While a packet is awaited: when the service will go on without it.',
    }),
  })
  .openapi('PacketStanding', { description: 'Where the continuation packet stands.' });

export const sessionSummary = z
  .object({
    id: z.string().describe('Id of the session.'),
    title: z
      .string()
      .nullable()
      .describe('The beginning of what the user has said first; null: nothing yet.'),
    format,
    profile,
    model: z.string().nullable().describe('The model that the context is for; null: not said.'),
    context_window: z.int().describe('Tokens that the model takes, answer included.'),
    metadata,
    version: z.int().describe('Number of the newest event: it grows with each write.'),
    counts: z
      .object({
        items: z.int().describe('Items ever appended.'),
        compactions: z
          .object({
            micro: z.int().describe('Those that cleared tool results.'),
            full: z.int().describe('Those that put a summary in place.'),
            remote: z.int().describe('Those that the provider made.'),
            skipped: z.int().describe('Those that found nothing to do.'),
            failed: z.int().describe('Those that came to nothing.'),
          })
          .describe('Compactions by how they have ended.'),
      })
      .describe('What the session holds.'),
    context: contextLevels,
    compact_state: z
      .object({
        base_compaction_id: z
          .string()
          .nullable()
          .openapi({ description: 'The full compaction that the context is built on.' }),
        through: z.int().nullable().openapi({ description: 'Its cut: the last `seq` it covers.' }),
        changed_at_version: z.int().nullable().openapi({
          description: 'Newest version at which something else than an append changed the context.',
        }),
        tokens_since_compaction: tokenCount.describe('Tokens that came since, without margin.'),
      })
      .describe('What compactions have made of the context.'),
    running_compaction: runningCompaction.nullable(),
    signals: boundaries,
    tier,
    percent_used_of_window: z.int().min(0).openapi({
      description: 'For display: rounded down; above 100 when the window is overfull.',
    }),
    percent_remaining_of_window: percentOfWindow,
    preflight_armed: preflightArmed,
    packet: packetStanding,
    breaker: z
      .object({
        is_open: z.boolean().describe('Automatic compactions have stopped for now.'),
        failures: z.int().describe('Automatic compactions in a row that came to nothing.'),
        reset_at: timestamp.nullable().openapi({ description: 'When they go on.' }),
      })
      .describe('Stops automatic compactions that fail again and again.'),
    created_at: timestamp.openapi({ description: 'When the session began.' }),
    updated_at: timestamp.openapi({ description: 'The latest time of its events.' }),
  })
  .openapi('SessionSummary', { description: 'A session without its configuration.' });

export const listedSession = sessionSummary.extend({
  archived: z
    .boolean()
    .describe('Its events are in the archive: what reads or writes them brings them back first.'),
});

export const sessionState = sessionSummary
  .extend({ config: effectiveConfig, config_overrides: configOverrides })
  .openapi('Session', { description: 'A session with its configuration.' });

export const changedSession = sessionState
  .extend({
    note: z.string().nullable().openapi({
      description: 'A note about the window, such as that the model is unknown.',
    }),
  })
  .openapi('ChangedSession', { description: 'The session after the change.' });

export const forkedSession = sessionState
  .extend({
    forked_from: z
      .object({
        session_id: z.string().describe('The parent.'),
        version: z.int().describe('The version of the parent whose context it began with.'),
      })
      .describe('Where the session comes from.'),
  })
  .openapi('ForkedSession', { description: 'The new session.' });
