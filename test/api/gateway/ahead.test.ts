import { afterEach, beforeEach, expect, it } from 'vitest';
import { GatewayLab } from '../../support/gateway/lab.ts';
import { openTestStore } from '../../support/open-test-store.ts';

/** Requests that go upstream before their turns are planned. */

let lab: GatewayLab;
/** What every plan waits for. */
let held: Promise<void>;
let letGo: () => void;
let isHolding: boolean;

beforeEach(async () => {
  const store = await openTestStore();
  isHolding = false;
  const commit = store.commit.bind(store);
  // A plan syncs the history; what is looked at before is only read.
  store.commit = async (ref, decide, options) => {
    if (isHolding) await held;
    return commit(ref, decide, options);
  };
  held = new Promise((resolve) => {
    letGo = resolve;
  });
  lab = await GatewayLab.open({ store });
});
afterEach(async () => {
  letGo();
  await lab.close();
});

function hold(): void {
  isHolding = true;
}

function release(): void {
  isHolding = false;
  letGo();
}

const user = (content: string) => ({ role: 'user', content });
const DONE = { role: 'assistant', content: [{ type: 'text', text: 'Done.' }] };
const named = { 'x-palimpsest-session': 'talk' };
const body = (messages: object[], more: object = {}) => ({
  model: 'm',
  max_tokens: 100,
  messages,
  ...more,
});

/** One turn that is recorded; the next one may go ahead. */
async function begun(headers: Record<string, string> = named): Promise<string> {
  const { session } = await lab.post('/v1/messages', body([user('Hello')]), headers);
  await expect.poll(() => lab.items(session)).toHaveLength(2);
  return session;
}

const NEXT = [user('Hello'), DONE, user('And now?')];

it('a request is answered upstream while its turn is planned, and then goes to the client', async () => {
  const session = await begun();
  hold();
  const answering = lab.post('/v1/messages', body(NEXT, { stream: true }), named);
  await expect.poll(() => lab.provider.received).toHaveLength(2);
  expect(await lab.items(session)).toHaveLength(2);
  release();
  const answer = await answering;
  expect(answer.text).toContain('Done.');
  expect(answer.headers.get('palimpsest-status')).toBe('forwarded');
  await expect.poll(() => lab.items(session)).toHaveLength(4);
  // The version that the context of this turn has.
  const version = Number(answer.headers.get('palimpsest-version'));
  const [newest] = (await lab.events(session)).filter((event) => event.version === version);
  expect(newest).toMatchObject({ data: { item: user('And now?') } });
  expect(lab.provider.received).toHaveLength(2);
  expect(lab.provider.received[1]?.raw.toString()).toBe(
    JSON.stringify(body(NEXT, { stream: true })),
  );
});

it('a request goes once where its turn cannot be planned', async () => {
  await begun();
  const { store } = lab.api.deps;
  store.commit = () => Promise.reject(new Error('the disk has gone'));
  const answer = await lab.post('/v1/messages', body(NEXT), named);
  expect(answer.headers.get('palimpsest-status')).toBe('bypassed; reason=Error');
  expect(answer.text).toContain('Done.');
  expect(lab.provider.received).toHaveLength(2);
});

it('the client is told when nobody can be reached', async () => {
  await begun();
  await lab.provider.close();
  lab.provider.close = async () => {};
  const answer = await lab.post('/v1/messages', body(NEXT), named);
  expect(answer.status).toBe(502);
  expect(answer.text).toContain('the upstream \\"anthropic\\" could not be reached');
});

it('an answer breaks off for the client as well where it does while nobody reads it', async () => {
  await begun();
  hold();
  lab.provider.troubles.push('cut');
  const answering = lab.post('/v1/messages', body(NEXT, { stream: true }), named);
  answering.catch(() => {});
  await expect.poll(() => lab.provider.received).toHaveLength(2);
  await expect.poll(() => lab.provider.abandoned).toBe(1);
  release();
  await expect(answering).rejects.toThrow();
  expect((await lab.post('/v1/messages', body(NEXT), named)).status).toBe(200);
});

it('a request is given up where its plan says something else, and the plan is what the client gets', async () => {
  const headers = { 'x-claude-code-session-id': 'talk' };
  await begun(headers);
  hold();
  lab.provider.held = new Promise(() => {});
  // Written in a way that no client writes it in, so that only its plan can tell.
  const instruction = 'Your task is to create a detailed summary of the conversation so far.';
  const raw = JSON.stringify(body([...NEXT, DONE, user(instruction)])).replace(
    'Your task',
    'Your \\u0074ask',
  );
  const answering = lab.post('/v1/messages', raw, headers);
  await expect.poll(() => lab.provider.received).toHaveLength(2);
  release();
  const answer = await answering;
  expect(answer.headers.get('palimpsest-status')).toMatch(/^compacted; /);
  await expect.poll(() => lab.provider.abandoned).toBe(1);
});
