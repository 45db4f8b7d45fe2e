import { z } from '@hono/zod-openapi';
import { FORMATS } from '../../domain/items/codecs.ts';
import { configSchema } from '../../domain/policy/config.ts';
import { PROFILES } from '../../domain/policy/profiles.ts';
import { idSchema, jsonObject, MAX_VERSION, timestamp, tokenCount } from '../schemas/common.ts';
import { effectiveConfig, MAX_CONTEXT_WINDOW } from '../schemas/config.ts';
import { contextLevels } from '../schemas/context.ts';
import { postedItem } from '../schemas/item.ts';
import { boundaries, percentOfWindow, preflightArmed, tier } from '../schemas/signal.ts';
import { runningCompaction } from '../schemas/under-way.ts';

const configOverrides = z.strictObject(configSchema.partial().shape).openapi('ConfigOverrides', {
  description: 'Fields of the configuration that differ from the profile.',
  example: { auto_compact_pct_override: 80, token_counter: 'estimate' },
});

const format = z.enum(FORMATS).openapi({ description: 'Wire format of the items.' });
const profile = z.enum(PROFILES).openapi({ description: 'Named set of configuration defaults.' });
const model = z.string().min(1).max(200);
/** In less there is no room for a summary beside the message that it makes room for. */
const MIN_CONTEXT_WINDOW = 1_000;
const windowRange = `must be a whole number of tokens from ${MIN_CONTEXT_WINDOW} to ${MAX_CONTEXT_WINDOW}, such as 200000`;
const contextWindow = z
  .int(windowRange)
  .min(MIN_CONTEXT_WINDOW, windowRange)
  .max(MAX_CONTEXT_WINDOW, windowRange)
  .openapi({ description: 'Tokens.' });

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
    example: {
      id: 'support-4711',
      format: 'anthropic',
      model: 'claude-sonnet-4-5',
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
  .openapi('ForkSession', { example: { at: 12, id: 'support-4711-try-2' } });

const packetStanding = z
  .object({
    state: z.enum(['idle', 'awaiting_packet', 'compacting']),
    deadline: timestamp.nullable().openapi({
      description: 'While a packet is awaited: when the service will go on without it.',
    }),
  })
  .openapi('PacketStanding');

export const sessionSummary = z
  .object({
    id: z.string(),
    format,
    profile,
    model: z.string().nullable(),
    context_window: z.int(),
    metadata,
    version: z.int(),
    counts: z.object({
      items: z.int(),
      compactions: z.object({
        micro: z.int(),
        full: z.int(),
        remote: z.int(),
        skipped: z.int(),
        failed: z.int(),
      }),
    }),
    context: contextLevels,
    compact_state: z.object({
      base_compaction_id: z
        .string()
        .nullable()
        .openapi({ description: 'The full compaction that the context is built on.' }),
      through: z.int().nullable().openapi({ description: 'Its cut: the last `seq` it covers.' }),
      changed_at_version: z.int().nullable().openapi({
        description: 'Newest version at which something else than an append changed the context.',
      }),
      tokens_since_compaction: tokenCount,
    }),
    running_compaction: runningCompaction.nullable(),
    signals: boundaries,
    tier,
    percent_used_of_window: z.int().min(0).openapi({
      description: 'For display: rounded down; above 100 when the window is overfull.',
    }),
    percent_remaining_of_window: percentOfWindow,
    preflight_armed: preflightArmed,
    packet: packetStanding,
    breaker: z.object({
      is_open: z.boolean(),
      failures: z.int(),
      reset_at: timestamp.nullable(),
    }),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .openapi('SessionSummary');

export const sessionState = sessionSummary
  .extend({ config: effectiveConfig, config_overrides: configOverrides })
  .openapi('Session');

export const changedSession = sessionState
  .extend({
    note: z.string().nullable().openapi({
      description: 'A note about the window, such as that the model is unknown.',
    }),
  })
  .openapi('ChangedSession');

export const forkedSession = sessionState
  .extend({ forked_from: z.object({ session_id: z.string(), version: z.int() }) })
  .openapi('ForkedSession');
