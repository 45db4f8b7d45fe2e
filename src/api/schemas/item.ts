import { z } from '@hono/zod-openapi';
import type { Json } from '../../domain/json.ts';
import { jsonObject } from './common.ts';

/**
 * One item of a request. Not checked here: the session's format decides, and its codec checks it in
 * the domain. The document shows what all formats have in common.
 */
export const postedItem = z
  .custom<Json>((value) => value !== null && value !== undefined, 'must be an item: a JSON object')
  .openapi('Item', {
    type: 'object',
    description:
      'A message in the format of the session, stored exactly as it comes, or a control item.',
    anyOf: [
      {
        type: 'object',
        description: 'A message.',
        additionalProperties: true,
        required: ['role', 'content'],
        properties: {
          role: { type: 'string', enum: ['user', 'assistant'], description: 'Who speaks.' },
          content: {
            type: 'string',
            minLength: 1,
            description: 'What is said: a text, or blocks as the format of the session has them.',
          },
        },
      },
      {
        type: 'object',
        description: 'A control item.',
        additionalProperties: true,
        required: ['type', 'attachment'],
        properties: {
          type: { type: 'string', const: 'attachment', description: 'Says that it is one.' },
          attachment: {
            type: 'object',
            description: 'State of the work beside the conversation, which compactions restore.',
            additionalProperties: true,
            required: ['kind', 'path', 'content'],
            properties: {
              kind: {
                type: 'string',
                enum: ['file', 'todo', 'plan', 'memory'],
                description: 'What it is the newest content of.',
              },
              path: { type: 'string', minLength: 1, description: 'Path of the file or plan.' },
              content: { type: 'string', description: 'The whole text.' },
            },
          },
        },
      },
      {
        type: 'object',
        description: 'A control item that never reaches the model.',
        additionalProperties: true,
        required: ['type'],
        properties: {
          type: {
            type: 'string',
            enum: ['progress', 'ghost_snapshot'],
            description: 'A note of progress, or a snapshot that an undo of the client needs.',
          },
        },
      },
    ],
    example: { role: 'user', content: 'Why does the build fail?' },
  });

/** An item in an answer. */
export const storedItem = jsonObject('An item exactly as it was posted.').openapi('StoredItem');
