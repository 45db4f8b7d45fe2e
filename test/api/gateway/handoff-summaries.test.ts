import { afterEach, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { send } from '../../support/api-server.ts';
import { GatewayLab } from '../../support/gateway/lab.ts';

/**
 * Kimi Code asks for a summary at the end of its history, and begins its history with the requests of the
 * user and that summary from then on. Its session is named in the body.
 */

let lab: GatewayLab;
beforeEach(async () => {
  lab = await GatewayLab.open();
  lab.provider.script = ({ raw }, index) =>
    raw.toString().includes('Create a handoff summary')
      ? { text: `The logs up to ${index} were read.` }
      : {
          text: `Log ${index}.`,
          calls: [{ id: `call_${index}`, name: 'Read', input: { path: `${index}.log` } }],
        };
});
afterEach(() => lab.close());

const REQUEST = 'Why does the nightly build fail?';
const QUESTION =
  'You are about to run out of context. Create a handoff summary for the\n' +
  'model that will resume this task after the earlier conversation is cleared.';
const PREFIX =
  'The conversation so far has been compacted to free up context. What follows is your own working ' +
  'summary of this task — use it to continue your train of thought rather than starting over.\n';
const REMINDER =
  '<system-reminder>\nContext compaction is complete — continue the work that was in progress when it began.\n</system-reminder>';
const SESSION = 'session_a53f7f75-afc3-4e7b-a4b7-f90e257c5ed5';

type Talk = {
  path: string;
  body: (history: object[]) => object;
  /** What the user and the program say, one after the other, behind the history. */
  told: (history: object[], ...texts: string[]) => object[];
  /** An answer that calls a tool, with the result. */
  round: (answer: string) => object[];
  text: (answer: string) => string;
};

const spoken = z.object({ text: z.string() });
const chatAnswer = z.object({
  choices: z.tuple([
    z.object({
      message: z.looseObject({
        content: z.string(),
        tool_calls: z.array(z.looseObject({ id: z.string() })).optional(),
      }),
    }),
  ]),
});
const messagesAnswer = z.object({
  content: z.array(z.looseObject({ type: z.string(), id: z.string().optional() })),
});

const TALKS: Record<string, Talk> = {
  chat: {
    path: '/v1/chat/completions',
    body: (messages) => ({
      model: 'm',
      prompt_cache_key: SESSION,
      tools: [{ type: 'function', function: { name: 'Read', parameters: { type: 'object' } } }],
      messages: [{ role: 'system', content: 'You are Kimi Code CLI.' }, ...messages],
    }),
    told: (history, ...texts) => [
      ...history,
      ...texts.map((content) => ({ role: 'user', content })),
    ],
    round: (answer) => {
      const { message } = chatAnswer.parse(JSON.parse(answer)).choices[0];
      const calls = message.tool_calls ?? [];
      const result = ({ id }: { id: string }) => ({
        role: 'tool',
        tool_call_id: id,
        content: `All is well in ${id}.`,
      });
      return [message, ...calls.map(result)];
    },
    text: (answer) => chatAnswer.parse(JSON.parse(answer)).choices[0].message.content,
  },
  messages: {
    path: '/v1/messages',
    body: (messages) => ({
      model: 'm',
      max_tokens: 1000,
      metadata: { user_id: SESSION },
      system: 'You are Kimi Code CLI.',
      tools: [{ name: 'Read', input_schema: { type: 'object' } }],
      messages,
    }),
    // Blocks of the last message, where that is the user's.
    told: (history, ...texts) => {
      const { content } = z
        .object({ content: z.array(z.unknown()) })
        .parse(history.at(-1) ?? { content: [] });
      const blocks = texts.map((text) => ({ type: 'text', text }));
      return [...history.slice(0, -1), { role: 'user', content: [...content, ...blocks] }];
    },
    round: (answer) => {
      const { content } = messagesAnswer.parse(JSON.parse(answer));
      const results = content.flatMap(({ type, id }) =>
        type === 'tool_use'
          ? { type: 'tool_result', tool_use_id: id, content: `All is well in ${id}.` }
          : [],
      );
      return [
        { role: 'assistant', content },
        { role: 'user', content: results },
      ];
    },
    text: (answer) => spoken.parse(messagesAnswer.parse(JSON.parse(answer)).content[0]).text,
  },
};

it.each(Object.entries(TALKS))(
  'goes on in one session, in which only the user has asked for anything: %s',
  async (_, talk) => {
    const sessions = new Set<string>();
    const ask = async (history: object[]) => {
      const { session, text, status } = await lab.post(talk.path, talk.body(history));
      expect(status, text).toBe(200);
      sessions.add(session);
      return text;
    };
    let past = talk.told([], REQUEST);
    for (let compaction = 0; compaction < 3; compaction++) {
      for (let round = 0; round < 3; round++) past.push(...talk.round(await ask(past)));
      const summary = talk.text(await ask(talk.told(past, QUESTION)));
      past = talk.told([], REQUEST, PREFIX + summary, REMINDER);
    }
    await ask(past);
    expect([...sessions]).toHaveLength(1);
    const [session = ''] = sessions;
    const events = await lab.events(session);
    expect(events.filter(({ type }) => type === 'compaction.observed')).toHaveLength(3);
    const { text } = await send(lab.api, 'GET', `/sessions/${session}/ledger?kind=request`);
    expect(text).not.toMatch(/handoff|working summary|were read/);
    expect(text).toContain(REQUEST);
    expect(lab.provider.invalid).toEqual([]);
  },
);
