import { afterEach, beforeEach, expect, it } from 'vitest';
import { GatewayLab } from '../../support/gateway/lab.ts';

/** Clients that name nothing, and whose histories lose their beginning. */

let lab: GatewayLab;
beforeEach(async () => {
  lab = await GatewayLab.open();
  // Each answer is another one.
  lab.provider.script = (_, index) => ({ text: `Answer ${index}.` });
});
afterEach(() => lab.close());

const PATH = '/v1/chat/completions';
const user = (content: string) => ({ role: 'user', content });
const system = (content: string) => ({ role: 'system', content });
const bash = { type: 'function', function: { name: 'bash', parameters: { type: 'object' } } };

type Answered = { session: string; message: Record<string, unknown> };

async function ask(messages: object[], more: object = {}): Promise<Answered> {
  const body = { model: 'm', messages, ...more };
  const { session, text } = await lab.post(PATH, body);
  const { message } = JSON.parse(text).choices[0];
  const said = JSON.stringify(message.content);
  // Written down: the next request may find it.
  await expect
    .poll(async () => JSON.stringify((await lab.items(session)).at(-1)?.content ?? ''))
    .toContain(said);
  return { session, message };
}

/** A conversation of so many turns whose client sends the newest messages only. */
async function talk(about: string, turns: number, kept = 5): Promise<string[]> {
  const all: object[] = [];
  const sessions: string[] = [];
  for (let turn = 0; turn < turns; turn++) {
    all.push(user(`${about}: question ${turn}`));
    const { session, message } = await ask([system('Be short.'), ...all.slice(-kept)]);
    sessions.push(session);
    all.push(message);
  }
  return sessions;
}

it('goes on in one session where a client keeps a window over what was said last', async () => {
  const one = await talk('Ships', 10);
  expect(new Set(one).size).toBe(1);
  // A system message, and each word once.
  expect(await lab.items(one[0] ?? '')).toHaveLength(21);
  expect(lab.provider.invalid).toEqual([]);
});

it('goes on there though the newest answer is not in the log yet', async () => {
  const all: object[] = [];
  const sessions = new Set<string>();
  const note = lab.api.deps.store.gatewayKeys.note.bind(lab.api.deps.store.gatewayKeys);
  for (let turn = 0; turn < 6; turn++) {
    all.push(user(`Question ${turn}`));
    const isLate = turn === 4;
    if (isLate) lab.api.deps.store.gatewayKeys.note = async () => {};
    const { session, message } = await ask([system('Be short.'), ...all.slice(-7)]);
    if (isLate) lab.api.deps.store.gatewayKeys.note = note;
    sessions.add(session);
    all.push(message);
  }
  expect([...sessions]).toHaveLength(1);
});

it('keeps conversations apart that ask and hear the same at last', async () => {
  lab.provider.script = () => ({ text: 'Yes.' });
  const same = (first: string) => [user(first), { role: 'assistant', content: 'Yes.' }];
  const ending = [...same('Is it done?'), ...same('Sure?'), user('Good.')];
  const one = await ask([system('Be short.'), ...same('About ships.'), ...ending]);
  const other = await ask([system('Be short.'), ...same('About trains.'), ...ending]);
  expect(other.session).not.toBe(one.session);
});

/** Qwen Code: a summary, what it says to that, and the newest rounds as they were. */
it('goes on in its session where a client has compacted it and keeps the newest rounds', async () => {
  lab.provider.script = ({ body }, index) =>
    body.tools === undefined
      ? {
          text: '<state_snapshot>\n<overall_goal>Mend the build.</overall_goal>\n</state_snapshot>',
        }
      : {
          text: `Round ${index}.`,
          calls: [{ id: `call_${index}`, name: 'bash', input: { command: `make ${index}` } }],
        };
  const agent = { tools: [bash] };
  const opening = [
    system('You are Qwen Code.'),
    user('This is the Qwen Code. We are setting up the context for our chat.'),
    { role: 'assistant', content: 'Got it. Thanks for the context!' },
  ];
  const rounds: object[][] = [];
  let past = [...opening, user('Why does the build fail?')];
  const sessions = new Set<string>();
  const step = async () => {
    const { session, message } = await ask([...past, ...rounds.flat()], agent);
    sessions.add(session);
    const calls = (message as { tool_calls: { id: string }[] }).tool_calls;
    const results = calls.map(({ id }) => ({
      role: 'tool',
      tool_call_id: id,
      content: `All is well after ${id}.`,
    }));
    rounds.push([message, ...results]);
  };
  for (let compaction = 0; compaction < 3; compaction++) {
    for (let round = 0; round < 4; round++) await step();
    const asked = user('First, reason in your scratchpad. Then, generate the <state_snapshot>.');
    const summariser = system('You are the component that summarizes internal chat history.');
    const covered = [...past.slice(1), ...rounds.slice(0, -2).flat()];
    const summary = await ask([summariser, ...covered, asked]);
    expect(sessions).not.toContain(summary.session);
    past = [
      ...opening.slice(0, 1),
      user(`${summary.message.content}\n${compaction}`),
      { role: 'assistant', content: 'Got it. Thanks for the additional context!' },
      user('Continue with the prior task using the context above.'),
    ];
    rounds.splice(0, rounds.length - 2);
  }
  await step();
  expect([...sessions]).toHaveLength(1);
  const events = await lab.events([...sessions][0] ?? '');
  expect(events.filter(({ type }) => type === 'compaction.observed')).toHaveLength(3);
  const results = (await lab.items([...sessions][0] ?? '')).filter(({ role }) => role === 'tool');
  expect(results.map(({ tool_call_id }) => tool_call_id)).toEqual([
    ...new Set(results.map(({ tool_call_id }) => tool_call_id)),
  ]);
  expect(lab.provider.invalid).toEqual([]);
});

it('leaves a request beside the conversation out of it, which has all of it under other words', async () => {
  const past: object[] = [];
  let main = '';
  for (let turn = 0; turn < 3; turn++) {
    past.push(user(`Question ${turn}`));
    const { session, message } = await ask([system('Be short.'), ...past]);
    main = session;
    past.push(message);
    const title = await ask([system('You write titles.'), ...past, user('A title, please.')]);
    expect(title.session).not.toBe(main);
  }
  expect(await lab.items(main)).toHaveLength(7);
});
