import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { z } from 'zod';
import { close, listen } from '../support/listening.ts';

const messageSchema = z.looseObject({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool']),
  tool_calls: z.array(z.looseObject({ id: z.string() })).nullish(),
  tool_call_id: z.string().optional(),
});
const requestSchema = z.looseObject({
  stream: z.boolean().nullish(),
  messages: z.array(messageSchema),
  tools: z.array(z.unknown()).optional(),
});
type Message = z.infer<typeof messageSchema>;

/** Tokens are four characters of the JSON of messages and tools each; an image is none. */
const IMAGE = /data:image\/[a-z]+;base64,[A-Za-z0-9+/=]+/g;

type Task = {
  rounds: number;
  window: number;
  /** What it calls in each step; by default it reads the log of that number. */
  callOf?: (step: number) => { name: string; input: object };
  /** Whether it gives the calls of each answer the same ids, as some do. */
  repeatsIds?: boolean;
};

/**
 * A provider of Chat Completions that gives an agent a task of so many rounds, two calls in each, and checks every request as a provider would: `problems` says what was wrong.
 */
export async function taskProvider({ rounds, window, callOf = readLog, repeatsIds = false }: Task) {
  const problems: string[] = [];
  const sizes: number[] = [];
  const results: number[] = [];
  let asked = 0;
  let beforeRound: (round: number) => Promise<void> = async () => {};
  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      problems.push(String(error));
      response.destroy();
    });
  });

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = '';
    for await (const part of request) text += part;
    const { messages, stream, tools = [] } = requestSchema.parse(JSON.parse(text));
    const size = Math.ceil(JSON.stringify([messages, tools]).replaceAll(IMAGE, '').length / 4);
    sizes.push(size);
    results.push(messages.filter(({ role }) => role === 'tool').length);
    problems.push(...violations(messages).map((problem) => `request ${asked}: ${problem}`));
    if (size > window) problems.push(`request ${asked}: ${size} tokens in a window of ${window}`);
    const round = asked++;
    await beforeRound(round);
    const message = answerOf(round, { rounds, callOf, repeatsIds });
    const usage = { prompt_tokens: size, completion_tokens: 20, total_tokens: size + 20 };
    if (stream === true) sendStream(response, message, usage);
    else sendWhole(response, message, usage);
  }

  const url = await listen(server);
  return {
    url: `${url}/v1`,
    problems,
    sizes,
    /** How many results each request had. */
    results,
    /** What happens before the answer to each request. */
    onRound: (act: typeof beforeRound) => {
      beforeRound = act;
    },
    close: () => close(server),
  };
}

/** What the tool answers: about 1,200 tokens that nobody needs for long. */
export function logOf(step: number): string {
  const lines = Array.from(
    { length: 60 },
    (_, n) =>
      `step ${step}, line ${n}: nothing unusual was seen, all is well at the gate of the north tower`,
  );
  return lines.join('\n');
}

export const LAST_WORDS = 'All logs are read: nothing unusual.';

type Call = { id: string; type: 'function'; function: { name: string; arguments: string } };
type Answer = { content: string | null; tool_calls?: Call[] };

const readLog = (step: number) => ({ name: 'read_log', input: { step } });

function answerOf(
  round: number,
  { rounds, callOf, repeatsIds }: Required<Omit<Task, 'window'>>,
): Answer {
  if (round >= rounds) return { content: LAST_WORDS };
  const call = (step: number): Call => {
    const { name, input } = callOf(step);
    const id = `call_${repeatsIds ? step % 2 : step}`;
    return { id, type: 'function', function: { name, arguments: JSON.stringify(input) } };
  };
  return { content: `Round ${round}.`, tool_calls: [call(2 * round), call(2 * round + 1)] };
}

/** What the API would refuse: a call without its results right behind it, a result without its call. */
function violations(messages: readonly Message[]): string[] {
  const problems: string[] = [];
  let open = new Set<string>();
  for (const { role, tool_calls, tool_call_id = '' } of messages) {
    if (role === 'tool') {
      if (!open.delete(tool_call_id)) problems.push(`result ${tool_call_id} without its call`);
      continue;
    }
    for (const id of open) problems.push(`call ${id} without a result`);
    open = new Set((tool_calls ?? []).map(({ id }) => id));
  }
  for (const id of open) problems.push(`call ${id} without a result at the end`);
  if (!messages.some(({ role }) => role === 'user')) problems.push('no user message');
  return problems;
}

/** Frameworks know messages by the ids of the answers. */
const newId = () => `chatcmpl-${randomUUID()}`;
const HEAD = { created: 1, model: 'scripted' };

function sendWhole(response: ServerResponse, message: Answer, usage: object): void {
  const id = newId();
  const finish_reason = message.tool_calls === undefined ? 'stop' : 'tool_calls';
  response.setHeader('content-type', 'application/json');
  response.end(
    JSON.stringify({
      id,
      ...HEAD,
      object: 'chat.completion',
      choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason }],
      usage,
    }),
  );
}

function sendStream(
  response: ServerResponse,
  { content, tool_calls }: Answer,
  usage: object,
): void {
  const id = newId();
  const send = (choices: object[], more: object = {}) =>
    response.write(
      `data: ${JSON.stringify({ id, ...HEAD, object: 'chat.completion.chunk', choices, ...more })}\n\n`,
    );
  response.setHeader('content-type', 'text/event-stream');
  send([{ index: 0, delta: { role: 'assistant', content }, finish_reason: null }]);
  for (const [index, call] of (tool_calls ?? []).entries()) {
    send([{ index: 0, delta: { tool_calls: [{ index, ...call }] }, finish_reason: null }]);
  }
  const finish_reason = tool_calls === undefined ? 'stop' : 'tool_calls';
  send([{ index: 0, delta: {}, finish_reason }]);
  send([], { usage });
  response.end('data: [DONE]\n\n');
}
