import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GatewayLab } from '../../support/gateway/lab.ts';

/** Agents whose system prompt holds the time of day, or what they remember, and which stands in the history. */

const WINDOW = 6_000;
const TURNS = 30;

let lab: GatewayLab;
beforeEach(async () => {
  lab = await GatewayLab.open();
  lab.provider.window = WINDOW;
  lab.provider.script = (_, index) => ({
    text: `I read log ${index}. ${'It says nothing of note. '.repeat(30)}`,
    calls: [{ id: `call_${index}`, name: 'read_log', input: { path: `${index}.log` } }],
  });
});
afterEach(() => lab.close());

const parameters = { type: 'object', properties: { path: { type: 'string' } } };
const read_log = { name: 'read_log', parameters };
const REQUEST = 'Why does the nightly build fail? Read the logs.';
const log = (turn: number) =>
  Array.from({ length: 40 }, (_, step) => `step ${step} of night ${turn} took ${step} s`).join(
    '\n',
  );

const CLIENTS = {
  chat: {
    path: '/v1/chat/completions',
    body: (system: string, past: object[]) => ({
      messages: [{ role: 'system', content: system }, ...past],
      tools: [{ type: 'function', function: read_log }],
    }),
    step: (text: string, turn: number): object[] => {
      const { message } = JSON.parse(text).choices[0];
      const tool_call_id = message.tool_calls[0].id;
      return [message, { role: 'tool', tool_call_id, content: log(turn) }];
    },
  },
  responses: {
    path: '/v1/responses',
    body: (system: string, past: object[]) => ({
      input: [{ role: 'developer', content: system }, ...past],
      tools: [{ type: 'function', ...read_log }],
    }),
    step: (text: string, turn: number): object[] => {
      const { output } = JSON.parse(text);
      const { call_id } = output.find(({ type }: { type: string }) => type === 'function_call');
      return [...output, { type: 'function_call_output', call_id, output: log(turn) }];
    },
  },
} as const;

/** The sessions of such an agent, and what the model was told to do each time. */
async function work(
  client: (typeof CLIENTS)[keyof typeof CLIENTS],
  instructions: (turn: number) => string,
  headers: Record<string, string> = {},
): Promise<{ sessions: Set<string>; read: unknown[] }> {
  const past: object[] = [{ role: 'user', content: REQUEST }];
  const sessions = new Set<string>();
  for (let turn = 0; turn < TURNS; turn++) {
    const body = { model: 'm', ...client.body(instructions(turn), past) };
    const more = { 'x-palimpsest-context-window': String(WINDOW), ...headers };
    const { session, text } = await lab.post(client.path, body, more);
    sessions.add(session);
    past.push(...client.step(text, turn));
  }
  return { sessions, read: lab.provider.turns.map(({ history }) => history[0]?.content) };
}

const clock = (turn: number) =>
  `You mend builds.\nThe time is 17:${String(turn).padStart(2, '0')}.`;
const memory = (turn: number) =>
  `You mend builds.\n<memory>${'The user likes tea. '.repeat(turn)}</memory>`;

describe('one conversation, whatever its instructions go on with', () => {
  it.each(['chat', 'responses'] as const)('%s, with the time of day', async (protocol) => {
    const { sessions, read } = await work(CLIENTS[protocol], clock);
    expect(sessions.size).toBe(1);
    expect(read).toEqual(Array.from({ length: TURNS }, (_, turn) => clock(turn)));
    const events = await lab.events([...sessions][0] ?? '');
    const ended = events.filter(({ type }) => /^compaction\.(?:micro_)?completed$/.test(type));
    expect(ended.map(({ type }) => type)).toContain('compaction.completed');
    expect(lab.provider.invalid).toEqual([]);
  });

  it('by a name', async () => {
    const named = { 'x-palimpsest-session': 'nightly' };
    const { sessions, read } = await work(CLIENTS.chat, clock, named);
    expect(sessions.size).toBe(1);
    expect(read.at(-1)).toBe(clock(TURNS - 1));
  });

  it('with what the agent remembers', async () => {
    const { sessions, read } = await work(CLIENTS.chat, memory);
    expect(sessions.size).toBe(1);
    expect(read.at(-1)).toBe(memory(TURNS - 1));
  });
});

it('has the date of today, with which the instructions begin', async () => {
  const dated = (turn: number) =>
    `Today's date is 2026-10-${String(turn + 1).padStart(2, '0')}.\nYou mend builds.`;
  const { sessions, read } = await work(CLIENTS.chat, dated);
  expect(sessions.size).toBe(1);
  expect(read).toEqual(Array.from({ length: TURNS }, (_, turn) => dated(turn)));
});

it('stands where it was told in what goes on from an answer', async () => {
  lab.provider.script = (_, index) => ({ text: `I read log ${index}. ${log(index)}` });
  let previous_response_id: string | undefined;
  const headers = { 'x-palimpsest-context-window': String(WINDOW) };
  for (let turn = 0; turn < TURNS; turn++) {
    const input = [
      { role: 'developer', content: clock(turn) },
      { role: 'user', content: `And log ${turn}?` },
    ];
    const body = { model: 'm', ...(turn > 0 && { previous_response_id }), input };
    const { text } = await lab.post('/v1/responses', body, headers);
    previous_response_id = JSON.parse(text).id;
  }
  const replaced = lab.provider.turns.filter(({ body }) => body.previous_response_id == null);
  expect(replaced.length).toBeGreaterThan(5);
  expect(new Set(replaced.map(({ history }) => history[0]?.content))).toEqual(new Set([clock(0)]));
  expect(lab.provider.turns.at(-1)?.history.at(-2)?.content).toBe(clock(TURNS - 1));
});

it('keeps users apart whom a greeting does not tell apart', async () => {
  lab.provider.script = (_, index) => ({ text: index < 2 ? 'Hello! How can I help?' : log(index) });
  const greeted = [{ role: 'user', content: 'Hi' }];
  const answered = [...greeted, { role: 'assistant', content: 'Hello! How can I help?' }];
  const ask = (name: string, past: object[]) =>
    lab.post(CLIENTS.chat.path, {
      model: 'm',
      messages: [{ role: 'system', content: `You help customers.\nThis one is ${name}.` }, ...past],
    });
  const first = await Promise.all([ask('Ann', greeted), ask('Bob', greeted)]);
  const question = { role: 'user', content: 'What do I owe?' };
  const bob = await ask('Bob', [...answered, question]);
  const ann = await ask('Ann', [...answered, question]);
  expect([ann.session, bob.session]).toEqual(first.map(({ session }) => session));
  // What the model has said at length since tells which one it is.
  const more = [{ role: 'assistant', content: JSON.parse(bob.text).choices[0].message.content }];
  const next = [...answered, question, ...more, { role: 'user', content: 'Why?' }];
  expect((await ask('Bob, at 18:00', next)).session).toBe(bob.session);
});

it('is one by a name from its first short answer on', async () => {
  lab.provider.script = () => ({ text: 'Hello! How can I help?' });
  const past: object[] = [{ role: 'user', content: 'Hi' }];
  const sessions = new Set<string>();
  for (let turn = 0; turn < 4; turn++) {
    const messages = [{ role: 'system', content: clock(turn) }, ...past];
    const named = { 'x-palimpsest-session': 'voice' };
    const { session, text } = await lab.post(CLIENTS.chat.path, { model: 'm', messages }, named);
    sessions.add(session);
    past.push(JSON.parse(text).choices[0].message, { role: 'user', content: `And ${turn}?` });
  }
  expect(sessions.size).toBe(1);
});

it('keeps users apart who are welcomed at length with the same words', async () => {
  const welcome = 'Hello, and welcome to the shop! '.repeat(10);
  lab.provider.script = (_, index) => ({ text: index < 2 ? welcome : log(index) });
  const pasts = { Ann: [{ role: 'user', content: 'Hi' }], Bob: [{ role: 'user', content: 'Hi' }] };
  const ask = async (name: 'Ann' | 'Bob', question: string) => {
    const told = { role: 'system', content: `You help customers.\nThis one is ${name}.` };
    const messages = [told, ...pasts[name]];
    const { session, text } = await lab.post(CLIENTS.chat.path, { model: 'm', messages });
    const { message } = JSON.parse(text).choices[0];
    pasts[name].push(message, { role: 'user', content: question });
    return session;
  };
  const first = await Promise.all([ask('Ann', 'What do I owe?'), ask('Bob', 'What do I owe?')]);
  for (const question of ['Why?', 'Since when?']) {
    expect([await ask('Ann', question), await ask('Bob', question)]).toEqual(first);
  }
  expect(JSON.stringify(await lab.items(first[0] ?? ''))).not.toContain('Bob');
});

it('keeps users apart whom a greeting does not tell apart, whatever keys their cache', async () => {
  const greeting = 'Hello! How can I help?';
  lab.provider.script = (_, index) => ({ text: index < 2 ? greeting : log(index) });
  const ask = (name: string, past: object[]) =>
    lab.post(CLIENTS.chat.path, {
      model: 'm',
      prompt_cache_key: 'support',
      messages: [{ role: 'system', content: `You help customers.\nThis one is ${name}.` }, ...past],
    });
  const greeted = [{ role: 'user', content: 'Hi' }];
  const first = [await ask('Ann', greeted), await ask('Bob', greeted)];
  const question = { role: 'user', content: 'What do I owe?' };
  const next = [...greeted, { role: 'assistant', content: greeting }, question];
  const second = [await ask('Bob', next), await ask('Ann', next)].reverse();
  for (const [at, other] of ['Bob', 'Ann'].entries()) {
    const sessions = [first[at]?.session ?? '', second[at]?.session ?? ''];
    const logged = await Promise.all(sessions.map((id) => lab.items(id)));
    expect(JSON.stringify(logged)).not.toContain(other);
  }
});

it('keeps questions apart that only their instructions tell apart', async () => {
  const ask = (document: string) =>
    lab.post(CLIENTS.chat.path, {
      model: 'm',
      prompt_cache_key: 'digest',
      messages: [
        { role: 'system', content: `You sum up what you are given.\n${document}` },
        { role: 'user', content: 'In one sentence, please.' },
      ],
    });
  const sessions = [];
  for (const turn of [1, 2, 3]) sessions.push((await ask(log(turn))).session);
  expect(new Set(sessions).size).toBe(3);
  const logged = await Promise.all(sessions.map((id) => lab.items(id)));
  expect(logged.map(([first]) => first?.content)).toEqual(
    [1, 2, 3].map((turn) => `You sum up what you are given.\n${log(turn)}`),
  );
});

it('goes on as it came while nothing was compacted', async () => {
  lab.provider.window = Number.POSITIVE_INFINITY;
  const past: object[] = [{ role: 'user', content: REQUEST }];
  for (let turn = 0; turn < 3; turn++) {
    const body = { model: 'm', ...CLIENTS.chat.body(clock(turn), past) };
    const { text } = await lab.post(CLIENTS.chat.path, body);
    expect(lab.provider.turns.at(-1)?.raw.toString()).toBe(JSON.stringify(body));
    past.push(...CLIENTS.chat.step(text, turn));
  }
});

it('keeps another agent with the same request apart', async () => {
  const { sessions } = await work(CLIENTS.chat, (turn) =>
    turn % 2 === 0 ? 'You mend builds.' : 'You watch over what others do.',
  );
  expect(sessions.size).toBeGreaterThan(1);
});
