import { afterEach, beforeEach, expect, it } from 'vitest';
import { GatewayLab } from '../../support/gateway/lab.ts';
import { logOf } from '../../support/gateway/sdk-task.ts';

/**
 * The Copilot CLI asks for a summary of its conversation at the end of its history, with the same
 * instructions and tools, and works on meanwhile. Then its history begins with the summary, and keeps what
 * came behind the question.
 */

let lab: GatewayLab;
beforeEach(async () => {
  lab = await GatewayLab.open();
  lab.provider.script = ({ raw }, index) =>
    raw.toString().includes('"tool_choice":"none"')
      ? { text: `<overview>Summary ${index}.</overview>` }
      : {
          text: `Looking at ${index}.`,
          calls: [
            { id: `call_${index}a`, name: 'bash', input: { command: `cat ${index}.log` } },
            { id: `call_${index}b`, name: 'bash', input: { command: 'cat none' } },
          ],
        };
});
afterEach(() => lab.close());

const QUESTION =
  'Please create a detailed summary of the conversation so far. The history is being compacted so moving ' +
  'forward, all conversation history will be removed and you will only have this summary to work from.';
const summarised = (summary: string) =>
  'Some of the conversation history has been summarized to free up context.\n\n' +
  'You were originally given instructions from a user over one or more turns. Here were the user messages:\n' +
  '<user_message>\nMend the build.\n</user_message>\n\n' +
  `Here is a summary of the prior context:\n<summary>\n${summary}\n</summary>`;

type Talk = {
  path: string;
  body: (history: object[]) => object;
  user: (text: string) => object;
  asks: (history: object[]) => object[];
  /** What an answer adds to the history, with the results of its calls. */
  round: (text: string) => object[];
};

const parameters = { type: 'object' };
const message = (text: string) => ({
  type: 'message',
  role: 'user',
  content: [{ type: 'input_text', text }],
});
const TALKS: Record<string, Talk> = {
  messages: {
    path: '/v1/messages',
    body: (messages) => ({
      model: 'm',
      max_tokens: 1000,
      system: 'You are Copilot.',
      tools: [{ name: 'bash', input_schema: parameters }],
      messages,
    }),
    user: (text) => ({ role: 'user', content: [{ type: 'text', text }] }),
    // As a block of the message that holds the results.
    asks: (history) => {
      const [last] = history.slice(-1) as { content: object[] }[];
      const content = [...(last?.content ?? []), { type: 'text', text: QUESTION }];
      return [...history.slice(0, -1), { role: 'user', content }];
    },
    round: (text) => {
      const { content } = JSON.parse(text);
      const calls = content.filter(({ type }: { type: string }) => type === 'tool_use');
      const results = calls.map(({ id }: { id: string }) => ({
        type: 'tool_result',
        tool_use_id: id,
        content: logOf(id),
      }));
      return [
        { role: 'assistant', content },
        { role: 'user', content: results },
      ];
    },
  },
  chat: {
    path: '/v1/chat/completions',
    body: (messages) => ({
      model: 'm',
      tools: [{ type: 'function', function: { name: 'bash', parameters } }],
      messages: [{ role: 'system', content: 'You are Copilot.' }, ...messages],
    }),
    user: (content) => ({ role: 'user', content }),
    asks: (history) => [...history, { role: 'user', content: QUESTION }],
    round: (text) => {
      const { message } = JSON.parse(text).choices[0];
      const results = message.tool_calls.map(({ id }: { id: string }) => ({
        role: 'tool',
        tool_call_id: id,
        content: logOf(id),
      }));
      return [message, ...results];
    },
  },
  responses: {
    path: '/v1/responses',
    body: (input) => ({
      model: 'm',
      store: false,
      prompt_cache_key: 'copilot',
      instructions: 'You are Copilot.',
      tools: [{ type: 'function', name: 'bash', parameters }],
      input,
    }),
    user: (text) => message(text),
    asks: (history) => [...history, message(QUESTION)],
    round: (text) => {
      const { output } = JSON.parse(text);
      const results = output.flatMap(({ call_id }: { call_id?: string }) =>
        call_id === undefined
          ? []
          : [{ type: 'function_call_output', call_id, output: logOf(call_id) }],
      );
      return [...output, ...results];
    },
  },
};

it.each(Object.entries(TALKS))('stays in one session: %s', async (_, talk) => {
  const headers = { 'x-palimpsest-context-window': '40000' };
  const post = async (history: object[], more: object = {}) => {
    const body = { ...talk.body(history), ...more };
    const answer = await lab.post(talk.path, body, headers);
    expect(answer.status, answer.text).toBe(200);
    return answer;
  };
  let history = [talk.user('Mend the build.')];
  const sessions = new Set<string>();
  const asides = new Set<string>();
  const step = async () => {
    const { session, text } = await post(history);
    sessions.add(session);
    history.push(...talk.round(text));
  };
  for (let compaction = 0; compaction < 3; compaction++) {
    for (let round = 0; round < 5; round++) await step();
    const before = history.length;
    const question = talk.asks(history);
    const [asked] = await Promise.all([post(question, { tool_choice: 'none' }), step()]);
    asides.add(asked.session);
    history = [
      talk.user(summarised(`<overview>Summary ${compaction}.</overview>`)),
      ...history.slice(before),
    ];
  }
  await step();
  expect([...sessions]).toHaveLength(1);
  const [session = ''] = sessions;
  expect([...asides]).not.toContain(session);
  const events = await lab.events(session);
  expect(events.filter(({ type }) => type === 'compaction.observed')).toHaveLength(3);
  expect(events.filter(({ type }) => type === 'item.superseded')).toEqual([]);
  // Each result once.
  const items = await lab.items(session);
  const results = JSON.stringify(items).match(/call_\d+[ab]:0 step/g) ?? [];
  expect([results.length, new Set(results).size]).toEqual([36, 36]);
  // Nobody reads the question but who is asked it.
  const turns = lab.provider.turns.filter(({ body }) => body.tool_choice === undefined);
  const read = [items, ...turns.map(({ history: sent }) => sent)];
  expect(read.filter((each) => JSON.stringify(each).includes(QUESTION))).toHaveLength(0);
  expect(lab.provider.invalid).toEqual([]);
});

it('answers the question from where it was asked, also once the conversation has gone on', async () => {
  const { messages: talk } = TALKS;
  if (talk === undefined) throw new Error('there is no such talk');
  const first = [talk.user('Mend the build.')];
  const { session, text } = await lab.post(talk.path, talk.body(first));
  const second = [...first, ...talk.round(text)];
  const next = await lab.post(talk.path, talk.body(second));
  const third = [...second, ...talk.round(next.text)];
  await lab.post(talk.path, talk.body(third));
  const body = { ...talk.body(talk.asks(second)), tool_choice: 'none' };
  const asked = await lab.post(talk.path, body);
  const again = await lab.post(talk.path, body);
  expect(again.session).toBe(asked.session);
  expect(asked.session).not.toBe(session);
  expect(lab.provider.turns.at(-1)?.raw.toString()).toBe(JSON.stringify(body));
  await expect.poll(async () => (await lab.items(session)).length).toBe(6);
});
