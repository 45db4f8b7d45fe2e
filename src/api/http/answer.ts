import type { RouteConfig, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { LongAnswer, StreamRoomOf } from './long-answers.ts';
import type { StreamRoom } from './tenant-room.ts';

type Headers = Record<string, string>;

/** What an endpoint answers; made by `Answers`, which knows what its schemas allow. */
export type Answer =
  | { kind: 'json'; status: ContentfulStatusCode; body: object; headers: Headers | undefined }
  | { kind: 'long'; make: () => Promise<object>; headers: Headers | undefined }
  | { kind: 'stream'; open: (room: StreamRoom) => ReadableStream<Uint8Array>; headers: Headers }
  | { kind: 'empty'; status: 204 | 304; headers: Headers | undefined };

/** The answers that an endpoint documents, by status. */
export type Responses = RouteConfig['responses'];

type Body<R> = R extends { content: { 'application/json': { schema: infer S extends z.ZodType } } }
  ? z.input<S>
  : never;

type KeyOf<T> = T extends unknown ? keyof T : never;
type At<T, K> = T extends unknown ? (K extends keyof T ? T[K] : never) : never;

/** What a body must be as well to have no field, at any depth, that the schema lacks. */
type NoMore<Got, Want> = Got extends readonly (infer G)[]
  ? readonly NoMore<G, At<Want, number>>[]
  : Got extends object
    ? { [K in keyof Got]: K extends KeyOf<Want> ? NoMore<Got[K], At<Want, K>> : never }
    : unknown;

/**
 * What an endpoint can answer: each body has to fit the schema that is documented for its status, with
 * neither a field less nor one more.
 */
export type Answers<R extends Responses> = {
  json: <S extends keyof R & ContentfulStatusCode, B extends Body<R[S]>>(
    status: S,
    body: B & NoMore<B, Body<R[S]>>,
    headers?: Headers,
  ) => Answer;
  /** With status 200, made when it is the turn of this tenant: see `longAnswers`. */
  long: <B extends Body<R[200 & keyof R]>>(
    make: () => Promise<B & NoMore<B, Body<R[200 & keyof R]>>>,
    headers?: Headers,
  ) => Answer;
  /** Opened with the room of this tenant. */
  stream: (open: (room: StreamRoom) => ReadableStream<Uint8Array>, headers: Headers) => Answer;
  empty: (status: keyof R & (204 | 304), headers?: Headers) => Answer;
};

const ANSWERS = {
  json: (status: ContentfulStatusCode, body: object, headers?: Headers): Answer => ({
    kind: 'json',
    status,
    body,
    headers,
  }),
  long: (make: () => Promise<object>, headers?: Headers): Answer => ({
    kind: 'long',
    make,
    headers,
  }),
  stream: (open: (room: StreamRoom) => ReadableStream<Uint8Array>, headers: Headers): Answer => ({
    kind: 'stream',
    open,
    headers,
  }),
  empty: (status: 204 | 304, headers?: Headers): Answer => ({ kind: 'empty', status, headers }),
};

export function answers<R extends Responses>(): Answers<R> {
  // The same functions for every endpoint: only what they may be given differs.
  return ANSWERS as Answers<R>;
}

export function respond(
  c: Context,
  tenant: string,
  answer: Answer,
  { longAnswer, streamRoom }: { longAnswer: LongAnswer; streamRoom: StreamRoomOf },
): Response | Promise<Response> {
  switch (answer.kind) {
    case 'json':
      return c.json(answer.body, answer.status, answer.headers);
    case 'long':
      return longAnswer({ c, tenant }, answer.make, answer.headers);
    case 'stream':
      return c.body(answer.open(streamRoom({ c, tenant })), 200, answer.headers);
    case 'empty':
      return c.body(null, answer.status, answer.headers);
    default:
      return answer satisfies never;
  }
}

/** The documentation of headers that several endpoints answer with. */
export const LOCATION = {
  Location: { description: 'Path of what the answer is about.', schema: { type: 'string' } },
} as const;
export const PREFERENCE_APPLIED = {
  'Preference-Applied': {
    description: 'The `Prefer: wait=N` that was followed.',
    schema: { type: 'string' },
  },
} as const;
export const REPLAYED = {
  'Idempotency-Replayed': {
    description: '`true` when this is the answer that an earlier request got.',
    schema: { type: 'string', enum: ['true'] as string[] },
  },
} as const;

/** How an answer in JSON is documented. */
export function json<S extends z.ZodType>(
  description: string,
  schema: S,
  headers?: Record<string, { description?: string; schema: { type: 'string'; enum?: string[] } }>,
) {
  return {
    description,
    ...(headers && { headers }),
    content: { 'application/json': { schema } },
  };
}
