import { afterEach, beforeEach, expect, it } from 'vitest';
import { type JsonObject, objectsIn } from '../../../src/domain/json.ts';
import { GatewayLab } from '../../support/gateway/lab.ts';

/**
 * OpenCode names nothing in some protocols, asks another agent for the summary, and puts that behind a
 * question of its own, before the newest rounds: with AI SDK for Anthropic in one message with the first
 * of these, for Responses behind what the model has thought.
 */

let lab: GatewayLab;
beforeEach(async () => {
  lab = await GatewayLab.open();
  lab.provider.script = ({ body }, index) =>
    body.tools === undefined
      ? { text: `Summary ${index}.` }
      : {
          text: `Looking at ${index}.`,
          calls: [{ id: `call_${index}`, name: 'bash', input: { command: `make ${index}` } }],
        };
});
afterEach(() => lab.close());

type Talk = {
  path: string;
  /** `isAgent`: it works, and does not write a summary. */
  body: (history: JsonObject[], isAgent: boolean) => object;
  user: (text: string) => JsonObject;
  /** What is sent back of an answer, with the results of its calls. */
  round: (text: string) => JsonObject[];
};

const QUESTION = 'What did we do so far?';
const instructions = (isAgent: boolean) => (isAgent ? 'You are OpenCode.' : 'You summarise.');
const parameters = { type: 'object' };
const resultOf = (id: unknown) => `All is well after ${id}.`;

const TALKS: Record<string, Talk> = {
  messages: {
    path: '/v1/messages',
    body: (messages, isAgent) => ({
      model: 'm',
      max_tokens: 1000,
      system: [{ type: 'text', text: instructions(isAgent) }],
      ...(isAgent && { tools: [{ name: 'bash', input_schema: parameters }] }),
      messages: joined(messages),
    }),
    user: (text) => ({ role: 'user', content: [{ type: 'text', text }] }),
    round: (text) => {
      const { content } = JSON.parse(text);
      const results = objectsIn(content).flatMap(({ type, id = null }) =>
        type === 'tool_use'
          ? [{ type: 'tool_result', tool_use_id: id, content: resultOf(id) }]
          : [],
      );
      const answer = { role: 'assistant', content };
      return results.length === 0 ? [answer] : [answer, { role: 'user', content: results }];
    },
  },
  chat: {
    path: '/v1/chat/completions',
    body: (messages, isAgent) => ({
      model: 'm',
      ...(isAgent && { tools: [{ type: 'function', function: { name: 'bash', parameters } }] }),
      messages: [{ role: 'system', content: instructions(isAgent) }, ...messages],
    }),
    user: (content) => ({ role: 'user', content }),
    round: (text) => {
      const { content, tool_calls } = JSON.parse(text).choices[0].message;
      const results = objectsIn(tool_calls).map(({ id = null }) => ({
        role: 'tool',
        tool_call_id: id,
        content: resultOf(id),
      }));
      return [{ role: 'assistant', content, ...(tool_calls && { tool_calls }) }, ...results];
    },
  },
  responses: {
    path: '/v1/responses',
    body: (input, isAgent) => ({
      model: 'm',
      store: false,
      include: ['reasoning.encrypted_content'],
      prompt_cache_key: 'ses_1',
      ...(isAgent && { tools: [{ type: 'function', name: 'bash', parameters }] }),
      input: [{ role: 'developer', content: instructions(isAgent) }, ...input],
    }),
    user: (text) => ({ role: 'user', content: [{ type: 'input_text', text }] }),
    round: (text) => {
      const output = objectsIn(JSON.parse(text).output).map(
        ({ id: _, status: __, ...item }) => item,
      );
      const results = output.flatMap(({ call_id }) =>
        call_id === undefined
          ? []
          : [{ type: 'function_call_output', call_id, output: resultOf(call_id) }],
      );
      return [...output, ...results];
    },
  },
};

/** Kilo Code tells its surroundings behind each message of the user, with the time of day. */
const surroundings = () => ({
  type: 'text',
  text: `\n\n<environment_details>\nMessage ${lab.provider.turns.length}\n</environment_details>`,
});
const kilo: Record<string, Talk> = TALKS.chat
  ? {
      'chat, with surroundings': {
        ...TALKS.chat,
        user: (text) => ({ role: 'user', content: [{ type: 'text', text }, surroundings()] }),
      },
    }
  : {};

/** Messages of one role after each other are one, as that API has it. */
function joined(messages: readonly JsonObject[]): JsonObject[] {
  const all: JsonObject[] = [];
  for (const message of messages) {
    const last = all.at(-1);
    if (last === undefined || last.role !== message.role) all.push({ ...message });
    else last.content = [...objectsIn(last.content), ...objectsIn(message.content)];
  }
  return all;
}

it.each(Object.entries({ ...TALKS, ...kilo }))(
  'stays in one session, each word once: %s',
  async (_, talk) => {
    const post = async (history: JsonObject[], isAgent = true) => {
      const body = JSON.stringify(talk.body(history, isAgent));
      const answer = await lab.post(talk.path, body);
      expect(answer.status, answer.text).toBe(200);
      expect(lab.provider.turns.at(-1)?.raw.toString()).toBe(body);
      return answer;
    };
    let opening = [talk.user('Mend the build.')];
    let rounds: JsonObject[][] = [];
    const sessions = new Set<string>();
    const step = async () => {
      const { session, text } = await post([...opening, ...rounds.flat()]);
      sessions.add(session);
      rounds.push(talk.round(text));
    };
    for (let compaction = 0; compaction < 3; compaction++) {
      for (let round = 0; round < 4; round++) await step();
      const asked = await post([talk.user(`So far: ${JSON.stringify(rounds)}`)], false);
      expect(sessions).not.toContain(asked.session);
      opening = [talk.user(QUESTION), ...talk.round(asked.text)];
      rounds = rounds.slice(-2);
    }
    await step();
    expect([...sessions]).toHaveLength(1);
    const [session = ''] = sessions;
    const events = await lab.events(session);
    const summaries = events.flatMap((event) =>
      event.type === 'compaction.observed' ? [event.data.summary_text] : [],
    );
    expect(summaries).toEqual(['Summary 4.', 'Summary 9.', 'Summary 14.']);
    const items = JSON.stringify(await lab.items(session));
    for (const index of [0, 2, 3, 5, 7, 8, 10, 13]) {
      expect(items.split(resultOf(`call_${index}`)), `${index}`).toHaveLength(2);
      expect(items.split(`Looking at ${index}.`), `${index}`).toHaveLength(2);
    }
    expect(lab.provider.invalid).toEqual([]);
  },
);
