import type { Format } from '../../src/domain/items/codecs.ts';
import type { Item } from '../../src/domain/items/item.ts';
import { isJsonObject, type Json, type JsonObject } from '../../src/domain/json.ts';
import { userMessage } from './generated-items.ts';

// What real clients put into a conversation beside messages, calls and results.

/** A message of the model as the provider's SDK gives it, appended as it came. */
export function asSdkResponse(format: Format, item: Item): Item {
  switch (format) {
    case 'anthropic':
      return item.role === 'assistant' ? anthropicResponse(item) : item;
    case 'openai-chat':
      return item.role === 'assistant' ? chatResponse(item) : item;
    case 'openai-responses':
      return responsesOutput(item);
    case 'ai-sdk':
      return item;
    default:
      return format satisfies never;
  }
}

function anthropicResponse(item: Item): Item {
  return {
    id: 'msg_01XFDUDYJgAACzvnptvVoYEL',
    model: 'claude-opus-5',
    ...item,
    type: 'message',
    stop_reason: 'tool_use',
    stop_sequence: null,
    stop_details: null,
    container: null,
    context_management: null,
    usage: { input_tokens: 10, output_tokens: 2, service_tier: 'standard' },
  };
}

function chatResponse(item: Item): Item {
  const parsed = (call: Json): Json =>
    isJsonObject(call) && isJsonObject(call.function)
      ? { ...call, index: 0, function: { ...call.function, parsed_arguments: {} } }
      : call;
  return {
    ...item,
    refusal: null,
    annotations: [],
    audio: null,
    function_call: null,
    parsed: null,
    ...(Array.isArray(item.tool_calls) && { tool_calls: item.tool_calls.map(parsed) }),
  };
}

function responsesOutput(item: Item): Item {
  if (item.type === 'function_call') return { ...item, status: 'completed', parsed_arguments: {} };
  if (item.type === 'reasoning') return { ...item, content: null, encrypted_content: 'gAAAAA' };
  if (item.role !== 'assistant' || !Array.isArray(item.content)) return item;
  const content = item.content.map((part) =>
    isJsonObject(part) ? { annotations: [], logprobs: [], ...part, parsed: null } : part,
  );
  return { id: 'msg_67c9', status: 'completed', ...item, type: 'message', content };
}

/** What the program says to the model in the middle of a conversation. */
export function systemItem(format: Format, choice: number, text: string): Item {
  const role = choice % 2 === 0 ? 'system' : 'developer';
  switch (format) {
    case 'anthropic': {
      const options: JsonObject[] = [
        { content: text },
        { content: [{ type: 'text', text, cache_control: { type: 'ephemeral' } }] },
        { content: text, output_config: { effort: 'medium' } },
        { content: [{ type: 'text', text }], clear_at: 'next_user_message' },
      ];
      return { role: 'system', ...options[choice % options.length] };
    }
    case 'openai-chat':
      return { role, content: text };
    case 'openai-responses':
      return { type: 'message', role, content: [{ type: 'input_text', text }] };
    case 'ai-sdk':
      return { role: 'system', content: text };
    default:
      return format satisfies never;
  }
}

/** A tool that the provider ran itself; `choice` may lose its call or its result. */
export function serverToolItems(format: Format, choice: number, text: string): Item[] {
  if (format === 'openai-chat') return [];
  if (format === 'openai-responses') {
    const action = { type: 'search', query: text };
    return [{ type: 'web_search_call', id: `ws_${choice}`, status: 'completed', action }];
  }
  if (format === 'ai-sdk') return [providerTool(choice, text)];
  const id = `srvtoolu_${choice}`;
  const call = { type: 'server_tool_use', id, name: 'web_search', input: { query: text } };
  const found = {
    type: 'web_search_result',
    url: 'https://example.com',
    title: 'Tides',
    encrypted_content: 'EqgfCioI',
    page_age: null,
  };
  const result = { type: 'web_search_tool_result', tool_use_id: id, content: [found] };
  const said = { type: 'text', text: `Found. ${text}`, citations: null };
  const contents: Json[][] = [[call, result, said], [call], [result, said], [said, call, result]];
  return [{ role: 'assistant', content: contents[choice % contents.length] ?? [] }];
}

function providerTool(choice: number, text: string): Item {
  const ids = { toolCallId: `srvtoolu_${choice}`, toolName: 'web_search' };
  const call = { type: 'tool-call', ...ids, input: { query: text }, providerExecuted: true };
  const output = { type: 'json', value: { url: 'https://example.com' } };
  const result = { type: 'tool-result', ...ids, output };
  return { role: 'assistant', content: [call, result, { type: 'text', text: `Found. ${text}` }] };
}

/** What programs tell the model in the user's place: subagents, hooks, reminders. */
export function noticeItem(format: Format, choice: number, text: string): Item {
  const notices = [
    `<task-notification>\n<task-id>a1</task-id>\n<result>${text}</result>\n</task-notification>\nRead the output file to see the full result.`,
    `<system-reminder>\n${text}\n</system-reminder>`,
    `Stop hook feedback:\n[npm test]: ${text}`,
    `<user-prompt-submit-hook>${text}</user-prompt-submit-hook>`,
  ];
  return userMessage(format, notices[choice % notices.length] ?? text, false);
}
