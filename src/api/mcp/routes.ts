import type { Context } from 'hono';
import { ElsewhereError } from '../../app/ports/elsewhere-error.ts';
import { isJsonObject, type Json } from '../../domain/json.ts';
import type { Api } from '../http/endpoint.ts';
import { parseJson, readText, refuseTooManyValues } from '../http/json-body.ts';
import { ProblemError } from '../http/problem.ts';
import { problemOf } from '../http/problem-of.ts';
import { thrown } from '../http/thrown.ts';
import { parseInput } from '../http/validation.ts';
import { sessionParams } from '../schemas/common.ts';

/** Calls of tools are short: what is longer is none. */
const MOST_BYTES = 131_072;

/**
 * `/mcp/:session_id` and `/mcp`: the Model Context Protocol over streamable HTTP (SPEC 2, section 21).
 * Each message is answered by itself, in JSON: there is no session of the protocol, and no stream to
 * listen to, so GET and DELETE are refused, as the protocol allows.
 */
export function addMcpRoutes(api: Api): void {
  api.app.post('/mcp', (c) => answered(api, c, null));
  api.app.post('/mcp/:id', (c) => answered(api, c, c.req.param('id')));
}

async function answered(api: Api, c: Context, asked: string | null): Promise<Response> {
  const { deps, gate, passOn, inTurn } = api;
  const { raw } = c.req;
  let tenant: string | null = null;
  try {
    const owner = gate(raw);
    tenant = owner;
    const session_id =
      asked === null ? null : parseInput(sessionParams, { id: asked }, 'the path').id;
    const parsedBody = await messageOf(raw, deps.limits);
    const { mcpServer, WebStandardStreamableHTTPServerTransport } = await protocol();
    const { server, elsewhere } = mcpServer(deps, {
      tenant: owner,
      session_id,
      mayLeave: deps.mcpOtherSessions,
      version: deps.version,
      signal: raw.signal,
      inTurn: (run) => inTurn(owner, run),
      tell: (error) => problemOf(thrown(error, 'post'), c, deps.log).message,
    });
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
    try {
      await server.connect(transport);
      const response = await transport.handleRequest(raw, { parsedBody });
      if (elsewhere() === null || passOn === null) return response;
      return await passOn({ c, tenant }, 'post');
    } finally {
      await server.close();
    }
  } catch (error) {
    // A message of many values is not even read here.
    if (error instanceof ElsewhereError && tenant !== null && passOn !== null) {
      return await passOn({ c, tenant }, 'post');
    }
    throw thrown(error, 'post');
  }
}

/** Loaded with the first message: most services are never asked, and it takes 20 MB. */
async function protocol() {
  const [transport, server] = await Promise.all([
    import('@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'),
    import('../../mcp/server.ts'),
  ]);
  return { ...transport, ...server };
}

/** One message; throws ProblemError for what is none. */
async function messageOf(request: Request, limits: Api['deps']['limits']): Promise<Json> {
  const body_bytes = Math.min(limits.body_bytes, MOST_BYTES);
  const { kind, text } = await readText(request, { ...limits, body_bytes });
  if (kind !== 'json') {
    throw new ProblemError('unsupported_media_type', 'send a message of MCP as application/json');
  }
  refuseTooManyValues(text, limits);
  const message = parseJson(text, limits.json_depth, 'the body');
  if (Array.isArray(message)) {
    throw new ProblemError(
      'invalid_request',
      'send one message of MCP in each request: batches have left the protocol with 2025-06-18',
    );
  }
  return withoutNullArguments(message);
}

/** So clients call a tool that needs none; the SDK takes it for an error of the protocol. */
function withoutNullArguments(message: Json): Json {
  if (!isJsonObject(message) || !isJsonObject(message.params)) return message;
  const { arguments: args, ...params } = message.params;
  return args === null ? { ...message, params } : message;
}
