import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { itemKey } from '../../../src/app/gateway/expand-references.ts';
import { StoreUnavailableError } from '../../../src/app/ports/store-unavailable-error.ts';
import { GatewayLab } from '../../support/gateway/lab.ts';
import { ReferringClient } from '../../support/gateway/referring-client.ts';
import { taskScript } from '../../support/gateway/sdk-task.ts';

/** Clients that name items which their provider keeps, in place of sending them. */

const WINDOW = 30_000;
const PROMPT = 'Read the logs and tell me why the nightly build fails.';
const REASONING = { reasoning: { effort: 'low', summary: 'auto' } };

let lab: GatewayLab;
beforeEach(async () => {
  lab = await GatewayLab.open();
});
afterEach(() => lab.close());

/** A task of so many calls, from here on. */
function task(calls: number): void {
  let step = 0;
  const script = taskScript(calls);
  lab.provider.script = (received) => script(received, step++);
}

describe('a client that names items', () => {
  it.each([
    ['with reasoning that its provider keeps', REASONING],
    ['with reasoning that its provider keeps, streamed', { ...REASONING, stream: true }],
    [
      'with reasoning that is sealed as well',
      { ...REASONING, include: ['reasoning.encrypted_content'] },
    ],
    ['without reasoning, streamed', { stream: true }],
  ])('works through several compactions %s', async (_, fields) => {
    task(18);
    lab.provider.window = WINDOW;
    const client = new ReferringClient(lab.url, PROMPT, fields);
    client.headers = { 'x-palimpsest-context-window': String(WINDOW) };
    while (await client.step());
    expect(lab.provider.invalid).toEqual([]);
    expect(lab.provider.turns).toHaveLength(19);
    expect(client.statuses.filter((status) => status?.startsWith('bypassed'))).toEqual([]);
    expect(client.statuses.some((status) => status?.startsWith('compacted'))).toBe(true);
    const [session] = (await lab.api.deps.store.sessions('local', { limit: 10 })).data;
    const id = session?.ref.session_id ?? '';
    const types = (await lab.events(id)).map(({ type }) => type);
    expect(
      types.filter((type) => /^compaction\.(?:micro_)?completed$/.test(type)).length,
    ).toBeGreaterThan(1);
    expect(types).not.toContain('item.superseded');
    // Each answer stands there once, as the provider has given it.
    const items = await lab.items(id);
    expect(items.filter(({ type }) => type === 'item_reference')).toEqual([]);
    expect(items.filter(({ type }) => type === 'function_call')).toHaveLength(18);
  });
});

const status = async (body: object, headers: Record<string, string> = {}) => {
  const answer = await lab.post('/v1/responses', { model: 'm', ...body }, headers);
  return { ...answer, status: [answer.status, answer.headers.get('palimpsest-status')] };
};
const ref = (id: string) => ({ type: 'item_reference', id });
const user = (content: string) => ({ role: 'user', content });
/** What stands for a message that nobody here has seen. */
const NOTE = /item msg_\d+ of this conversation is kept by its provider alone/;
const FORWARDED = [200, 'forwarded'];

/** Asks once, and answers what names the items of the answer; the session has it then. */
async function asked(headers: Record<string, string> = {}) {
  const first = await status({ input: [user('Hello')] }, headers);
  await expect.poll(() => lab.items(first.session)).toHaveLength(2);
  const { output } = JSON.parse(first.text) as { output: { id: string }[] };
  return { session: first.session, ref: ref(output[0]?.id ?? '') };
}

describe('an item that is named', () => {
  it('leads to its session, and the request goes on byte for byte', async () => {
    const first = await asked();
    const body = { input: [user('Hello'), first.ref, user('And now?')] };
    const next = await status(body);
    expect(next.status).toEqual(FORWARDED);
    expect(next.session).toBe(first.session);
    expect(lab.provider.received.at(-1)?.raw.toString()).toBe(
      JSON.stringify({ model: 'm', ...body }),
    );
    await expect.poll(() => lab.items(first.session)).toHaveLength(4);
    expect(await lab.items(first.session)).toMatchObject([
      { role: 'user' },
      { role: 'assistant', content: [{ text: 'Done.' }] },
      { role: 'user' },
      { role: 'assistant' },
    ]);
  });

  it('is not that of another credential', async () => {
    const { ref: theirs } = await asked({ authorization: 'Bearer sk-one' });
    const body = { input: [user('Hello'), theirs, user('And now?')] };
    const { session } = await status(body, { authorization: 'Bearer sk-two' });
    expect(JSON.stringify((await lab.items(session))[1])).toMatch(NOTE);
  });

  it('is gone with its session', async () => {
    const first = await asked();
    await lab.api.deps.store.erase({ tenant: 'local', session_id: first.session });
    const { session } = await status({ input: [user('Hello'), first.ref, user('And now?')] });
    expect(session).not.toBe(first.session);
    expect(JSON.stringify((await lab.items(session))[1])).toMatch(NOTE);
  });

  it('is read within limits', async () => {
    await asked();
    const keys = [itemKey({ upstream: 'openai', owner: '' }, 'msg_000000'), 'unknown'];
    const { gatewayKeys } = lab.api.deps.store;
    await expect
      .poll(() => gatewayKeys.items('local', keys, 10_000))
      .toMatchObject([{ key: keys[0] }]);
    expect(await gatewayKeys.items('local', keys, 10)).toBeNull();
    expect(await gatewayKeys.items('another', keys, 10_000)).toEqual([]);
    expect(await gatewayKeys.items('local', [], 10_000)).toEqual([]);
  });

  it('is waited for while its answer is still on its way into the log', async () => {
    const { store } = lab.api.deps;
    const note = store.gatewayKeys.note.bind(store.gatewayKeys);
    let written = () => {};
    const mayWrite = new Promise<void>((resolve) => {
      written = resolve;
    });
    vi.spyOn(store.gatewayKeys, 'note').mockImplementation(async (...args) => {
      await mayWrite;
      await note(...args);
    });
    const first = await status({ input: [user('Hello')] });
    const { output } = JSON.parse(first.text) as { output: { id: string }[] };
    const next = status({ input: [user('Hello'), ref(output[0]?.id ?? ''), user('And now?')] });
    written();
    expect((await next).session).toBe(first.session);
    expect(JSON.stringify(await lab.items(first.session))).toContain('"text":"Done."');
  });
});

describe('items that nobody here has seen', () => {
  async function workThrough(client: ReferringClient): Promise<void> {
    while (await client.step());
    expect(lab.provider.invalid).toEqual([]);
    expect(client.statuses.at(-1)).toMatch(/^compacted/);
    const [session] = (await lab.api.deps.store.sessions('local', { limit: 10 })).data;
    const items = await lab.items(session?.ref.session_id ?? '');
    // What is not known is said, and nothing of the rest is missing.
    expect(items.filter(({ name }) => name === 'unknown')).toHaveLength(2);
    expect(JSON.stringify(items)).toMatch(/night-0.log:249.*night-1.log:249.*night-13.log:249/);
  }

  it.each([
    ['with reasoning', REASONING],
    ['without', {}],
  ])(
    'stand in the log as far as they are known, and every request is valid, %s',
    async (_, fields) => {
      task(14);
      lab.provider.window = WINDOW;
      const client = new ReferringClient(lab.provider.url, PROMPT, fields);
      client.headers = { 'x-palimpsest-context-window': String(WINDOW) };
      await client.step();
      await client.step();
      client.url = lab.url;
      await client.step();
      expect(client.statuses).toEqual([null, null, 'forwarded']);
      expect(lab.provider.received.at(-1)?.body.input).toEqual(client.sent);
      await workThrough(client);
      expect(client.statuses.filter((each) => each?.startsWith('bypassed'))).toEqual([]);
    },
  );

  it('may have been said while the store was away', async () => {
    task(14);
    lab.provider.window = WINDOW;
    const client = new ReferringClient(lab.url, PROMPT, REASONING);
    client.headers = { 'x-palimpsest-context-window': String(WINDOW) };
    const { store } = lab.api.deps;
    const away = () => Promise.reject(new StoreUnavailableError('not_written', new Error('away')));
    const mocks = [
      vi.spyOn(store, 'head').mockImplementation(away),
      vi.spyOn(store, 'commit').mockImplementation(away),
      vi.spyOn(store.gatewayKeys, 'find').mockImplementation(away),
      vi.spyOn(store.gatewayKeys, 'items').mockImplementation(away),
    ];
    await client.step();
    await client.step();
    for (const mock of mocks) mock.mockRestore();
    const bypassed = 'bypassed; reason=StoreUnavailableError';
    expect(client.statuses).toEqual([bypassed, bypassed]);
    await workThrough(client);
    expect(client.statuses.slice(2).filter((each) => each?.startsWith('bypassed'))).toEqual([]);
  });
});

it('more items than any conversation has are not looked up', async () => {
  lab.provider.troubles.push('refuse');
  const input = Array.from({ length: 20_001 }, (_, index) => ref(`msg_${index}`));
  const answer = await status({ input: [user('Hello'), ...input] });
  expect(answer.status).toEqual([400, 'bypassed; reason=too_many_values']);
});

it('a conversation that the provider keeps goes on as it came', async () => {
  const answer = await status({ conversation: 'conv_1', input: [user('Hello')] });
  expect(answer.status).toEqual([200, 'bypassed; reason=conversation']);
  expect(lab.provider.received.at(-1)?.body.conversation).toBe('conv_1');
});
