import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import type { Protocol } from '../../../src/domain/gateway/protocol.ts';

/** What a client has been told by one answer. */
export type Heard = {
  texts: string[];
  calls: { id: string; name: string }[];
  stop: string | null;
  usage: object | null;
};

/** What a user or a tool says to the model. */
export type Told = { text: string } | { call_id: string; result: string };

/** A client with the official SDK, which holds the history as the documents of the SDK show. */
export type TalkingClient = { tell: (...told: Told[]) => Promise<Heard> };

type Options = { url: string; stream: boolean; headers: Record<string, string> };

const NAME = 'read';
const PARAMETERS = { type: 'object' as const, properties: {} };

export function talkingClient(protocol: Protocol, options: Options): TalkingClient {
  switch (protocol) {
    case 'messages':
      return messagesClient(options);
    case 'chat':
      return chatClient(options);
    case 'responses':
      return responsesClient(options);
    default:
      return protocol satisfies never;
  }
}

function messagesClient({ url, stream, headers }: Options): TalkingClient {
  const client = new Anthropic({
    baseURL: url,
    apiKey: 'sk',
    defaultHeaders: headers,
    maxRetries: 0,
  });
  const messages: Anthropic.MessageParam[] = [];
  const tools = [{ name: NAME, description: 'Reads.', input_schema: PARAMETERS }];
  return {
    tell: async (...told) => {
      const content = told.map(
        (each): Anthropic.ContentBlockParam =>
          'text' in each
            ? { type: 'text', text: each.text }
            : { type: 'tool_result', tool_use_id: each.call_id, content: each.result },
      );
      messages.push({ role: 'user', content });
      const request = { model: 'm', max_tokens: 100, tools, messages };
      const message = stream
        ? await client.messages.stream(request).finalMessage()
        : await client.messages.create(request);
      messages.push({ role: 'assistant', content: message.content });
      return {
        texts: message.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])),
        calls: message.content.flatMap((block) => (block.type === 'tool_use' ? [block] : [])),
        stop: message.stop_reason,
        usage: message.usage,
      };
    },
  };
}

function chatClient({ url, stream, headers }: Options): TalkingClient {
  const client = new OpenAI({
    baseURL: `${url}/v1`,
    apiKey: 'sk',
    defaultHeaders: headers,
    maxRetries: 0,
  });
  const messages: OpenAI.ChatCompletionMessageParam[] = [];
  const tools = [
    {
      type: 'function' as const,
      function: { name: NAME, description: 'Reads.', parameters: PARAMETERS },
    },
  ];
  return {
    tell: async (...told) => {
      for (const each of told) {
        if ('text' in each) messages.push({ role: 'user', content: each.text });
        else messages.push({ role: 'tool', tool_call_id: each.call_id, content: each.result });
      }
      const request = { model: 'm', tools, messages };
      const completion = stream
        ? await client.chat.completions
            .stream({ ...request, stream_options: { include_usage: true } })
            .finalChatCompletion()
        : await client.chat.completions.create(request);
      const [choice] = completion.choices;
      if (choice === undefined) throw new Error('an answer without a choice');
      messages.push(choice.message);
      const { content, tool_calls = [] } = choice.message;
      return {
        texts: content === null ? [] : [content],
        calls: tool_calls.flatMap((call) =>
          call.type === 'function' ? [{ id: call.id, name: call.function.name }] : [],
        ),
        stop: choice.finish_reason,
        usage: completion.usage ?? null,
      };
    },
  };
}

function responsesClient({ url, stream, headers }: Options): TalkingClient {
  const client = new OpenAI({
    baseURL: `${url}/v1`,
    apiKey: 'sk',
    defaultHeaders: headers,
    maxRetries: 0,
  });
  const input: OpenAI.Responses.ResponseInputItem[] = [];
  const tools = [
    {
      type: 'function' as const,
      name: NAME,
      description: 'Reads.',
      parameters: PARAMETERS,
      strict: false,
    },
  ];
  return {
    tell: async (...told) => {
      for (const each of told) {
        if ('text' in each) input.push({ role: 'user', content: each.text });
        else
          input.push({ type: 'function_call_output', call_id: each.call_id, output: each.result });
      }
      const request = { model: 'm', tools, input, store: false };
      const response = stream
        ? await client.responses.stream(request).finalResponse()
        : await client.responses.create(request);
      input.push(...(response.output as OpenAI.Responses.ResponseInputItem[]));
      return {
        texts: response.output.flatMap((item) =>
          item.type === 'message'
            ? item.content.flatMap((part) => (part.type === 'output_text' ? [part.text] : []))
            : [],
        ),
        calls: response.output.flatMap((item) =>
          item.type === 'function_call' ? [{ id: item.call_id, name: item.name }] : [],
        ),
        stop: response.status ?? null,
        usage: response.usage ?? null,
      };
    },
  };
}
