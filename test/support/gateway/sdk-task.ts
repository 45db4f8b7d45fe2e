import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import type { Said } from './provider-answers.ts';

/** A task of so many calls of a tool; each result is long, and no line of it comes again. */
export const CALLS = 72;

export function taskScript(calls = CALLS): (_: unknown, index: number) => Said {
  return (_, index) =>
    index < calls
      ? {
          text: `Looking at log ${index}.`,
          calls: [
            { id: `call_${index}`, name: 'read_log', input: { path: `logs/night-${index}.log` } },
          ],
        }
      : { text: 'The build fails because of a missing file.' };
}

/** What the tool prints: some 4,000 tokens. */
export function logOf(path: string): string {
  return Array.from(
    { length: 250 },
    (_, line) => `${path}:${line} step ${line * 7} of the nightly build took ${line % 13} seconds`,
  ).join('\n');
}

const PROMPT = 'Read the logs and tell me why the nightly build fails.';
const TOOL = {
  name: 'read_log',
  description: 'Reads a log.',
  parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
} as const;

export type Client = { url: string; stream: boolean; headers?: Record<string, string> };

/** Each works through the task with the official SDK, as its documents show; answers the last text. */
export const SDKS: Record<'messages' | 'chat' | 'responses', (client: Client) => Promise<string>> =
  {
    messages: async ({ url, stream, headers = {} }) => {
      const client = new Anthropic({
        baseURL: url,
        apiKey: 'sk-their-own',
        defaultHeaders: headers,
        maxRetries: 2,
      });
      const messages: Anthropic.MessageParam[] = [{ role: 'user', content: PROMPT }];
      const { parameters, ...tool } = TOOL;
      const tools = [
        { ...tool, input_schema: { ...parameters, required: [...parameters.required] } },
      ];
      for (;;) {
        const request = { model: 'scripted', max_tokens: 1000, tools, messages };
        const message = stream
          ? await client.messages.stream(request).finalMessage()
          : await client.messages.create(request);
        messages.push({ role: 'assistant', content: message.content });
        const calls = message.content.filter((block) => block.type === 'tool_use');
        if (calls.length === 0) return textOf(message.content);
        messages.push({
          role: 'user',
          content: calls.map(({ id, input }) => ({
            type: 'tool_result' as const,
            tool_use_id: id,
            content: logOf((input as { path: string }).path),
          })),
        });
      }
    },
    chat: async ({ url, stream, headers = {} }) => {
      const client = new OpenAI({
        baseURL: `${url}/v1`,
        apiKey: 'sk-their-own',
        defaultHeaders: headers,
      });
      const messages: OpenAI.ChatCompletionMessageParam[] = [
        { role: 'system', content: 'You look for errors.' },
        { role: 'user', content: PROMPT },
      ];
      const tools = [{ type: 'function' as const, function: TOOL }];
      for (;;) {
        const request = { model: 'scripted', tools: tools as never, messages };
        const completion = stream
          ? await client.chat.completions.stream(request).finalChatCompletion()
          : await client.chat.completions.create(request);
        const message = completion.choices[0]?.message;
        if (message === undefined) throw new Error('there is no choice');
        messages.push(message);
        const calls = message.tool_calls ?? [];
        if (calls.length === 0) return message.content ?? '';
        for (const call of calls) {
          if (call.type !== 'function') continue;
          const { path } = JSON.parse(call.function.arguments) as { path: string };
          messages.push({ role: 'tool', tool_call_id: call.id, content: logOf(path) });
        }
      }
    },
    responses: async ({ url, stream, headers = {} }) => {
      const client = new OpenAI({
        baseURL: `${url}/v1`,
        apiKey: 'sk-their-own',
        defaultHeaders: headers,
      });
      const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: PROMPT }];
      const tools = [{ type: 'function' as const, strict: false, ...TOOL }];
      for (;;) {
        const request = { model: 'scripted', store: false, tools: tools as never, input };
        const response = stream
          ? await client.responses.stream(request).finalResponse()
          : await client.responses.create(request);
        input.push(...(response.output as OpenAI.Responses.ResponseInput));
        const output: OpenAI.Responses.ResponseOutputItem[] = response.output;
        const calls = output.filter(isCall);
        if (calls.length === 0) return response.output_text;
        for (const call of calls) {
          const { path } = JSON.parse(call.arguments) as { path: string };
          input.push({ type: 'function_call_output', call_id: call.call_id, output: logOf(path) });
        }
      }
    },
  };

function textOf(content: Anthropic.ContentBlock[]): string {
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('');
}

function isCall(
  item: OpenAI.Responses.ResponseOutputItem,
): item is OpenAI.Responses.ResponseFunctionToolCall {
  return item.type === 'function_call';
}
