import { z } from '@hono/zod-openapi';
import { isJsonObject } from '../../domain/json.ts';
import {
  EVENT_TYPES,
  type EventType,
  isEventType,
  type SessionEvent,
} from '../../domain/session/events.ts';
import { logPageQuery, timestamp } from '../schemas/common.ts';

const ONE_TYPE = EVENT_TYPES.join('|').replaceAll('.', '\\.');

export const eventsQuery = logPageQuery.extend({
  types: z
    .string()
    .transform((text) => text.split(',').map((type) => type.trim()))
    .refine((types): types is EventType[] => types.every(isEventType), {
      message: `must be a comma-separated list of ${EVENT_TYPES.join(', ')}`,
    })
    .optional()
    .openapi({
      type: 'string',
      description: 'Only events of these types, separated by commas.',
      pattern: `^(${ONE_TYPE})(,(${ONE_TYPE}))*$`,
      example: 'compaction.requested,compaction.completed',
    }),
});

export const eventsHeaders = z.object({
  'last-event-id': z
    .string()
    .optional()
    .openapi({ description: 'For a stream: the version after which it goes on.' }),
});

export const event = z
  .object({
    version: z.int().describe('Its place in the log of the session, from 1.'),
    type: z.enum(EVENT_TYPES).describe('What has happened, by name.'),
    at: timestamp.openapi({ description: 'When it was written.' }),
    data: z.custom<SessionEvent['data']>(isJsonObject).openapi({
      type: 'object',
      additionalProperties: true,
      description: 'What happened; the fields depend on the type.',
    }),
    hash: z.string().openapi({ description: 'SHA-256, chained to the event before.' }),
  })
  .openapi('Event', { description: 'Something that has happened; it never changes.' });
