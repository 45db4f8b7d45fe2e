import { afterEach, beforeEach, expect, it } from 'vitest';
import { send } from '../../support/api-server.ts';
import { GatewayLab } from '../../support/gateway/lab.ts';

let lab: GatewayLab;
beforeEach(async () => {
  lab = await GatewayLab.open();
});
afterEach(() => lab.close());

it('an answer said aloud is the same where the client tells it by its id', async () => {
  const audio = { id: 'audio_1', data: 'UklGRg==', expires_at: 1, transcript: 'It is the port.' };
  const message = { role: 'assistant', content: null, refusal: null, audio };
  const choices = [{ index: 0, message, finish_reason: 'stop' }];
  lab.provider.verbatim.push({ id: 'c1', object: 'chat.completion', choices });
  const asked = { role: 'user', content: 'What is wrong?' };
  const body = (...messages: object[]) => ({ model: 'm', modalities: ['text', 'audio'], messages });
  const { session } = await lab.post('/v1/chat/completions', body(asked));
  await expect.poll(() => lab.items(session)).toHaveLength(2);
  const told = { role: 'assistant', audio: { id: 'audio_1' } };
  const more = { role: 'user', content: 'And now?' };
  const next = await lab.post('/v1/chat/completions', body(asked, told, more));
  expect(next.session).toBe(session);
  await expect.poll(() => lab.items(session)).toHaveLength(4);
  const types = (await lab.events(session)).map(({ type }) => type);
  expect(types).not.toContain('item.superseded');
  expect(JSON.stringify(await lab.items(session))).toContain('It is the port.');
});

it('what goes on from an answer in the background goes on as it came: no log has that answer', async () => {
  const begun = {
    id: 'resp_1',
    object: 'response',
    status: 'queued',
    output: [],
    background: true,
  };
  lab.provider.verbatim.push(begun);
  const first = { model: 'm', input: 'One', background: true };
  const { session } = await lab.post('/v1/responses', first, { 'x-palimpsest-session': 'mine' });
  await expect.poll(() => lab.items(session)).toHaveLength(1);
  const body = { model: 'm', input: 'Two', previous_response_id: 'resp_1' };
  const next = await lab.post('/v1/responses', body);
  expect(next.headers.get('palimpsest-status')).toBe('bypassed; reason=unknown_answer');
  expect(lab.provider.received.at(-1)?.body).toEqual(body);
});

it('a client that fetches answers of the background, and tells all of them, stays in one session', async () => {
  const told: object[] = [{ role: 'user', content: 'Read the logs.' }];
  const sessions: (string | null)[] = [];
  for (let round = 1; round <= 4; round++) {
    const id = `resp_${round}`;
    const begun = { id, object: 'response', status: 'queued', output: [], background: true };
    lab.provider.verbatim.push(begun);
    const body = { model: 'm', input: told, background: true };
    const { session } = await lab.post('/v1/responses', body);
    await expect.poll(() => lab.items(session)).toHaveLength(told.length);
    sessions.push(session);
    const call = { call_id: `call_${round}`, name: 'read', arguments: '{}' };
    told.push(
      { type: 'function_call', status: 'completed', ...call },
      { type: 'function_call_output', call_id: call.call_id, output: `Log ${round}.` },
    );
  }
  // The first message alone names none.
  expect(sessions[1]).not.toBe(sessions[0]);
  expect(sessions.slice(1)).toEqual(Array(3).fill(sessions[1]));
});

/** A client that leaves out what the model has thought aloud, and takes the second of two choices. */
function thinkingAloud(tells: 'without what was thought' | 'the second choice') {
  const history: object[] = [];
  let round = 0;
  return async (question: string) => {
    round += 1;
    history.push({ role: 'user', content: question });
    const told = { role: 'assistant', content: `Answer ${round}.` };
    const thought = { role: 'assistant', content: `<think>Hm, ${round}.</think>Answer ${round}.` };
    const first = tells === 'the second choice' ? { role: 'assistant', content: 'No.' } : thought;
    const choices = [first, told].map((message, index) => ({
      index,
      message,
      finish_reason: 'stop',
    }));
    lab.provider.verbatim.push({ id: `c${round}`, object: 'chat.completion', choices });
    const { session } = await lab.post('/v1/chat/completions', { model: 'm', messages: history });
    await expect.poll(async () => (await lab.items(session)).at(-1)).toMatchObject(first);
    history.push(told);
    return session;
  };
}

it.each(['without what was thought', 'the second choice'] as const)(
  'a client that tells each answer otherwise stays in one session: %s',
  async (tells) => {
    const ask = thinkingAloud(tells);
    await ask('What is wrong?');
    const session = await ask('And now?');
    for (const question of ['And then?', 'Why?', 'Since when?']) {
      expect(await ask(question)).toBe(session);
    }
    const superseded = (await lab.events(session)).filter(({ type }) => type === 'item.superseded');
    expect(superseded).toHaveLength(3);
  },
);

it.each([
  ['Round 1.', [{ id: 'call_w1x8a0dQ' }, { id: 'fk9d2mzs8' }], true],
  [null, [{ id: 'call_w1x8a0dQ' }, { id: 'fk9d2mzs8' }], true],
  ['', [{ id: 'fk9d2mzs8' }], true],
  [null, [{ id: 'fk9d2mzs9' }], false],
])('a first answer is known by a call of it: %j, %j', async (content, told, isSame) => {
  const called = (id: string) => ({
    id,
    type: 'function',
    function: { name: 'read_log', arguments: '{"step": 1}' },
  });
  const asked = { role: 'user', content: 'Read all logs.' };
  const tool_calls = [called('call_w1x8a0dQ'), called('fk9d2mzs8')];
  const message = { role: 'assistant', content: 'Round 1.', tool_calls };
  const choices = [{ index: 0, message, finish_reason: 'tool_calls' }];
  lab.provider.verbatim.push({ id: 'c1', object: 'chat.completion', choices });
  const body = (...messages: object[]) => ({ model: 'm', messages });
  const { session } = await lab.post('/v1/chat/completions', body(asked));
  await expect.poll(() => lab.items(session)).toHaveLength(2);
  const calls = told.map(({ id }) => called(id));
  const results = told.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: 'Ok.' }));
  const history = [asked, { role: 'assistant', content, tool_calls: calls }, ...results];
  const next = await lab.post('/v1/chat/completions', body(...history));
  expect(next.session === session).toBe(isSame);
  expect(lab.provider.received.at(-1)?.body).toEqual(body(...history));
});

it.each(['call_1', 'functions.read_log2026:0'])(
  'conversations that begin alike stay apart where calls are counted: %s',
  async (id) => {
    const asked = { role: 'user', content: 'Run the daily report.' };
    const call = { id, type: 'function', function: { name: 'read_log2026', arguments: '{}' } };
    const told = { role: 'assistant', content: null, tool_calls: [call] };
    const sessions: string[] = [];
    for (const [round, name] of ['Anna', 'Bob', 'Anna', 'Bob'].entries()) {
      const message = { ...told, content: `I look at it, ${name}.` };
      const choices = [{ index: 0, message, finish_reason: 'tool_calls' }];
      lab.provider.verbatim.push({ id: `c${round}`, object: 'chat.completion', choices });
      const result = { role: 'tool', tool_call_id: id, content: `All is well, ${name}.` };
      const messages = round < 2 ? [asked] : [asked, told, result];
      const { session } = await lab.post('/v1/chat/completions', { model: 'm', messages });
      await expect.poll(() => lab.items(session)).toHaveLength(messages.length + 1);
      sessions.push(session);
    }
    expect(new Set(sessions).size).toBe(4);
  },
);

/** A client that begins each answer itself, and tells it later as one message. */
function beginningAnswers() {
  const history: object[] = [];
  const begun = { role: 'assistant', content: '{' };
  let round = 0;
  return async (question: string) => {
    round += 1;
    history.push({ role: 'user', content: question });
    lab.provider.script = () => ({ text: `"answer": ${round}}` });
    const body = { model: 'm', max_tokens: 9, messages: [...history, begun] };
    const { session } = await lab.post('/v1/messages', body);
    const last = async () => JSON.stringify((await lab.items(session)).at(-1));
    await expect.poll(last).toContain(`: ${round}}`);
    history.push({ role: 'assistant', content: `{"answer": ${round}}` });
    return session;
  };
}

it('a client that begins each answer itself stays in one session', async () => {
  const ask = beginningAnswers();
  await ask('What is wrong?');
  const session = await ask('And now?');
  for (const question of ['And then?', 'Why?', 'Since when?']) {
    expect(await ask(question)).toBe(session);
  }
  const asked = [
    { role: 'user', content: 'What is wrong?' },
    { role: 'assistant', content: '{"answer": 1}' },
    { role: 'user', content: 'And now?' },
    { role: 'assistant', content: '{' },
  ];
  const body = { model: 'm', max_tokens: 9, messages: asked };
  expect((await lab.post('/v1/messages', body)).session).not.toBe(session);
});

it('the same beginning is no session: another conversation may have it', async () => {
  const beginning = [
    { role: 'user', content: 'Two and two?' },
    { role: 'assistant', content: '4' },
    { role: 'user', content: 'Three and three?' },
  ];
  const body = { model: 'm', messages: beginning };
  const { session } = await lab.post('/v1/chat/completions', body);
  await expect.poll(() => lab.items(session)).toHaveLength(4);
  const other = await lab.post('/v1/chat/completions', body);
  expect(other.session).not.toBe(session);
  expect(await lab.items(session)).toHaveLength(4);
});

/** A client that tells the call that was made as `told`, with its result. */
async function tellingACall(told: object) {
  const asked = { role: 'user', content: 'Set up the linter. Never touch setup.cfg.' };
  const made = { path: 'setup.cfg', content: '[flake8]' };
  lab.provider.script = ({ history }) =>
    history.length > 1
      ? { text: 'Done.' }
      : { text: 'I write it.', calls: [{ id: 'call_1', name: 'write_file', input: made }] };
  const body = (...messages: object[]) => ({ model: 'm', messages });
  const mine = { 'x-palimpsest-session': 'mine' };
  const { session } = await lab.post('/v1/chat/completions', body(asked), mine);
  await expect.poll(() => lab.items(session)).toHaveLength(2);
  const call = { name: 'write_file', arguments: JSON.stringify(told) };
  const calls = [{ id: 'call_1', type: 'function', function: call }];
  const history = [
    asked,
    { role: 'assistant', content: 'I write it.', name: 'model', tool_calls: calls },
    { role: 'tool', tool_call_id: 'call_1', content: 'Wrote 8 bytes.' },
  ];
  const next = await lab.post('/v1/chat/completions', body(...history), mine);
  expect(next.session).toBe(session);
  await expect.poll(async () => (await lab.items(session)).at(-1)).toMatchObject(DONE);
  const again = body(...history, DONE, { role: 'user', content: 'And now?' });
  await lab.post('/v1/chat/completions', again, mine);
  const context = (await send(lab.api, 'GET', `/sessions/${session}/context`)).text;
  return { context, events: await lab.events(session) };
}
const DONE = { role: 'assistant', content: 'Done.' };

it('a call that the user has changed before it was carried out is the one that was', async () => {
  const { context, events } = await tellingACall({ path: 'tox.ini', content: '[flake8]' });
  expect(context).toContain('tox.ini');
  expect(context).not.toContain('\\"setup.cfg');
  expect(events.filter(({ type }) => type === 'item.superseded')).toHaveLength(1);
});

it.each([{ path: 'setup.cfg', content: '[flake8]', mode: null }, { path: 'setup.cfg' }])(
  'a call that is told with other defaults is the same: %o',
  async (told) => {
    const { events } = await tellingACall(told);
    expect(events.map(({ type }) => type)).not.toContain('item.superseded');
  },
);
