import type { RouteConfig, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { LongAnswer } from './long-answers.ts';

type Headers = Record<string, string>;

/** What an endpoint answers; made by `Answers`, which knows what its schemas allow. */
export type Answer =
  | { kind: 'json'; status: ContentfulStatusCode; body: object; headers: Headers | undefined }
  | { kind: 'long'; make: () => Promise<object>; headers: Headers | undefined }
  | { kind: 'stream'; body: ReadableStream<Uint8Array>; headers: Headers }
  | { kind: 'empty'; status: 204 | 304; headers: Headers | undefined };

/** The answers that an endpoint documents, by status. */
export type Responses = RouteConfig['responses'];

type Body<R> = R extends { content: { 'application/json': { schema: infer S extends z.ZodType } } }
  ? z.input<S>
  : never;

/** What an endpoint can answer: each body has to fit the schema that is documented for its status. */
export type Answers<R extends Responses> = {
  json: <S extends keyof R & ContentfulStatusCode>(
    status: S,
    body: Body<R[S]>,
    headers?: Headers,
  ) => Answer;
  /** With status 200, made when it is the turn of this tenant: see `longAnswers`. */
  long: (make: () => Promise<Body<R[200 & keyof R]>>, headers?: Headers) => Answer;
  stream: (body: ReadableStream<Uint8Array>, headers: Headers) => Answer;
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
  stream: (body: ReadableStream<Uint8Array>, headers: Headers): Answer => ({
    kind: 'stream',
    body,
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
  longAnswer: LongAnswer,
): Response | Promise<Response> {
  switch (answer.kind) {
    case 'json':
      return c.json(answer.body, answer.status, answer.headers);
    case 'long':
      return longAnswer({ c, tenant }, answer.make, answer.headers);
    case 'stream':
      return c.body(answer.body, 200, answer.headers);
    case 'empty':
      return c.body(null, answer.status, answer.headers);
    default:
      return answer satisfies never;
  }
}

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
