import { roughTokens } from '../../domain/gateway/rough-tokens.ts';
import { isJsonObject, type JsonObject, stringField } from '../../domain/json.ts';

const NOTHING = {
  input_tokens: 0,
  input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
  output_tokens: 0,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 0,
};

/** Whether a stream was asked for, and the model that was to answer. */
type Asked = { stream: boolean; model: string | null };

/** What the body of a request asks for that is answered here. */
export function askedFor(request: string): Asked {
  const body: unknown = JSON.parse(request);
  if (!isJsonObject(body)) return { stream: false, model: null };
  return { stream: body.stream === true, model: stringField(body, 'model') ?? null };
}

type Headers = Readonly<Record<string, string>>;

/** The answer to a request for a compaction: exactly one item, as a stream where that was asked for. */
export function compactionAnswer(
  asked: Asked,
  encrypted_content: string,
  id: string,
  headers: Headers,
): Response {
  const item = { type: 'compaction', id: `cmp_${id.replaceAll('-', '')}`, encrypted_content };
  const response = {
    id: `resp_${id.replaceAll('-', '')}`,
    object: 'response',
    created_at: Math.floor(Date.now() / 1000),
    status: 'completed',
    error: null,
    incomplete_details: null,
    model: asked.model,
    output: [item],
    usage: NOTHING,
  };
  if (!asked.stream) return Response.json(response, { headers });
  const begun = { ...response, status: 'in_progress', output: [], usage: null };
  const events = [
    { type: 'response.created', response: begun },
    { type: 'response.output_item.added', output_index: 0, item },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response },
  ];
  return stream(
    events.map((event, sequence_number) => ({ ...event, sequence_number })),
    headers,
  );
}

/** A message of Anthropic's API that says a text, as a stream where that was asked for. */
export function messageAnswer(asked: Asked, text: string, id: string, headers: Headers): Response {
  const usage = {
    input_tokens: 0,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: roughTokens(text.length),
  };
  const end = { stop_reason: 'end_turn', stop_sequence: null };
  const message = {
    id: `msg_${id.replaceAll('-', '')}`,
    type: 'message',
    role: 'assistant',
    model: asked.model,
    content: [{ type: 'text', text }],
    ...end,
    usage,
  };
  if (!asked.stream) return Response.json(message, { headers });
  const begun = { ...message, content: [], stop_reason: null };
  return stream(
    [
      { type: 'message_start', message: { ...begun, usage: { ...usage, output_tokens: 1 } } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: end, usage: { output_tokens: usage.output_tokens } },
      { type: 'message_stop' },
    ],
    headers,
  );
}

function stream(events: readonly JsonObject[], headers: Headers): Response {
  const text = events
    .map((event) => `event: ${String(event.type)}\ndata: ${JSON.stringify(event)}\n\n`)
    .join('');
  return new Response(text, { headers: { ...headers, 'Content-Type': 'text/event-stream' } });
}
