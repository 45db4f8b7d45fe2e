import { z } from '@hono/zod-openapi';
import type { JsonObject } from '../../domain/json.ts';
import { EVENT_TYPES, type EventType } from '../../domain/session/events.ts';
import { logPageQuery, timestamp } from './common.ts';

const KNOWN: ReadonlySet<string> = new Set(EVENT_TYPES);

export const eventsQuery = logPageQuery.extend({
  types: z
    .string()
    .transform((text) => text.split(',').map((type) => type.trim()))
    .refine((types): types is EventType[] => types.every((type) => KNOWN.has(type)), {
      message: `must be a comma-separated list out of ${EVENT_TYPES.join(', ')}`,
    })
    .optional()
    .openapi({
      type: 'string',
      description: 'Only events of these types, separated by commas.',
      pattern: `^(${EVENT_TYPES.join('|').replaceAll('.', '\\.')})(,(${EVENT_TYPES.join('|').replaceAll('.', '\\.')}))*$`,
      example: 'compaction.requested,compaction.completed',
    }),
});

export const eventsHeaders = z.object({
  accept: z.string().optional().openapi({ example: 'application/json' }),
  'last-event-id': z
    .string()
    .optional()
    .openapi({ description: 'For a stream: the version after which it goes on.', example: '12' }),
});

export const event = z
  .object({
    version: z.int(),
    type: z.enum(EVENT_TYPES),
    at: timestamp,
    data: z.custom<JsonObject>().openapi({ type: 'object', additionalProperties: true }),
    hash: z.string().openapi({ description: 'SHA-256, chained to the event before.' }),
  })
  .openapi('Event');
