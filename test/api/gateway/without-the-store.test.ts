import { afterEach, describe, expect, it, vi } from 'vitest';
import { StoreUnavailableError } from '../../../src/app/ports/store-unavailable-error.ts';
import { GatewayLab, refOf } from '../../support/gateway/lab.ts';
import { logOf } from '../../support/gateway/sdk-task.ts';

let lab: GatewayLab;
afterEach(() => lab.close());

const user = (content: string) => ({ role: 'user', content });
const said = (content: string) => ({ role: 'assistant', content });
const LONG = [
  user('Find out why gadget_v7 fails.'),
  ...Array.from({ length: 10 }, (_, index) => [
    said(`Log ${index} says: ${logOf(`${index}.log`)}`),
    user(`And the next? That was ${index}.`),
  ]).flat(),
];
const INPUT = LONG.map(({ role, content }) => ({ type: 'message', role, content }));
const BODIES = [
  ['/v1/messages', { model: 'm', max_tokens: 100, messages: LONG }],
  ['/v1/chat/completions', { model: 'm', messages: LONG }],
  ['/v1/responses', { model: 'm', input: INPUT }],
] as const;
const BYPASSED = 'bypassed; reason=StoreUnavailableError';

/** Takes the store away; what comes back brings it back. */
function takeAway(): () => void {
  const away = () => Promise.reject(new StoreUnavailableError('not_written', new Error('away')));
  const { store } = lab.api.deps;
  const mocks = [
    vi.spyOn(store, 'head').mockImplementation(away),
    vi.spyOn(store, 'commit').mockImplementation(away),
    vi.spyOn(store.gatewayKeys, 'find').mockImplementation(away),
  ];
  return () => {
    for (const mock of mocks) mock.mockRestore();
  };
}

describe.each(BODIES)('with the store away, %s', (path, body) => {
  it('is shortened where it does not fit, from the body alone', async () => {
    lab = await GatewayLab.open();
    lab.provider.window = 30_000;
    takeAway();
    const headers = { 'x-palimpsest-context-window': '30000' };
    const answer = await lab.post(path, body, headers);
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('Done.')]);
    expect(answer.headers.get('palimpsest-status')).toBe(BYPASSED);
    const [sent] = lab.provider.received;
    expect(lab.provider.received).toHaveLength(1);
    expect(sent?.raw.toString()).toContain('gadget_v7');
    expect(sent?.raw.toString()).toContain('That was 9.');
    expect(lab.provider.invalid).toEqual([]);
  });

  it('is shortened once its provider says that it is too long', async () => {
    lab = await GatewayLab.open();
    lab.provider.window = 30_000;
    takeAway();
    const answer = await lab.post(path, body);
    expect([answer.status, answer.headers.get('palimpsest-status')]).toEqual([200, BYPASSED]);
    const [first, second] = lab.provider.received;
    expect(first?.body).toEqual(body);
    expect(second?.tokens).toBeLessThan(30_000);
    expect(lab.provider.invalid).toEqual([]);
  });
});

it('opens its own items without the store, and leaves what else the request says', async () => {
  lab = await GatewayLab.open();
  const compact = { model: 'm', input: [...INPUT, { type: 'compaction_trigger' }] };
  const asked = await lab.post('/v1/responses', compact);
  const encrypted_content = asked.text.match(/pal1\.[\w-]+/)?.[0] ?? '';
  const item = { type: 'compaction', id: 'cmp_1', encrypted_content };
  const input = [item, { type: 'message', role: 'user', content: 'Go on.' }];
  const body = { model: 'm', previous_response_id: null, input, unknown: 1.5 };
  takeAway();
  const answer = await lab.post('/v1/responses', body);
  expect([answer.status, answer.headers.get('palimpsest-status')]).toEqual([200, BYPASSED]);
  const sent = lab.provider.received[0]?.raw.toString() ?? '';
  expect(sent).toContain('gadget_v7');
  expect(sent).not.toContain('pal1.');
  expect(lab.provider.received[0]?.body).toMatchObject({ unknown: 1.5 });

  const broken = { ...item, encrypted_content: `${encrypted_content}x` };
  const refused = await lab.post('/v1/responses', { ...body, input: [broken] });
  expect(refused.status).toBe(400);
  expect(JSON.parse(refused.text).error.param).toBe('input[0].encrypted_content');

  // Counting a history opens them as well; without them it passes byte for byte.
  const counted = await lab.post('/v1/responses/input_tokens', {
    ...body,
    previous_response_id: 'r',
  });
  expect(counted.status).toBe(200);
  const count = lab.provider.received.at(-1);
  expect(count?.url).toBe('/v1/responses/input_tokens');
  expect(count?.body.previous_response_id).toBe('r');
  expect(JSON.stringify(count?.body.input)).toContain('gadget_v7');
  const bad = await lab.post('/v1/responses/input_tokens', { ...body, input: [broken] });
  expect(bad.status).toBe(400);
  const raw = JSON.stringify({ model: 'm', input: INPUT }, null, 2);
  await lab.post('/v1/responses/input_tokens', raw);
  expect(lab.provider.received.at(-1)?.raw.toString()).toBe(raw);
});

it('says in the log of a session what went past it, once the store is back', async () => {
  const told: object[] = [];
  lab = await GatewayLab.open({ onTurn: ({ seconds: _, ...turn }) => told.push(turn) });
  const headers = { 'x-palimpsest-session': 'a' };
  const ask = (...messages: object[]) =>
    lab.post('/v1/chat/completions', { model: 'm', messages }, headers);
  const first = await ask(user('Hello'));
  await expect.poll(() => lab.items(first.session)).toHaveLength(2);
  const back = takeAway();
  await ask(user('Hello'), said('Done.'), user('One'));
  await ask(user('Hello'), said('Done.'), user('One'), said('Done.'), user('Two'));
  back();
  await ask(
    user('Hello'),
    said('Done.'),
    user('One'),
    said('Done.'),
    user('Two'),
    said('Done.'),
    user('Three'),
  );
  await expect
    .poll(async () => (await lab.events(first.session)).map(({ type }) => type))
    .toContain('turn.bypassed');
  const events = await lab.events(first.session);
  const bypassed = events.filter(({ type }) => type === 'turn.bypassed');
  expect(bypassed.map(({ data }) => data)).toEqual([{ reason: 'StoreUnavailableError', turns: 2 }]);
  // Nothing of what was said meanwhile is missing.
  expect(JSON.stringify(await lab.items(first.session))).toMatch(/One.*Two.*Three/);
  const past = { protocol: 'chat', status: 'bypassed', reason: 'StoreUnavailableError' };
  const on = { protocol: 'chat', status: 'forwarded', reason: null };
  expect(told).toEqual([on, past, past, on]);
  expect((await lab.api.deps.store.head(refOf(first.session)))?.settings.format).toBe(
    'openai-chat',
  );
});

it('shortens by itself where no worker makes room', async () => {
  lab = await GatewayLab.open({ dispatch: () => {} }, undefined, 0.1);
  lab.provider.window = 30_000;
  const headers = { 'x-palimpsest-context-window': '30000' };
  const answer = await lab.post('/v1/messages', BODIES[0][1], headers);
  expect(answer.status, answer.text).toBe(200);
  expect(answer.headers.get('palimpsest-status')).toMatch(/^compacted; saved=\d{4,}$/);
  expect(lab.provider.received).toHaveLength(1);
  expect(lab.provider.invalid).toEqual([]);
});

it('counts what it could not read', async () => {
  const told: object[] = [];
  lab = await GatewayLab.open({ onTurn: ({ seconds: _, ...turn }) => told.push(turn) });
  lab.provider.troubles.push('refuse', 'refuse');
  await lab.post('/v1/messages', Buffer.from('no gzip'), { 'content-encoding': 'gzip' });
  await lab.post('/v1/messages', '[]');
  expect(told).toEqual([
    { protocol: 'messages', status: 'bypassed', reason: 'content_encoding' },
    { protocol: 'messages', status: 'bypassed', reason: 'no_json' },
  ]);
});
