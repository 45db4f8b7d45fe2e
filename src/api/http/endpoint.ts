import { type OpenAPIHono, type RouteConfig, z } from '@hono/zod-openapi';
import type { Context, HonoRequest } from 'hono';
import { ElsewhereError } from '../../app/ports/elsewhere-error.ts';
import type { SessionRef } from '../../app/ports/event-store.ts';
import type { AppDependencies } from '../app-dependencies.ts';
import { type Answer, type Answers, answers, type Responses, respond } from './answer.ts';
import { COMMON_PROBLEMS, problems } from './documented-problems.ts';
import type { InTurn, LongAnswer, PassOn, StreamRoomOf } from './long-answers.ts';
import type { DocumentedCode } from './problem-examples.ts';
import { lenientQueryReader, queryReader, topFields } from './query.ts';
import { thrown } from './thrown.ts';
import { parseInput } from './validation.ts';

/** Who may call: admits a request and answers its tenant. Throws ProblemError. */
export type Gate = (request: Request) => string;

/** What the routes share. */
export type Api = {
  app: OpenAPIHono;
  deps: AppDependencies;
  gate: Gate;
  longAnswer: LongAnswer;
  /** Answers a request elsewhere; null: there is no other thread. */
  passOn: PassOn | null;
  streamRoom: StreamRoomOf;
  inTurn: InTurn;
};

/** One call of an endpoint, admitted and with its parameters checked. */
type Call<Params, Query> = {
  req: HonoRequest;
  tenant: string;
  params: Params;
  query: Query;
};

type Endpoint<Params, Query, R extends Responses> = {
  method: 'get' | 'post' | 'patch' | 'delete';
  /** As in OpenAPI: `/sessions/{id}`. */
  path: string;
  operationId: string;
  tag: string;
  summary: string;
  description?: string;
  params: z.ZodObject<z.ZodRawShape, z.core.$strip> & z.ZodType<Params>;
  query: z.ZodObject<z.ZodRawShape, z.core.$strip> & z.ZodType<Query>;
  /** Where clients add query parameters of their own; anywhere else unknown ones are refused. */
  takesAnyQuery?: true;
  /** For the document only: handlers read what they need. */
  headers?: z.ZodObject;
  body?: NonNullable<RouteConfig['request']>['body'];
  /** What it answers, by status: the document and the types of `answer` follow from it. */
  responses: R;
  /** The problems that it may answer, besides those of every endpoint. */
  problems: readonly DocumentedCode[];
  /** How they are documented, where they do not come as problems. */
  documentProblems?: typeof problems;
  handle: (call: Call<Params, Query>, answer: Answers<R>) => Promise<Answer>;
};

export const noParams = z.object({});
export const noQuery = z.object({});

/**
 * Adds an endpoint: to the OpenAPI document, and to the router with gate and checks of path and
 * query in front of the handler. One plain handler per route: Hono then needs no middleware chain,
 * which the append route would feel (DESIGN, figures).
 */
export function addEndpoint<Params, Query, R extends Responses>(
  api: Pick<Api, 'app' | 'gate' | 'longAnswer' | 'passOn' | 'streamRoom'>,
  endpoint: Endpoint<Params, Query, R>,
): void {
  const { app, gate, passOn } = api;
  const { params, query, handle } = endpoint;
  const hasParams = Object.keys(params.shape).length > 0;
  const hasQuery = Object.keys(query.shape).length > 0;
  app.openAPIRegistry.registerPath({
    method: endpoint.method,
    path: endpoint.path,
    operationId: endpoint.operationId,
    tags: [endpoint.tag],
    summary: endpoint.summary,
    ...(endpoint.description === undefined ? {} : { description: endpoint.description }),
    security: [{ bearer: [] }, { api_key: [] }, {}],
    request: {
      ...(hasParams ? { params } : {}),
      ...(hasQuery ? { query } : {}),
      ...(endpoint.headers === undefined ? {} : { headers: endpoint.headers }),
      ...(endpoint.body === undefined ? {} : { body: endpoint.body }),
    },
    responses: {
      ...endpoint.responses,
      ...(endpoint.documentProblems ?? problems)([...COMMON_PROBLEMS, ...endpoint.problems]),
    },
  });
  // What has no fields need not be checked with each request.
  const fixedParams = hasParams ? null : params.parse({});
  const readQuery = endpoint.takesAnyQuery
    ? lenientQueryReader(query)
    : queryReader(query, namesElsewhere(endpoint));
  const routingPath = endpoint.path.replaceAll(/\{(.+?)\}/g, ':$1');
  app.on(endpoint.method.toUpperCase(), routingPath, async (c) => {
    try {
      const tenant = gate(c.req.raw);
      const call = {
        req: c.req,
        tenant,
        params: fixedParams ?? parseInput(params, c.req.param(), 'the path'),
        query: readQuery(c.req.url),
      };
      try {
        return await respond(c, tenant, await handle(call, answers<R>()), api);
      } catch (error) {
        if (!(error instanceof ElsewhereError) || passOn === null) throw error;
        return await passOn({ c, tenant }, endpoint.method);
      }
    } catch (error) {
      throw thrown(error, endpoint.method);
    }
  });
}

/**
 * Adds a GET that is open to everybody, with the same check of its query. What is to stand in the
 * OpenAPI document, the caller registers there.
 */
export function addOpenRoute<Query>(
  app: OpenAPIHono,
  path: string,
  query: z.ZodObject<z.ZodRawShape, z.core.$strip> & z.ZodType<Query>,
  handle: (c: Context, query: Query) => Response | Promise<Response>,
): void {
  const readQuery = queryReader(query);
  app.get(path, (c) => handle(c, readQuery(c.req.url)));
}

function namesElsewhere({
  body,
  headers,
}: Pick<Endpoint<unknown, unknown, Responses>, 'body' | 'headers'>) {
  const schemas = Object.values(body?.content ?? {}).map((media) =>
    media !== undefined && 'schema' in media ? media.schema : undefined,
  );
  return { body: schemas.flatMap(topFields), headers: topFields(headers) };
}

/** The session that a call names. */
export function refOf(call: { tenant: string; params: { id: string } }): SessionRef {
  return { tenant: call.tenant, session_id: call.params.id };
}
