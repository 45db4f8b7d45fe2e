import type { Format } from '../../src/domain/items/codecs.ts';
import type { Item } from '../../src/domain/items/item.ts';
import type { Json, JsonObject } from '../../src/domain/json.ts';

// How each wire format writes the parts of a generated conversation.

/** A tool call of a generated conversation with what its tool answers. */
export type CallPlan = { name: string; input: JsonObject; answer: AnswerPlan };
export type AnswerPlan = { text: string; shape: 'string' | 'parts' | 'image'; isError: boolean };
/** A call under the id that joins it to its result. */
export type PlacedCall = { id: string; call: CallPlan };

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=';
export function userMessage(format: Format, text: string, withImage: boolean): Item {
  switch (format) {
    case 'anthropic':
      return withImage
        ? { role: 'user', content: [{ type: 'text', text }, anthropicImage()], timestamp: 17 }
        : { role: 'user', content: text };
    case 'openai-chat':
      return withImage
        ? { role: 'user', content: [{ type: 'text', text }, chatImage()] }
        : { role: 'user', content: text, name: 'sam' };
    case 'openai-responses':
      return withImage
        ? { type: 'message', role: 'user', content: [{ type: 'input_text', text }, inputImage()] }
        : { role: 'user', content: text };
    case 'ai-sdk':
      return withImage
        ? { role: 'user', content: [{ type: 'text', text }, sdkImage()], timestamp: 17 }
        : { role: 'user', content: text };
    default:
      return format satisfies never;
  }
}

type AssistantPlan = { thinking: string; text: string; placed: PlacedCall[]; usage: number };

export function assistantItems(format: Format, plan: AssistantPlan, id: string): Item[] {
  switch (format) {
    case 'anthropic':
      return [anthropicAssistant(plan, id)];
    case 'openai-chat':
      return [chatAssistant(plan)];
    case 'openai-responses':
      return responsesAssistant(plan, id);
    case 'ai-sdk':
      return [sdkAssistant(plan)];
    default:
      return format satisfies never;
  }
}

function anthropicAssistant({ thinking, text, placed, usage }: AssistantPlan, id: string): Item {
  const content: Json[] = [
    ...(thinking === '' ? [] : [{ type: 'thinking', thinking, signature: 'c2ln' }]),
    ...(text === '' ? [] : [{ type: 'text', text, citations: null }]),
    ...placed.map(({ id: callId, call }) => ({
      type: 'tool_use',
      id: callId,
      name: call.name,
      input: call.input,
      caller: { type: 'direct' },
    })),
  ];
  const figures = { input_tokens: usage, output_tokens: 7, cache_read_input_tokens: 100 };
  return { role: 'assistant', id, model: 'claude-x', content, usage: figures };
}

function chatAssistant({ thinking, text, placed, usage }: AssistantPlan): Item {
  return {
    role: 'assistant',
    content: text === '' ? null : text,
    ...(thinking !== '' && { reasoning_content: thinking }),
    tool_calls: placed.map(({ id, call }) => ({
      id,
      type: 'function',
      function: { name: call.name, arguments: JSON.stringify(call.input) },
    })),
    usage: { prompt_tokens: usage, completion_tokens: 7, total_tokens: usage + 7 },
  };
}

function sdkAssistant({ thinking, text, placed, usage }: AssistantPlan): Item {
  const content: Json[] = [
    ...(thinking === '' ? [] : [{ type: 'reasoning', text: thinking }]),
    ...(text === '' ? [] : [{ type: 'text', text, providerOptions: { openai: { itemId: 'm' } } }]),
    ...placed.map(({ id, call }) => ({
      type: 'tool-call',
      toolCallId: id,
      toolName: call.name,
      input: call.input,
    })),
  ];
  return { role: 'assistant', content, usage: { input_tokens: usage, output_tokens: 7 } };
}

function responsesAssistant({ thinking, text, placed, usage }: AssistantPlan, id: string): Item[] {
  const summary = [{ type: 'summary_text', text: thinking }];
  const content = [{ type: 'output_text', text, annotations: [] }];
  return [
    ...(thinking === '' ? [] : [{ type: 'reasoning', id: `rs_${id}`, summary }]),
    ...(text === ''
      ? []
      : [
          {
            type: 'message',
            id,
            role: 'assistant',
            content,
            status: 'completed',
            phase: 'commentary',
          },
        ]),
    {
      type: 'web_search_call',
      id: `ws_${id}`,
      status: 'completed',
      action: { type: 'search', query: 'tides' },
      usage: { input_tokens: usage },
    },
    ...placed.map(({ id: callId, call }) => responsesCall(callId, call)),
  ];
}

function responsesCall(callId: string, call: CallPlan): Item {
  const id = `fc_${callId}`;
  return call.name === 'container.exec'
    ? {
        type: 'custom_tool_call',
        id,
        call_id: callId,
        name: call.name,
        input: String(call.input.why),
      }
    : {
        type: 'function_call',
        id,
        call_id: callId,
        name: call.name,
        arguments: JSON.stringify(call.input),
      };
}

export function answerItems(format: Format, text: string): Item[] {
  switch (format) {
    case 'anthropic':
      return [{ role: 'assistant', content: [{ type: 'text', text }] }];
    case 'openai-chat':
      return [{ role: 'assistant', content: text }];
    case 'openai-responses':
      return [{ role: 'assistant', content: [{ type: 'output_text', text }] }];
    case 'ai-sdk':
      return [{ role: 'assistant', content: [{ type: 'text', text }] }];
    default:
      return format satisfies never;
  }
}

export function resultItems(format: Format, placed: PlacedCall[]): Item[] {
  if (placed.length === 0) return [];
  switch (format) {
    case 'anthropic':
      return [{ role: 'user', content: placed.map(anthropicResult), is_meta: false }];
    case 'openai-chat':
      return placed.map(({ id, call }) => ({
        role: 'tool',
        tool_call_id: id,
        content:
          call.answer.shape === 'string'
            ? call.answer.text
            : [{ type: 'text', text: call.answer.text }],
      }));
    case 'openai-responses':
      return placed.map(({ id, call }) => ({
        type: call.name === 'container.exec' ? 'custom_tool_call_output' : 'function_call_output',
        call_id: id,
        output: responsesOutput(call.answer),
      }));
    case 'ai-sdk':
      return [{ role: 'tool', content: placed.map(sdkResult) }];
    default:
      return format satisfies never;
  }
}

function anthropicResult({ id, call: { answer } }: PlacedCall): JsonObject {
  const text = { type: 'text', text: answer.text };
  const parts = answer.shape === 'image' ? [text, anthropicImage()] : [text];
  return {
    type: 'tool_result',
    tool_use_id: id,
    content: answer.shape === 'string' ? answer.text : parts,
    ...(answer.isError && { is_error: true }),
  };
}

function sdkResult({ id, call: { name, answer } }: PlacedCall): JsonObject {
  return { type: 'tool-result', toolCallId: id, toolName: name, output: sdkOutput(answer) };
}

function sdkOutput({ text, shape, isError }: AnswerPlan): JsonObject {
  if (isError) return { type: 'error-text', value: text };
  if (shape === 'string') return { type: 'text', value: text };
  if (shape === 'parts') return { type: 'json', value: { lines: [text] } };
  const media = { type: 'media', data: PIXEL, mediaType: 'image/png' };
  return { type: 'content', value: [{ type: 'text', text }, media] };
}

function responsesOutput(answer: AnswerPlan): Json {
  const text = { type: 'input_text', text: answer.text };
  if (answer.shape === 'string') return answer.text;
  return answer.shape === 'image' ? [text, inputImage()] : [text];
}

function anthropicImage(): JsonObject {
  return { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } };
}

function chatImage(): JsonObject {
  return { type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL}` } };
}

function sdkImage(): JsonObject {
  return { type: 'image', image: `data:image/png;base64,${PIXEL}` };
}

function inputImage(): JsonObject {
  return { type: 'input_image', detail: 'auto', image_url: 'https://example.com/a.png' };
}
