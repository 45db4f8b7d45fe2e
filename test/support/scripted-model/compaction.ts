import { isJsonObject, type JsonObject } from '../../../src/domain/json.ts';
import { type Behaviour, compaction } from './behaviour.ts';
import type { Tokens } from './protocols.ts';

/** How a request asks for OpenAI's own compaction, or null when it does not. */
export function compactionForm(path: string, body: JsonObject): 'endpoint' | 'trigger' | null {
  if (path === '/v1/responses/compact') return 'endpoint';
  const last = inputOf(body).at(-1);
  return path === '/v1/responses' && last?.type === 'compaction_trigger' ? 'trigger' : null;
}

/** An opaque item as the provider makes it. */
export function opaqueItem(content = 'opaque-content', id = 'cmp_1'): JsonObject {
  return { id, type: 'compaction', encrypted_content: content };
}

/** What the server answers without a script: by the endpoint the user's messages come first. */
export function plausibleCompaction(body: JsonObject): Behaviour {
  const input = inputOf(body);
  const isTrigger = input.at(-1)?.type === 'compaction_trigger';
  const users = isTrigger ? [] : input.filter(({ role }) => role === 'user');
  return compaction(...users, opaqueItem(`opaque-content-of-${input.length}-items`));
}

export function compactionBody(output: JsonObject[], tokens: Tokens): JsonObject {
  return {
    id: 'resp_c1',
    object: 'response.compaction',
    created_at: 1,
    output,
    usage: usageOf(tokens),
  };
}

/** The events of a streamed response that gives out these items; the last one completes it. */
export function compactionEvents(output: JsonObject[], tokens: Tokens): string[] {
  const response = { id: 'resp_c1', object: 'response', created_at: 1, status: 'in_progress' };
  return [
    event({ type: 'response.created', response: { ...response, output: [] } }),
    ...output.map((item, output_index) =>
      event({ type: 'response.output_item.done', output_index, item }),
    ),
    event({
      type: 'response.completed',
      response: { ...response, status: 'completed', output: [], usage: usageOf(tokens) },
    }),
  ];
}

function event(json: JsonObject & { type: string }): string {
  return `event: ${json.type}\ndata: ${JSON.stringify(json)}\n\n`;
}

function usageOf(tokens: Tokens): JsonObject {
  return {
    input_tokens: tokens.input,
    input_tokens_details: { cached_tokens: tokens.cacheRead, cache_write_tokens: 0 },
    output_tokens: tokens.output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: tokens.input + tokens.output,
  };
}

function inputOf(body: JsonObject): JsonObject[] {
  return Array.isArray(body.input) ? body.input.filter(isJsonObject) : [];
}
