import { isJsonObject } from '../../domain/json.ts';

const NOTHING = {
  input_tokens: 0,
  input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
  output_tokens: 0,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 0,
};

/** The answer to a request for a compaction: exactly one item, as a stream where that was asked for. */
export function compactionAnswer(request: string, encrypted_content: string, id: string): Response {
  const body: unknown = JSON.parse(request);
  const asked = isJsonObject(body) ? body : {};
  const item = { type: 'compaction', id: `cmp_${id.replaceAll('-', '')}`, encrypted_content };
  const response = {
    id: `resp_${id.replaceAll('-', '')}`,
    object: 'response',
    created_at: Math.floor(Date.now() / 1000),
    status: 'completed',
    error: null,
    incomplete_details: null,
    model: asked.model ?? null,
    output: [item],
    usage: NOTHING,
  };
  const headers = { 'palimpsest-status': 'compacted; saved=0' };
  if (asked.stream !== true) return Response.json(response, { headers });
  const begun = { ...response, status: 'in_progress', output: [], usage: null };
  const events = [
    { type: 'response.created', response: begun },
    { type: 'response.output_item.added', output_index: 0, item },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response },
  ];
  const text = events
    .map((event, sequence_number) => {
      const data = JSON.stringify({ ...event, sequence_number });
      return `event: ${event.type}\ndata: ${data}\n\n`;
    })
    .join('');
  return new Response(text, { headers: { ...headers, 'Content-Type': 'text/event-stream' } });
}
