import { afterEach, describe, expect, it } from 'vitest';
import type { Summarizer, WrittenText } from '../../../src/workers/summarizers/summarizer.ts';
import { awayStore } from '../../support/gateway/away-store.ts';
import { GatewayLab } from '../../support/gateway/lab.ts';
import { logOf, SDKS, taskScript } from '../../support/gateway/sdk-task.ts';

let lab: GatewayLab;
afterEach(() => lab.close());

const user = (content: string) => ({ role: 'user', content });
const said = (content: string) => ({ role: 'assistant', content });
const body = (...messages: object[]) => ({ model: 'm', max_tokens: 100, messages });
const PROTOCOLS = [
  ['/v1/messages', body],
  ['/v1/chat/completions', body],
  ['/v1/responses', (...input: object[]) => ({ model: 'm', input })],
] as const;

describe.each(PROTOCOLS)('%s', (path, body) => {
  it.each([
    ['rate_limit', 429],
    ['error', 500],
    ['overloaded', 529],
    ['refuse', 400],
    ['redirect', 307],
  ] as const)('hands on %s as it came', async (trouble, status) => {
    lab = await GatewayLab.open();
    lab.provider.troubles.push(trouble);
    const answer = await fetch(lab.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body(user('Hello'))),
      redirect: 'manual',
    });
    expect(answer.status).toBe(status);
    expect(lab.provider.received).toHaveLength(1);
    if (trouble === 'rate_limit') expect(answer.headers.get('retry-after')).toBe('0');
    if (trouble === 'redirect') expect(answer.headers.get('location')).toContain('/elsewhere');
    const session = answer.headers.get('palimpsest-session') ?? '';
    expect(await lab.items(session)).toHaveLength(1);
    const again = await lab.post(path, body(user('Hello')), { 'x-palimpsest-session': 'a' });
    expect(again.status).toBe(200);
  });

  it('breaks off where the upstream does, and says so in the log', async () => {
    lab = await GatewayLab.open();
    lab.provider.troubles.push('cut');
    const name = { 'x-palimpsest-session': 'cut' };
    const response = await fetch(lab.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...name },
      body: JSON.stringify({ ...body(user('Hello')), stream: true }),
    });
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow();
    const session = response.headers.get('palimpsest-session') ?? '';
    await expect.poll(() => lab.items(session)).toHaveLength(2);
    const [, partial] = await lab.items(session);
    expect(partial).toMatchObject({ role: 'assistant', is_cut_off: true });
    expect(JSON.stringify(partial)).toContain('This answer');
    const again = await lab.post(path, body(user('Hello')), name);
    expect([again.status, again.session]).toEqual([200, session]);
    await expect.poll(async () => JSON.stringify(await lab.items(session))).toContain('Done.');
  });

  it('goes on without its store', async () => {
    lab = await GatewayLab.open({ store: awayStore() });
    const raw = JSON.stringify(body(user('Hello')), null, 2);
    const answer = await lab.post(path, raw);
    expect(answer.status).toBe(200);
    expect(answer.text).toContain('Done.');
    expect(answer.headers.get('palimpsest-status')).toBe('bypassed; reason=StoreUnavailableError');
    expect(lab.provider.received[0]?.raw.toString()).toBe(raw);
  });

  it('compacts once and asks again where the provider finds a prompt too long', async () => {
    lab = await GatewayLab.open();
    lab.provider.window = 30_000;
    const history = [
      user('Read the logs.'),
      ...Array.from({ length: 10 }, (_, index) => [
        said(`Log ${index} says: ${logOf(`${index}.log`)}`),
        user(`And the next? That was ${index}.`),
      ]).flat(),
    ];
    const answer = await lab.post(path, body(...history));
    expect(answer.status, answer.text).toBe(200);
    expect(answer.headers.get('palimpsest-status')).toMatch(/^compacted; saved=\d+$/);
    expect(lab.provider.received).toHaveLength(2);
    expect(lab.provider.invalid).toEqual([]);
  });

  it('hands on "too long" where nothing can be made shorter', async () => {
    lab = await GatewayLab.open();
    lab.provider.window = 1;
    const answer = await lab.post(path, body(user('Hello')));
    expect(answer.status).toBe(400);
    expect(answer.text).toMatch(/prompt is too long|exceeds the context window/);
    expect(lab.provider.received).toHaveLength(1);
  });
});

it('makes room by itself, and leaves the results that the model has not read', async () => {
  lab = await GatewayLab.open();
  lab.provider.window = 30_000;
  const call = { type: 'tool_use', id: 'toolu_01', name: 'Read', input: { file_path: 'last.log' } };
  const unread = {
    type: 'tool_result',
    tool_use_id: 'toolu_01',
    content: '13: no such file: lib/zz.h',
  };
  const history = [
    user('Read the logs.'),
    ...Array.from({ length: 12 }, (_, index) => [
      said(`Log ${index} says: ${logOf(`${index}.log`)}`),
      user(`And the next? That was ${index}.`),
    ]).flat(),
    { role: 'assistant', content: [call] },
    { role: 'user', content: [unread] },
  ];
  const answer = await lab.post('/v1/messages', body(...history));
  expect(answer.headers.get('palimpsest-status')).toMatch(/^compacted; saved=\d+$/);
  expect(JSON.stringify(lab.provider.received.at(-1)?.body)).toContain(JSON.stringify(unread));
  const events = await lab.events(answer.session);
  const requested = events.filter(({ type }) => type === 'compaction.requested');
  expect(requested).toMatchObject([{ data: { trigger: 'auto', reason: 'token_limit' } }]);
});

it('says in the words of each provider that an upstream is away', async () => {
  lab = await GatewayLab.open();
  await lab.provider.close();
  const anthropic = await lab.post('/v1/messages', body(user('Hello')));
  const openai = await lab.post('/v1/chat/completions', body(user('Hello')));
  expect([anthropic.status, openai.status]).toEqual([502, 502]);
  expect(JSON.parse(anthropic.text)).toMatchObject({ type: 'error', error: { type: 'api_error' } });
  expect(JSON.parse(openai.text)).toMatchObject({ error: { code: 'upstream_unreachable' } });
  lab.provider.close = async () => {};
});

it('takes the extractive way when a model does not answer in time', async () => {
  const hanging: Summarizer<WrittenText> = {
    kind: 'asking',
    name: 'hanging',
    summarize: () => new Promise(() => {}),
  };
  lab = await GatewayLab.open({}, hanging, 0.2);
  lab.provider.script = taskScript(12);
  lab.provider.window = 30_000;
  const headers = { 'x-palimpsest-context-window': '30000' };
  const text = await SDKS.chat({ url: lab.url, stream: false, headers });
  expect(text).toBe('The build fails because of a missing file.');
  expect(lab.provider.invalid).toEqual([]);
});
