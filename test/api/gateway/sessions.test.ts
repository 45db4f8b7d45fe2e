import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HistoryKeys, noHistory } from '../../../src/app/gateway/history-keys.ts';
import { send } from '../../support/api-server.ts';
import { GatewayLab, refOf } from '../../support/gateway/lab.ts';

let lab: GatewayLab;
beforeEach(async () => {
  lab = await GatewayLab.open();
});
afterEach(() => lab.close());

const user = (content: string) => ({ role: 'user', content });
const said = (content: string) => ({ role: 'assistant', content });
const PATH = '/v1/chat/completions';
const CHAT = 'openai-chat';

async function ask(
  messages: object[],
  {
    headers = {},
    path = PATH,
    ...fields
  }: { headers?: Record<string, string>; path?: string } & Record<string, unknown> = {},
): Promise<string> {
  const answer = await lab.post(path, { model: 'm', max_tokens: 10, messages, ...fields }, headers);
  expect(answer.status, answer.text).toBe(200);
  return answer.session;
}

/** Resolves once the answer of a turn has been written down. */
async function recorded(session: string, items: number): Promise<void> {
  await expect.poll(() => lab.items(session)).toHaveLength(items);
}

describe('a session', () => {
  it.each([
    ['x-palimpsest-session', { headers: { 'x-palimpsest-session': 'a' } }],
    ['thread-id', { headers: { 'thread-id': 'a' } }],
    ['x-claude-code-session-id', { headers: { 'x-claude-code-session-id': 'a' } }],
    ['metadata.user_id as JSON', { metadata: { user_id: '{"device_id":"d","session_id":"a"}' } }],
    ['metadata.user_id as text', { metadata: { user_id: 'user_1_account__session_aaaa-bbbb' } }],
    ['metadata.user_id alone', { metadata: { user_id: `session_${crypto.randomUUID()}` } }],
    ['prompt_cache_key', { prompt_cache_key: 'a' }],
  ])('is known by %s', async (_, how) => {
    const first = await ask([user('Hello')], how);
    const second = await ask([user('Hello'), said('Done.'), user('And now?')], how);
    expect(second).toBe(first);
    const events = await lab.events(first);
    expect(events[0]?.data).toMatchObject({ metadata: { gateway: { upstream: 'openai' } } });
  });

  it('is named by its id as well, where it speaks the same format', async () => {
    const first = await ask([user('Hello')]);
    const later = [user('Hello'), said('Done.'), user('And now?')];
    const own = (name: string) => ({ headers: { 'x-palimpsest-session': name } });
    expect(await ask(later, own(first))).toBe(first);
    const made = { id: 'made', context_window: 50_000, config: { recall: true } };
    for (const [id, format] of [
      ['made', CHAT],
      ['foreign', 'anthropic'],
    ]) {
      const body = { ...made, id, format };
      expect((await send(lab.api, 'POST', '/sessions', { body })).status).toBe(201);
    }
    expect(await ask([user('Hello')], own('made'))).toBe('made');
    await recorded('made', 2);
    expect(await ask(later, own('made'))).toBe('made');
    const { body } = await send(lab.api, 'GET', '/sessions/made');
    expect(body).toMatchObject({ context_window: 50_000, config: { recall: true } });
    expect(await ask([user('Hello')], own('foreign'))).toMatch(/^gw-/);
  });

  it('goes on where its client sends a window over what was said last', async () => {
    const how = { headers: { 'x-palimpsest-session': 'windows' } };
    const system = { role: 'system', content: 'Be short.' };
    const all: object[] = [];
    const sessions = new Set<string>();
    for (let turn = 0; turn < 12; turn++) {
      all.push(user(`Question ${turn}`));
      const messages = [system, ...all.slice(-5)];
      const fields = { model: 'm', max_tokens: 10, messages };
      const answer = await lab.post(PATH, fields, how.headers);
      sessions.add(answer.session);
      expect(answer.headers.get('palimpsest-status')).toBe('forwarded');
      expect(lab.provider.turns.at(-1)?.body).toEqual(fields);
      all.push(said('Done.'));
      await recorded(answer.session, 1 + all.length);
    }
    expect(sessions.size).toBe(1);
    expect((await lab.api.deps.store.sessions('local', { limit: 5 })).data).toHaveLength(1);
    expect((await lab.api.deps.store.verify()).problems).toEqual([]);
  });

  it('is not named by what may be the id of a person', async () => {
    const how = { metadata: { user_id: 'session_aaaa-bbbb' } };
    expect(await ask([user('Hello')], how)).not.toBe(await ask([user('Hello')], how));
    const own = { metadata: { user_id: 'session_a53f7f75-afc3-4e7b-a4b7-f90e257c5ed5' } };
    expect(await ask([user('Hello')], own)).toBe(await ask([user('Hello')], own));
  });

  it('is named by the first rule that applies', async () => {
    const headers = { 'x-palimpsest-session': 'one', 'thread-id': 'two' };
    const one = await ask([user('Hello')], { headers });
    expect(await ask([user('Hello')], { headers: { 'x-palimpsest-session': 'one' } })).toBe(one);
    expect(await ask([user('Hello')], { headers: { 'thread-id': 'two' } })).not.toBe(one);
    // An agent of Claude Code has a conversation of its own.
    const session = { 'x-claude-code-session-id': 'c' };
    const parent = await ask([user('Hello')], { headers: session });
    const agent = { ...session, 'x-claude-code-agent-id': 'x' };
    expect(await ask([user('Hello')], { headers: agent })).not.toBe(parent);
  });

  it.each([
    ['x-palimpsest-session', { headers: { 'x-palimpsest-session': 'a' } }],
    ['prompt_cache_key', { prompt_cache_key: 'a' }],
    ['its history', {}],
  ])('is in one format: in another protocol %s leads to a session of its own', async (_, how) => {
    const call = { id: 'c', type: 'function', function: { name: 'read', arguments: '{}' } };
    const chat = [
      user('Read it'),
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c', content: 'What it says' },
    ];
    const input = [
      user('Read it'),
      { type: 'function_call', call_id: 'c', name: 'read', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c', output: 'What it says' },
    ];
    const next = [said('Done.'), user('And now?')];
    const inResponses = (items: object[]) =>
      ask([], { ...how, path: '/v1/responses', messages: undefined, input: items });
    const one = await ask(chat, how);
    await recorded(one, 4);
    const two = await inResponses(input);
    expect(two).not.toBe(one);
    await recorded(two, 4);
    expect((await lab.items(two)).slice(0, 3)).toEqual(input);
    expect(await inResponses([...input, ...next])).toBe(two);
    expect(await ask([...chat, ...next], how)).toBe(one);
    expect(lab.provider.invalid).toEqual([]);
  });

  it('is known by its history where nothing names it, and never by the first message alone', async () => {
    const one = await ask([user('Hello')]);
    const two = await ask([user('Hello')]);
    expect(two).not.toBe(one);
    await recorded(one, 2);
    const history = [
      user('Hello'),
      { role: 'assistant', content: [{ type: 'text', text: 'Done.' }] },
    ];
    const next = await ask([...history, user('And now?')]);
    expect([one, two]).toContain(next);
    await recorded(next, 4);
    // Another end of the same beginning is a fork.
    const fork = await ask([...history, user('Something else')]);
    expect(fork).not.toBe(next);
    await recorded(fork, 4);
  });

  it('belongs to the credential and the upstream, and goes on under a new credential', async () => {
    const headers = { 'x-palimpsest-session': 'a' };
    const as = (key: string) => ({ headers: { ...headers, authorization: `Bearer ${key}` } });
    const first = await ask([user('Hello')], as('sk-one'));
    expect(await ask([user('Hello')], as('sk-two'))).not.toBe(first);
    const elsewhere = { ...as('sk-one'), path: '/u/other/v1/chat/completions' };
    expect(await ask([user('Hello')], elsewhere)).not.toBe(first);
    const history = [user('Hello'), said('Done.'), user('Only here'), said('Done.')];
    await ask(history.slice(0, 3), as('sk-one'));
    // What the session is found by is noted after the answer, and only the same credential waits for that.
    const [whole = ''] = new HistoryKeys(CHAT, noHistory('openai', CHAT)).add(history).keys();
    const { gatewayKeys } = lab.api.deps.store;
    await expect
      .poll(() => gatewayKeys.find('local', [whole]))
      .toMatchObject({ session_id: first });
    expect(await ask([...history, user('On')], as('sk-three'))).toBe(first);
    await recorded(first, 6);
    expect(await ask([...history, user('On'), said('Done.'), user('!')], as('sk-three'))).toBe(
      first,
    );
  });

  it('is known by the answer that a request goes on from', async () => {
    const path = '/v1/responses';
    const first = await lab.post(path, { model: 'm', input: 'Hello' });
    await recorded(first.session, 2);
    const { id } = JSON.parse(first.text);
    const next = { model: 'm', input: 'And now?', previous_response_id: id };
    const second = await lab.post(path, next);
    expect(second.session).toBe(first.session);
    expect(lab.provider.received.at(-1)?.body).toEqual(next);
    await recorded(first.session, 4);
    // Sent again, it is not in the log again.
    await lab.post(path, next);
    expect((await lab.items(first.session)).filter((item) => item.role === 'user')).toHaveLength(2);
    const unknown = await lab.post(path, { ...next, previous_response_id: 'resp_unknown' });
    expect(unknown.headers.get('palimpsest-status')).toBe('bypassed; reason=unknown_answer');
  });

  it('has the window and the profile that the headers name', async () => {
    const headers = { 'x-palimpsest-session': 'a', 'x-palimpsest-context-window': '40000' };
    const session = await ask([user('Hello')], { headers });
    const settings = async () => (await lab.api.deps.store.head(refOf(session)))?.settings;
    expect(await settings()).toMatchObject({ context_window: 40_000, profile: 'default' });
    const changed = {
      ...headers,
      'x-palimpsest-context-window': '50000',
      'x-palimpsest-profile': 'claude-code',
    };
    await ask([user('Hello')], { headers: changed });
    expect(await settings()).toMatchObject({ context_window: 50_000, profile: 'claude-code' });
    await ask([user('Hello')], { headers: { 'x-palimpsest-session': 'a' } });
    expect(await settings()).toMatchObject({ context_window: 50_000 });
  });

  it.each([
    ['x-palimpsest-context-window', '14k', 'must be a whole number of tokens'],
    ['x-palimpsest-context-window', '-1', 'must be a whole number of tokens'],
    ['x-palimpsest-profile', 'claude', 'must be one of default, claude-code'],
    ['x-palimpsest-recall', 'true', 'must be "on" or "off"'],
  ])('is not begun where %s is %s', async (name, value, words) => {
    const body = { model: 'm', messages: [user('Hello')] };
    const answer = await lab.post(PATH, body, { [name]: value });
    expect(answer.status).toBe(400);
    expect(answer.text).toContain(`${name}: ${words}`.replaceAll('"', '\\"'));
    expect(lab.provider.received).toEqual([]);
    // Whoever fills in nothing has set none.
    expect((await lab.post(PATH, body, { [name]: '' })).status).toBe(200);
  });

  it('takes the window from the model where nothing else is said', async () => {
    const session = await ask([user('Hello')], { model: 'known-model' });
    const head = await lab.api.deps.store.head(refOf(session));
    expect(head?.settings).toMatchObject({ context_window: 64_000, model: 'known-model' });
  });
});

it('goes in a fork where the client has edited its past', async () => {
  const headers = { 'x-palimpsest-session': 'a' };
  const first = await ask([user('One'), said('1'), user('Two')], { headers });
  await recorded(first, 4);
  const fork = await ask([user('One'), said('1'), user('Another')], { headers });
  expect(fork).not.toBe(first);
  await recorded(fork, 4);
  expect(
    await ask([user('One'), said('1'), user('Another'), said('Done.'), user('Go on')], { headers }),
  ).toBe(fork);
  expect(lab.provider.received.every(({ body }) => Array.isArray(body.messages))).toBe(true);
});

it('goes on in the session of Codex once that tells an output of no call', async () => {
  const input: object[] = [{ role: 'user', content: 'Set yourself a goal.' }];
  const ask = () => lab.post('/v1/responses', { model: 'm', input }, { 'session-id': 'goal' });
  const first = await ask();
  input.push(
    { type: 'message', role: 'assistant', content: 'Done.' },
    {
      type: 'function_call_output',
      name: 'goal_objective',
      namespace: 'agent',
      output: 'All tests pass',
    },
    { role: 'user', content: 'Go on.' },
  );
  const second = await ask();
  expect([second.status, second.session]).toEqual([200, first.session]);
  await expect
    .poll(async () => JSON.stringify(await lab.items(first.session)))
    .toContain('All tests pass');
  expect(lab.provider.invalid).toEqual([]);
});
