import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import { ElsewhereError } from '../app/ports/elsewhere-error.ts';
import type { Ports } from '../app/ports/ports.ts';
import { sessionOf } from './session-of.ts';
import { TOOLS } from './tools.ts';

type McpRequest = {
  tenant: string;
  /** Of the URL; null: the client names it with each call. */
  session_id: string | null;
  /** Whether the operator lets tools reach other sessions of the tenant. */
  mayLeave: boolean;
  version: string;
  signal: AbortSignal;
  /** Runs what only reads when it is the turn of the tenant. */
  inTurn: <T>(run: () => Promise<T>) => Promise<T>;
  /** What a model is told of an error; what is our own mistake is logged. */
  tell: (error: unknown) => string;
};

const INSTRUCTIONS =
  'Palimpsest keeps all of this conversation, also what is no longer in your context because it was ' +
  'cleared or summarised. Before you run a command again or ask the user again, look: search_history ' +
  'finds by words, recall reads the original, word for word. A note such as ' +
  '[Old tool result cleared: 1,204 lines of Read. Original: recall("toolu_12")] names a tool_use_id.';

/** Never asked to check anything: one for all servers, since each would make its own. */
const jsonSchemaValidator = new AjvJsonSchemaValidator();

/**
 * An MCP server for one request (SPEC 2, section 21): it keeps nothing. `elsewhere`: the call has to be
 * answered by another thread, and nothing was done.
 */
export function mcpServer(
  ports: Ports,
  request: McpRequest,
): { server: Server; elsewhere: () => ElsewhereError | null } {
  const { mayLeave, signal, inTurn, tell } = request;
  let elsewhere: ElsewhereError | null = null;
  const server = new Server(
    { name: 'palimpsest', title: 'Palimpsest', version: request.version },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS, jsonSchemaValidator },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: TOOLS.map(({ call: _, ...shown }) => shown),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    const tool = TOOLS.find(({ name }) => name === params.name);
    if (tool === undefined) return failed(`there is no such tool; there are ${NAMES}`);
    try {
      const ref = await sessionOf(ports, request, params._meta);
      if (!ref.ok) return failed(ref.rejection.detail);
      const caller = { ref: ref.value, mayLeave, signal };
      const call = () => tool.call(ports, caller, params.arguments);
      const answer = await (tool.annotations.readOnlyHint ? inTurn(call) : call());
      return answer.ok ? said(answer.value) : failed(answer.rejection.detail);
    } catch (error) {
      if (!(error instanceof ElsewhereError)) return failed(tell(error));
      // Nobody gets this answer, and nothing is wrong.
      elsewhere = error;
      return failed('this has to be answered by another thread');
    }
  });
  return { server, elsewhere: () => elsewhere };
}

const NAMES = TOOLS.map(({ name }) => name).join(', ');

function said(text: string) {
  return { content: [{ type: 'text' as const, text }] };
}

function failed(text: string) {
  return { ...said(text), isError: true };
}
