import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { isJsonObject, type Json, type JsonObject } from '../../src/domain/json.ts';
import { close, listen } from '../support/listening.ts';

/** The arguments of the call that the model makes. */
type Call = { tool: string; input: JsonObject };

/**
 * A model for agents: it calls one tool of the server palimpsest as soon as that is offered, and says
 * "Done." once it has seen the result. Speaks OpenAI Responses and Anthropic messages, streamed.
 */
export class AgentModel {
  /** The outputs of the tool that it was sent. */
  readonly results: string[] = [];
  readonly #server: Server;
  readonly #call: Call;
  origin = '';

  private constructor(call: Call) {
    this.#call = call;
    this.#server = createServer((request, response) => {
      this.#handle(request, response).catch(() => response.destroy());
    });
  }

  static async start(call: Call): Promise<AgentModel> {
    const model = new AgentModel(call);
    model.origin = await listen(model.#server);
    return model;
  }

  stop(): Promise<void> {
    return close(this.#server);
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const path = new URL(request.url ?? '/', 'http://model').pathname;
    const text = Buffer.concat(chunks).toString();
    const body: Json = request.method === 'POST' ? JSON.parse(text) : null;
    const isKnown = path === '/v1/responses' || path === '/v1/messages';
    if (!isKnown || !isJsonObject(body)) {
      // An upgrade to a websocket: it goes on over HTTP then.
      response.writeHead(request.headers.upgrade === undefined ? 404 : 426).end('{}');
      return;
    }
    const results = resultsIn(body);
    this.results.push(...results);
    const isOffered = JSON.stringify(body.tools ?? []).includes('palimpsest');
    const call = isOffered && results.length === 0 ? this.#call : null;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const events = path === '/v1/responses' ? responses(call) : messages(call, body.model ?? null);
    for (const event of events) {
      response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    }
    response.end();
  }
}

const ID = 'call_of_recall';

/** What was sent as the result of the call, as text. */
function resultsIn({ input, messages: sent }: JsonObject): string[] {
  const blocks = [input, sent].flatMap((list) => (Array.isArray(list) ? list : []));
  const parts = blocks.flatMap((item) => {
    const content = isJsonObject(item) ? item.content : null;
    return [item, ...(Array.isArray(content) ? content : [])];
  });
  return parts.flatMap((part) => {
    if (!isJsonObject(part)) return [];
    if (part.type === 'function_call_output') return [textIn(part.output)];
    return part.type === 'tool_result' ? [textIn(part.content)] : [];
  });
}

function textIn(content: Json | undefined): string {
  if (typeof content === 'string') return content;
  const texts = (Array.isArray(content) ? content : []).flatMap((part) =>
    isJsonObject(part) && typeof part.text === 'string' ? [part.text] : [],
  );
  return texts.join('\n');
}

function responses(call: Call | null): JsonObject[] {
  const item: JsonObject =
    call === null
      ? {
          type: 'message',
          id: 'msg_1',
          role: 'assistant',
          content: [{ type: 'output_text', text: 'Done.', annotations: [] }],
        }
      : {
          type: 'function_call',
          id: 'fc_1',
          call_id: ID,
          namespace: 'mcp__palimpsest',
          name: call.tool,
          arguments: JSON.stringify(call.input),
        };
  const usage = {
    input_tokens: 100,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 10,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 110,
  };
  return [
    { type: 'response.created', response: { id: 'resp_1' } },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: { id: 'resp_1', usage } },
  ];
}

function messages(call: Call | null, model: Json): JsonObject[] {
  const usage = { input_tokens: 100, output_tokens: 1 };
  const block: JsonObject =
    call === null
      ? { type: 'text', text: '' }
      : { type: 'tool_use', id: ID, name: `mcp__palimpsest__${call.tool}`, input: {} };
  const delta: JsonObject =
    call === null
      ? { type: 'text_delta', text: 'Done.' }
      : { type: 'input_json_delta', partial_json: JSON.stringify(call.input) };
  const stop_reason = call === null ? 'end_turn' : 'tool_use';
  const head = { id: 'msg_1', type: 'message', role: 'assistant', model, content: [] };
  return [
    { type: 'message_start', message: { ...head, stop_reason: null, stop_sequence: null, usage } },
    { type: 'content_block_start', index: 0, content_block: block },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    {
      type: 'message_delta',
      delta: { stop_reason, stop_sequence: null },
      usage: { output_tokens: 10 },
    },
    { type: 'message_stop' },
  ];
}
