import type { JsonObject } from '../../../src/domain/json.ts';

export type Tokens = { input: number; output: number; cacheRead: number };
type Stop = 'stop' | 'length';

/** How one provider's API writes an answer: as server-sent events or as one JSON document. */
export type Protocol = {
  path: string;
  opening(model: string, tokens: Tokens): string[];
  delta(text: string): string;
  closing(stop: Stop, tokens: Tokens): string[];
  /** The events after the last one when the stream ends without a finish reason. */
  bareEnd: string[];
  whole(model: string, text: string, tokens: Tokens): JsonObject;
  error(status: number, message: string): JsonObject;
  streamError: string;
  tooLong: { status: number; body: JsonObject };
};

const data = (json: JsonObject): string => `data: ${JSON.stringify(json)}\n\n`;
const named = (json: JsonObject & { type: string }): string => `event: ${json.type}\n${data(json)}`;

const openaiError = (message: string, type: string, code: string | null): JsonObject => ({
  error: { message, type, param: null, code },
});
const openaiTooLong = {
  status: 400,
  body: openaiError(
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 200000 tokens.",
    'invalid_request_error',
    'context_length_exceeded',
  ),
};

const chatChunk = (choices: JsonObject[], more: JsonObject = {}): string =>
  data({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'scripted',
    choices,
    ...more,
  });
const chatUsage = (tokens: Tokens): JsonObject => ({
  prompt_tokens: tokens.input,
  completion_tokens: tokens.output,
  total_tokens: tokens.input + tokens.output,
  prompt_tokens_details: { cached_tokens: tokens.cacheRead },
});

export const openaiChat: Protocol = {
  path: '/v1/chat/completions',
  opening: () => [
    chatChunk([{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }]),
  ],
  delta: (text) => chatChunk([{ index: 0, delta: { content: text }, finish_reason: null }]),
  closing: (stop, tokens) => [
    chatChunk([{ index: 0, delta: {}, finish_reason: stop }]),
    chatChunk([], { usage: chatUsage(tokens) }),
    'data: [DONE]\n\n',
  ],
  bareEnd: [],
  whole: (model, text, tokens) => ({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model,
    choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
    usage: chatUsage(tokens),
  }),
  error: (status, message) => openaiError(message, `scripted_${status}`, null),
  streamError: data(openaiError('The server had an error.', 'server_error', null)),
  tooLong: openaiTooLong,
};

const responsesBody = (
  model: string,
  text: string,
  tokens: Tokens,
  stop: Stop,
): JsonObject & { id: string } => ({
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  status: stop === 'stop' ? 'completed' : 'incomplete',
  incomplete_details: stop === 'stop' ? null : { reason: 'max_output_tokens' },
  model,
  output: [
    {
      type: 'message',
      id: 'msg_1',
      status: 'completed',
      role: 'assistant',
      content: [{ type: 'output_text', text, annotations: [] }],
    },
  ],
  usage: {
    input_tokens: tokens.input,
    input_tokens_details: { cached_tokens: tokens.cacheRead },
    output_tokens: tokens.output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: tokens.input + tokens.output,
  },
});

export const openaiResponses: Protocol = {
  path: '/v1/responses',
  opening: (model) => [
    named({
      type: 'response.created',
      response: { id: 'resp_1', object: 'response', created_at: 1, model, output: [] },
    }),
    named({
      type: 'response.output_item.added',
      output_index: 0,
      item: { type: 'message', id: 'msg_1', status: 'in_progress', role: 'assistant', content: [] },
    }),
  ],
  delta: (text) =>
    named({
      type: 'response.output_text.delta',
      item_id: 'msg_1',
      output_index: 0,
      content_index: 0,
      delta: text,
    }),
  closing: (stop, tokens) => [
    named({
      type: stop === 'stop' ? 'response.completed' : 'response.incomplete',
      response: responsesBody('scripted', '', tokens, stop),
    }),
  ],
  bareEnd: [],
  whole: (model, text, tokens) => responsesBody(model, text, tokens, 'stop'),
  error: (status, message) => openaiError(message, `scripted_${status}`, null),
  streamError: named({
    type: 'error',
    sequence_number: 1,
    ...openaiError('The server had an error.', 'server_error', 'server_error'),
  }),
  tooLong: openaiTooLong,
};

const anthropicError = (type: string, message: string): JsonObject & { type: string } => ({
  type: 'error',
  error: { type, message },
});
const anthropicUsage = (tokens: Tokens): JsonObject => ({
  input_tokens: tokens.input - tokens.cacheRead,
  cache_read_input_tokens: tokens.cacheRead,
  cache_creation_input_tokens: 0,
  output_tokens: tokens.output,
});
const anthropicMessage = (
  model: string,
  content: JsonObject[],
  stopReason: string | null,
  tokens: Tokens,
): JsonObject => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model,
  content,
  stop_reason: stopReason,
  stop_sequence: null,
  usage: anthropicUsage(tokens),
});

export const anthropicMessages: Protocol = {
  path: '/v1/messages',
  opening: (model, tokens) => [
    named({
      type: 'message_start',
      message: anthropicMessage(model, [], null, { ...tokens, output: 1 }),
    }),
    named({
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'text', text: '' },
    }),
  ],
  delta: (text) =>
    named({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }),
  closing: (stop, tokens) => [
    named({ type: 'content_block_stop', index: 0 }),
    named({
      type: 'message_delta',
      delta: { stop_reason: stop === 'stop' ? 'end_turn' : 'max_tokens', stop_sequence: null },
      usage: { output_tokens: tokens.output },
    }),
    named({ type: 'message_stop' }),
  ],
  bareEnd: [named({ type: 'content_block_stop', index: 0 })],
  whole: (model, text, tokens) =>
    anthropicMessage(model, [{ type: 'text', text }], 'end_turn', tokens),
  error: (status, message) => anthropicError(`scripted_${status}`, message),
  streamError: named(anthropicError('overloaded_error', 'Overloaded')),
  tooLong: {
    status: 400,
    body: anthropicError(
      'invalid_request_error',
      'prompt is too long: 200000 tokens > 190000 maximum',
    ),
  },
};

export const PROTOCOLS: readonly Protocol[] = [openaiChat, openaiResponses, anthropicMessages];
