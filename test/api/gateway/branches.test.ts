import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadView } from '../../../src/app/load-view.ts';
import { withMembers } from '../../../src/app/with-members.ts';
import type { Item } from '../../../src/domain/items/item.ts';
import { send } from '../../support/api-server.ts';
import { GatewayLab, refOf } from '../../support/gateway/lab.ts';

/*
 * Requests of the Responses API that go on from an answer, and hold nothing of what was before: what
 * their sessions hold is what the provider reads.
 */

let lab: GatewayLab;

beforeEach(async () => {
  lab = await GatewayLab.open();
  lab.provider.script = (_, index) => ({ text: `Answer ${index}.` });
});
afterEach(() => lab.close());

type Asked = { after?: string; headers?: Record<string, string> };

async function ask(input: string, { after, headers }: Asked = {}) {
  const previous = after === undefined ? {} : { previous_response_id: after };
  const body = { model: 'm', input, ...previous };
  const { session, text } = await lab.post('/v1/responses', body, headers);
  const { id, output } = JSON.parse(text);
  await expect.poll(async () => (await texts(session)).at(-1)).toBe(output[0].content[0].text);
  return { session, id: String(id) };
}

async function texts(session: string): Promise<string[]> {
  return (await contextOf(session)).map((item) => String(Object(Object(item.content)[0]).text));
}

async function contextOf(session: string): Promise<Item[]> {
  const { store } = lab.api.deps;
  const head = await store.head(refOf(session));
  const view = head && (await loadView(store, refOf(session), head.state.version));
  return (view?.entries ?? []).map(({ item }) => item);
}

it('goes on in a fork where the conversation has gone on otherwise since that answer', async () => {
  const first = await ask('One');
  const next = await ask('Two', { after: first.id });
  const other = await ask('Another two', { after: first.id });
  expect(other.session).not.toBe(first.session);
  expect(await texts(next.session)).toEqual(['One', 'Answer 0.', 'Two', 'Answer 1.']);
  expect(await texts(other.session)).toEqual(['One', 'Answer 0.', 'Another two', 'Answer 2.']);
  // Each goes on where its own answer is.
  expect((await ask('Three', { after: other.id })).session).toBe(other.session);
  expect((await ask('Three', { after: next.id })).session).toBe(first.session);
  expect(await texts(first.session)).not.toContain('Another two');
});

it('keeps both answers of a request that is sent again, each in its own session', async () => {
  const first = await ask('One');
  const once = await ask('Two', { after: first.id });
  const twice = await ask('Two', { after: first.id });
  const thrice = await ask('Two', { after: first.id });
  for (const [index, { session }] of [once, twice, thrice].entries()) {
    expect(await texts(session)).toEqual(['One', 'Answer 0.', 'Two', `Answer ${index + 1}.`]);
  }
  const on = await ask('Three', { after: twice.id });
  expect(await texts(on.session)).toEqual([
    'One',
    'Answer 0.',
    'Two',
    'Answer 2.',
    'Three',
    'Answer 4.',
  ]);
});

it('keeps both answers of a request that is sent twice at once', async () => {
  const first = await ask('One');
  let release = () => {};
  lab.provider.held = new Promise((resolve) => {
    release = resolve;
  });
  const body = { model: 'm', input: 'Two', previous_response_id: first.id };
  const both = [1, 2].map(() => lab.post('/v1/responses', body));
  await expect.poll(() => lab.provider.received.length).toBe(3);
  release();
  lab.provider.held = null;
  const answers = (await Promise.all(both)).map(({ text }) => JSON.parse(text));
  for (const { id, output } of answers) {
    const on = await ask('Three', { after: id });
    const said = output[0].content[0].text;
    expect((await texts(on.session)).slice(0, 4)).toEqual(['One', 'Answer 0.', 'Two', said]);
  }
});

it('keeps both answers where one comes while the same request is understood', async () => {
  const { store } = lab.api.deps;
  let meanwhile: (() => Promise<unknown>) | null = null;
  const events: typeof store.events = async (...asked) => {
    const found = await store.events(...asked);
    const happens = asked[1]?.limit === 1 ? meanwhile : null;
    if (happens !== null) meanwhile = null;
    await happens?.();
    return found;
  };
  const crowded = await GatewayLab.open({ store: withMembers(store, { events }) });
  try {
    crowded.provider.script = (_, index) => ({ text: `Answer ${index}.` });
    const post = async (body: object) => {
      const { session, text } = await crowded.post('/v1/responses', { model: 'm', ...body });
      return { session, id: String(JSON.parse(text).id) };
    };
    const first = await post({ input: 'One' });
    await expect.poll(() => texts(first.session)).toHaveLength(2);
    let release = () => {};
    crowded.provider.held = new Promise((resolve) => {
      release = resolve;
    });
    const body = { input: 'Two', previous_response_id: first.id };
    const once = post(body);
    await expect.poll(() => crowded.provider.received.length).toBe(2);
    meanwhile = async () => {
      release();
      await expect.poll(() => texts(first.session)).toHaveLength(4);
    };
    const answers = await Promise.all([once, post(body)]);
    expect(meanwhile).toBeNull();
    for (const [index, { id }] of answers.entries()) {
      const on = await post({ input: 'Three', previous_response_id: id });
      const said = ['One', 'Answer 0.', 'Two', `Answer ${index + 1}.`, 'Three'];
      expect((await texts(on.session)).slice(0, 5)).toEqual(said);
    }
  } finally {
    await crowded.close();
  }
});

describe('after an answer that never came whole', () => {
  const user = (text: string) => ({ role: 'user', content: [{ type: 'input_text', text }] });
  const headers = { 'x-palimpsest-session': 'a-task' };

  /** An answer that the client gives up in its midst, or an error, to what goes on from an answer. */
  async function fail(trouble: 'stall' | 'error', after: string, input: Item[]) {
    lab.provider.troubles.push(trouble);
    const body = { model: 'm', stream: true, previous_response_id: after, input };
    const response = await fetch(`${lab.url}/v1/responses`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    const answer = response.body?.getReader();
    await answer?.read();
    await answer?.cancel();
    return response.headers.get('palimpsest-session') ?? '';
  }

  async function askAll(input: Item[], after: string) {
    const body = { model: 'm', input, previous_response_id: after };
    const { session, text } = await lab.post('/v1/responses', body, headers);
    await expect.poll(async () => (await texts(session)).at(-1)).toMatch(/^Answer/);
    return { session, id: String(JSON.parse(text).id) };
  }

  const cutOff = async (session: string) =>
    (await contextOf(session)).filter((item) => item.is_cut_off === true);

  it.each([1, 2])('asks again in the same session, %i times', async (times) => {
    const first = await ask('One', { headers });
    for (let time = 0; time < times; time++) {
      const broken = await fail('stall', first.id, [user('Two')]);
      expect(broken).toBe(first.session);
      await expect.poll(async () => (await cutOff(broken)).length).toBe(1);
    }
    const again = await askAll([user('Two')], first.id);
    expect(again.session).toBe(first.session);
    expect(await texts(first.session)).toEqual(['One', 'Answer 0.', 'Two', 'Answer 1.']);
    expect((await askAll([user('Three')], again.id)).session).toBe(first.session);
  });

  it.each(['stall', 'error'] as const)('writes on behind what was asked: %s', async (trouble) => {
    const first = await ask('One', { headers });
    await fail(trouble, first.id, [user('Two')]);
    if (trouble === 'stall') {
      await expect.poll(async () => (await cutOff(first.session)).length).toBe(1);
    }
    const on = await askAll([user('Two'), user('And another thing')], first.id);
    expect(on.session).toBe(first.session);
    expect(await texts(first.session)).toEqual([
      'One',
      'Answer 0.',
      'Two',
      'And another thing',
      'Answer 1.',
    ]);
  });

  it('takes back none whose client has left at its end', async () => {
    const first = await ask('One', { headers });
    lab.provider.troubles.push('slow');
    const client = new AbortController();
    const body = { model: 'm', stream: true, previous_response_id: first.id, input: 'Two' };
    const response = await fetch(`${lab.url}/v1/responses`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      signal: client.signal,
    });
    let heard = '';
    for await (const piece of response.body ?? []) {
      heard += Buffer.from(piece).toString();
      if (heard.includes('response.completed')) break;
    }
    client.abort();
    await expect.poll(() => texts(first.session)).toHaveLength(4);
    expect(await cutOff(first.session)).toEqual([]);
    const said = await texts(first.session);
    expect((await askAll([user('Two')], first.id)).session).not.toBe(first.session);
    expect(await texts(first.session)).toEqual(said);
  });

  it('keeps in a fork what is asked instead, and what was asked', async () => {
    const first = await ask('One', { headers });
    await fail('stall', first.id, [user('Two')]);
    await expect.poll(async () => (await cutOff(first.session)).length).toBe(1);
    const other = await askAll([user('Something else')], first.id);
    expect(other.session).not.toBe(first.session);
    const said = await texts(other.session);
    expect(said.slice(0, -1)).toEqual(['One', 'Answer 0.', 'Something else']);
    expect((await texts(first.session)).slice(0, 3)).toEqual(['One', 'Answer 0.', 'Two']);
    expect(await cutOff(first.session)).toHaveLength(1);
  });
});

it('goes on from the answer in a session that a header names', async () => {
  const headers = { 'x-palimpsest-session': 'mine' };
  const first = await ask('One', { headers });
  const next = await ask('Two', { after: first.id, headers });
  expect(next.session).toBe(first.session);
  expect(await texts(first.session)).toEqual(['One', 'Answer 0.', 'Two', 'Answer 1.']);
  const body = { model: 'm', input: 'Three', previous_response_id: 'resp_unknown' };
  const unknown = await lab.post('/v1/responses', body, headers);
  expect(unknown.headers.get('palimpsest-status')).toBe('bypassed; reason=unknown_answer');
});

it('is not taken for a conversation that begins with what was new', async () => {
  const first = await ask('One');
  const next = await ask('Two', { after: first.id });
  const input = [
    { role: 'user', content: 'Two' },
    { role: 'assistant', content: 'Answer 1.' },
    { role: 'user', content: 'Three' },
  ];
  const { session } = await lab.post('/v1/responses', { model: 'm', input });
  expect(session).not.toBe(next.session);
  expect((await lab.events(session)).some(({ type }) => type === 'session.forked')).toBe(false);
});

it('with nothing new reads the context that ends with its answer, whatever was said since', async () => {
  const first = await ask('One');
  const pin = { body: { text: 'Never touch vendor/.' } };
  const pinned = await send(lab.api, 'POST', `/sessions/${first.session}/pins`, pin);
  expect(pinned.status, pinned.text).toBe(201);
  const next = await ask('Two', { after: first.id });
  await ask('Three', { after: next.id });
  // Reasoning that nobody here has seen says nothing.
  const input = [{ type: 'item_reference', id: 'rs_elsewhere' }];
  const body = { model: 'm', input, previous_response_id: next.id };
  const again = await lab.post('/v1/responses', body);
  expect(again.headers.get('palimpsest-status')).toMatch(/^compacted/);
  const sent = JSON.stringify(lab.provider.received.at(-1)?.body.input);
  expect(sent.match(/One|Two|Three|Answer \d/g)).toEqual(['One', 'Answer 0', 'Two', 'Answer 1']);
  expect(sent).toContain('Never touch vendor/.');
  const { id } = JSON.parse(again.text);
  const on = await ask('Four', { after: String(id) });
  expect((await texts(on.session)).join()).not.toContain('Three');
});
