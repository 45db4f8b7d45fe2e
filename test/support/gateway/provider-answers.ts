import type { Protocol } from '../../../src/domain/gateway/protocol.ts';
import { sealOf } from './thoughts.ts';

/** What the scripted model says: what it has thought before, a text, and calls of tools. */
export type Said = {
  thought?: string;
  /** Whether the client gets the thought sealed as well, to hand it back itself (Responses). */
  isSealed?: boolean;
  text: string;
  /** A text as the input calls a `custom` tool of the Responses API; `async` is of its tools alone. */
  calls?: { id: string; name: string; input: object | string; async?: true }[];
};

export type Figures = { input: number; output: number };

/** The answer as one body. */
export function bodyOf(protocol: Protocol, id: string, said: Said, figures: Figures): object {
  const { thought, text, calls = [] } = said;
  switch (protocol) {
    case 'messages':
      return {
        id: `msg_${id}`,
        type: 'message',
        role: 'assistant',
        model: 'scripted',
        content: [
          ...(thought === undefined
            ? []
            : [{ type: 'thinking', thinking: thought, signature: sealOf(thought) }]),
          ...(text === '' ? [] : [{ type: 'text', text }]),
          ...calls.map(({ id: call, name, input }) => ({
            type: 'tool_use',
            id: call,
            name,
            input,
          })),
        ],
        stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn',
        stop_sequence: null,
        usage: { input_tokens: figures.input, output_tokens: figures.output },
      };
    case 'chat':
      return {
        id: `chatcmpl-${id}`,
        object: 'chat.completion',
        created: 1_790_000_000,
        model: 'scripted',
        choices: [
          {
            index: 0,
            finish_reason: calls.length > 0 ? 'tool_calls' : 'stop',
            logprobs: null,
            message: {
              role: 'assistant',
              content: text === '' ? null : text,
              refusal: null,
              annotations: [],
              ...(calls.length > 0 && { tool_calls: calls.map(chatCall) }),
            },
          },
        ],
        usage: chatUsage(figures),
      };
    case 'responses':
      return {
        id: `resp_${id}`,
        object: 'response',
        created_at: 1_790_000_000,
        status: 'completed',
        model: 'scripted',
        output: responseItems(id, said),
        usage: responseUsage(figures),
      };
    default:
      return protocol satisfies never;
  }
}

/** The events of the answer as a stream, each with its name where the protocol has one. */
export function eventsOf(protocol: Protocol, id: string, said: Said, figures: Figures): string[] {
  switch (protocol) {
    case 'messages':
      return messageEvents(id, said, figures).map((event) => frame(event, event.type));
    case 'chat':
      return [...chatChunks(id, said, figures).map((chunk) => frame(chunk)), 'data: [DONE]\n\n'];
    case 'responses':
      return responseEvents(id, said, figures).map((event) => frame(event, event.type));
    default:
      return protocol satisfies never;
  }
}

function frame(data: object, name?: string): string {
  return `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;
}

type Event = { type: string } & Record<string, unknown>;

function messageEvents(id: string, { thought, text, calls = [] }: Said, figures: Figures): Event[] {
  const message = {
    id: `msg_${id}`,
    type: 'message',
    role: 'assistant',
    model: 'scripted',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: figures.input, output_tokens: 1 },
  };
  const blocks = [
    ...(thought === undefined
      ? []
      : [
          {
            start: { type: 'thinking', thinking: '', signature: '' },
            deltas: [
              ...pieces(thought).map((thinking) => ({ type: 'thinking_delta', thinking })),
              { type: 'signature_delta', signature: sealOf(thought) },
            ],
          },
        ]),
    ...(text === ''
      ? []
      : [
          {
            start: { type: 'text', text: '' },
            deltas: pieces(text).map((piece) => ({ type: 'text_delta', text: piece })),
          },
        ]),
    ...calls.map(({ id: call, name, input }) => ({
      start: { type: 'tool_use', id: call, name, input: {} },
      deltas: pieces(JSON.stringify(input)).map((partial_json) => ({
        type: 'input_json_delta',
        partial_json,
      })),
    })),
  ];
  return [
    { type: 'message_start', message },
    { type: 'ping' },
    ...blocks.flatMap(({ start, deltas }, index): Event[] => [
      { type: 'content_block_start', index, content_block: start },
      ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ]),
    {
      type: 'message_delta',
      delta: { stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn', stop_sequence: null },
      usage: { output_tokens: figures.output },
    },
    { type: 'message_stop' },
  ];
}

function chatChunks(id: string, { text, calls = [] }: Said, figures: Figures): object[] {
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    id: `chatcmpl-${id}`,
    object: 'chat.completion.chunk',
    created: 1_790_000_000,
    model: 'scripted',
    choices: [{ index: 0, delta, logprobs: null, finish_reason }],
  });
  return [
    chunk({ role: 'assistant', content: text === '' ? null : '', refusal: null }),
    ...pieces(text).map((content) => chunk({ content })),
    ...calls.flatMap((call, index) => {
      const { arguments: json } = chatCall(call).function;
      const { id: own, name } = call;
      return [
        chunk({
          tool_calls: [{ index, id: own, type: 'function', function: { name, arguments: '' } }],
        }),
        ...pieces(json).map((piece) =>
          chunk({ tool_calls: [{ index, function: { arguments: piece } }] }),
        ),
      ];
    }),
    chunk({}, calls.length > 0 ? 'tool_calls' : 'stop'),
    { ...chunk({}), choices: [], usage: chatUsage(figures) },
  ];
}

function responseEvents(id: string, said: Said, figures: Figures): Event[] {
  const response = bodyOf('responses', id, said, figures);
  const begun = { ...response, status: 'in_progress', output: [], usage: null };
  const events: Event[] = [
    { type: 'response.created', response: begun },
    ...responseItems(id, said).flatMap((item, output_index): Event[] => [
      {
        type: 'response.output_item.added',
        output_index,
        item:
          item.type === 'function_call'
            ? { ...item, arguments: '', status: 'in_progress' }
            : item.type === 'reasoning'
              ? { ...item, summary: [], encrypted_content: '' }
              : item,
      },
      ...(item.type === 'reasoning' && 'summary' in item
        ? item.summary.flatMap((part, summary_index) => {
            const at = { output_index, item_id: item.id, summary_index };
            return [
              { type: 'response.reasoning_summary_part.added', ...at, part: { ...part, text: '' } },
              ...pieces(part.text).map((delta) => ({
                type: 'response.reasoning_summary_text.delta',
                ...at,
                delta,
              })),
              { type: 'response.reasoning_summary_text.done', ...at, text: part.text },
              { type: 'response.reasoning_summary_part.done', ...at, part },
            ];
          })
        : []),
      ...(item.type === 'function_call' && 'arguments' in item
        ? [
            ...pieces(item.arguments).map((delta) => ({
              type: 'response.function_call_arguments.delta',
              output_index,
              item_id: item.id,
              delta,
            })),
            {
              type: 'response.function_call_arguments.done',
              output_index,
              item_id: item.id,
              arguments: item.arguments,
            },
          ]
        : []),
      ...(item.type === 'message'
        ? pieces(said.text).map((delta) => ({
            type: 'response.output_text.delta',
            output_index,
            content_index: 0,
            item_id: item.id,
            delta,
          }))
        : []),
      { type: 'response.output_item.done', output_index, item },
    ]),
    { type: 'response.completed', response },
  ];
  return events.map((event, sequence_number) => ({ ...event, sequence_number }));
}

export function responseItems(id: string, { thought, isSealed, text, calls = [] }: Said) {
  return [
    ...(thought === undefined
      ? []
      : [
          {
            type: 'reasoning',
            id: `rs_${id}`,
            summary: [{ type: 'summary_text', text: thought }],
            ...(isSealed === true && { encrypted_content: sealOf(thought) }),
          },
        ]),
    ...(text === ''
      ? []
      : [
          {
            type: 'message',
            id: `msg_${id}`,
            status: 'completed',
            role: 'assistant',
            content: [{ type: 'output_text', text, annotations: [], logprobs: [] }],
          },
        ]),
    ...calls.map(({ id: call_id, name, input, ...isAsync }) =>
      typeof input === 'string'
        ? {
            type: 'custom_tool_call',
            id: `ctc_${call_id}`,
            status: 'completed',
            call_id,
            name,
            input,
            ...isAsync,
          }
        : {
            type: 'function_call',
            id: `fc_${call_id}`,
            status: 'completed',
            call_id,
            name,
            arguments: JSON.stringify(input),
            ...isAsync,
          },
    ),
  ];
}

function chatCall({ id, name, input }: { id: string; name: string; input: object | string }) {
  return { id, type: 'function', function: { name, arguments: JSON.stringify(input) } };
}

function chatUsage({ input, output }: Figures) {
  return { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
}

function responseUsage({ input, output }: Figures) {
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + output,
  };
}

/** A text as models stream it. */
function pieces(text: string): string[] {
  return text.match(/[\s\S]{1,12}/g) ?? [];
}
