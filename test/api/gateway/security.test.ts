import { request as httpRequest } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { GatewayLab } from '../../support/gateway/lab.ts';

let lab: GatewayLab;
afterEach(() => lab.close());

const TURN = { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'Hello' }] };
const OURS = 'our-own-key';
const THEIRS = 'sk-their-own-credential';

const basic = (pair: string) => `Basic ${Buffer.from(pair).toString('base64')}`;

describe('with keys', () => {
  const keys = [
    { name: 'red', key: OURS },
    { name: 'blue', key: 'another-key' },
  ];

  it.each([
    ['x-palimpsest-key', { 'x-palimpsest-key': OURS, authorization: `Bearer ${THEIRS}` }],
    ['a bearer', { authorization: `Bearer ${OURS}`, 'x-api-key': THEIRS }],
    ['x-api-key', { 'x-api-key': OURS, authorization: `Bearer ${THEIRS}` }],
    ['any other header', { 'api-key': OURS, 'x-api-key': THEIRS }],
    ['a token of another scheme', { authorization: `Token ${OURS}`, 'x-api-key': THEIRS }],
    ['the password of a user', { authorization: basic(`any:${OURS}`), 'x-api-key': THEIRS }],
    ['the name of a user', { authorization: basic(`${OURS}:`), 'x-api-key': THEIRS }],
  ])('a key of ours as %s never goes upstream', async (_, headers) => {
    lab = await GatewayLab.open({ keys });
    const answer = await lab.post('/v1/messages', TURN, headers);
    expect(answer.status).toBe(200);
    const sent = JSON.stringify(lab.provider.received[0]?.headers);
    expect(sent).not.toContain(OURS);
    expect(sent).not.toContain('Basic');
    expect(sent).toContain(THEIRS);
    const ref = { tenant: 'red', session_id: answer.session };
    expect(await lab.api.deps.store.head(ref)).not.toBeNull();
  });

  it.each([
    ['/v1/messages', /"type":"authentication_error"/],
    ['/v1/chat/completions', /"code":"unauthorized"/],
    ['/v1/models', /x-palimpsest-key/],
  ])('%s asks for one', async (path, words) => {
    lab = await GatewayLab.open({ keys });
    const answer = await lab.post(path, TURN, { authorization: `Bearer ${THEIRS}` });
    expect(answer.status).toBe(401);
    expect(answer.text).toMatch(words);
    expect(lab.provider.received).toEqual([]);
  });

  it('says of one that is none that it is none, instead of asking for one', async () => {
    lab = await GatewayLab.open({ keys });
    const answer = await lab.post('/v1/messages', TURN, { 'x-palimpsest-key': `${OURS}X` });
    expect(answer.status).toBe(401);
    expect(answer.text).toContain('is none of this service: check it');
  });

  it('takes no longer text for one that it begins with', async () => {
    lab = await GatewayLab.open({ keys });
    const longer = { authorization: basic(`${OURS}X`), 'x-api-key': THEIRS };
    expect((await lab.post('/v1/messages', TURN, longer)).status).toBe(401);
  });

  it('tenants do not share a session of one name', async () => {
    lab = await GatewayLab.open({ keys });
    const name = { 'x-palimpsest-session': 'same' };
    const red = await lab.post('/v1/messages', TURN, { ...name, 'x-palimpsest-key': OURS });
    const blue = await lab.post('/v1/messages', TURN, {
      ...name,
      'x-palimpsest-key': 'another-key',
    });
    expect(blue.session).not.toBe(red.session);
  });
});

it('what is for a proxy on the way goes no further', async () => {
  lab = await GatewayLab.open();
  const headers = { 'proxy-authorization': 'Basic secret', 'proxy-connection': 'keep-alive' };
  await lab.post('/v1/messages', TURN, headers);
  const sent = lab.provider.received[0]?.headers ?? {};
  expect(Object.keys(sent).filter((name) => name.startsWith('proxy-'))).toEqual([]);
});

it('neither stores nor logs a credential', async () => {
  lab = await GatewayLab.open();
  const headers = {
    authorization: `Bearer ${THEIRS}`,
    'x-api-key': `${THEIRS}-2`,
    cookie: 'palimpsest_session=secret-cookie; other=kept',
  };
  const answer = await lab.post('/v1/messages', TURN, headers);
  await lab.provider.close();
  await lab.post('/v1/messages', TURN, headers);
  await expect.poll(() => lab.items(answer.session)).toHaveLength(2);
  const stored = JSON.stringify(await lab.events(answer.session)) + answer.session;
  expect(stored).not.toContain(THEIRS);
  expect(JSON.stringify(lab.api.logged)).not.toContain(THEIRS);
  expect(lab.api.logged).not.toEqual([]);
  const sent = lab.provider.received[0]?.headers;
  expect(sent?.authorization).toBe(`Bearer ${THEIRS}`);
  expect(sent?.cookie).toBe('other=kept');
  lab.provider.close = async () => {};
});

it('lets no page of another site in, and opens nothing to one', async () => {
  lab = await GatewayLab.open();
  const answer = await lab.post('/v1/messages', TURN, { origin: 'https://evil.example' });
  expect(answer.status).toBe(403);
  expect(answer.text).toContain('other sites');
  const other = await lab.post('/v1/messages', TURN);
  expect([...other.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
});

it('refuses an upgrade at once', async () => {
  lab = await GatewayLab.open();
  const status = await new Promise((resolve, reject) => {
    const headers = { connection: 'upgrade', upgrade: 'websocket' };
    const request = httpRequest(`${lab.url}/v1/responses`, { headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    request.once('error', reject).end();
  });
  expect(status).toBe(426);
  expect(lab.provider.received).toEqual([]);
});

it('sends what it does not know where the path and the headers say', async () => {
  lab = await GatewayLab.open();
  const get = (path: string, headers = {}) => fetch(lab.url + path, { headers });
  const own = { 'x-palimpsest-anything': 'a', connection: 'keep-alive', 'x-request-id': 'r' };
  const models = await get('/v1/models?limit=3&a=%2F', own);
  expect(await models.json()).toMatchObject({ path: '/v1/models?limit=3&a=%2F' });
  expect(models.headers.get('palimpsest-status')).toBe('forwarded');
  expect(models.headers.get('request-id')).toBe('req_scripted');
  const [sent] = lab.provider.received;
  expect(sent?.headers).toMatchObject({ 'x-request-id': 'r' });
  expect(
    Object.keys(sent?.headers ?? {}).filter((name) => name.startsWith('x-palimpsest')),
  ).toEqual([]);
  expect((await get('/u/other/v1/files')).status).toBe(200);
  expect(lab.provider.received.at(-1)?.url).toBe('/v1/files');
  const unknown = await get('/u/nobody/v1/files');
  expect(unknown.status).toBe(404);
  expect(await unknown.text()).toContain('PALIMPSEST_UPSTREAM_');
});

it.each<[string, (members: string) => string]>([
  ['beside the history', (members) => `"metadata":{${members}},"messages":[]`],
  ['in an item', (members) => `"messages":[{"role":"user","content":"Hello","x":{${members}}}]`],
])('members without number %s go on as they came, unread', async (_, fields) => {
  lab = await GatewayLab.open();
  const members = Array.from({ length: 450_000 }, (_each, index) => `"k${index}":1`).join();
  const body = Buffer.from(`{"model":"m","max_tokens":9,${fields(members)}}`);
  const answer = await lab.post('/v1/messages', body);
  expect([answer.status, answer.headers.get('palimpsest-status')]).toEqual([
    200,
    'bypassed; reason=too_many_values',
  ]);
  expect(lab.provider.received[0]?.raw.equals(body)).toBe(true);
});

it('reads a compressed body and sends it on as it came', async () => {
  lab = await GatewayLab.open();
  const raw = gzipSync(JSON.stringify(TURN));
  const answer = await lab.post('/v1/messages', raw, { 'content-encoding': 'gzip' });
  expect(answer.headers.get('palimpsest-status')).toBe('forwarded');
  expect(lab.provider.received[0]?.raw.equals(raw)).toBe(true);
  await expect.poll(() => lab.items(answer.session)).toHaveLength(2);
});

it.each([
  ['{"model": "m", "messages": 1}', 'no_history'],
  ['[]', 'no_json'],
  ['{"messages":[]}', 'no_history'],
  ['{"messages":[{"role":"nobody"}]}', 'invalid_item'],
])('hands on %s, which it cannot read (%s)', async (raw, reason) => {
  lab = await GatewayLab.open();
  lab.provider.troubles.push('refuse');
  const answer = await lab.post('/v1/chat/completions', raw);
  expect(answer.status).toBe(400);
  expect(answer.text).toContain('unknown parameter');
  expect(answer.headers.get('palimpsest-status')).toBe(`bypassed; reason=${reason}`);
});
