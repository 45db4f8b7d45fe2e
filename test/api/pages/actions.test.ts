import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readSettings } from '../../../src/config.ts';
import { Conversations } from '../../support/api-conversation.ts';
import { type ApiServer, send, startApi } from '../../support/api-server.ts';
import { assistant, user } from '../../support/items.ts';

let api: ApiServer;
const { create, compacted } = new Conversations(() => api);

beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

type Fields = Record<string, string>;

/** The token of the forms of a page. */
async function tokenOf(path: string, headers: Fields = {}, of = api): Promise<string> {
  const { text } = await send(of, 'GET', path, { headers: { accept: 'text/html', ...headers } });
  return /name="token" value="([^"]+)"/.exec(text)?.[1] ?? '';
}

async function post(path: string, fields: Fields, headers: Fields = {}, of = api) {
  const response = await fetch(of.url + path, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'sec-fetch-site': 'same-origin', ...headers },
    body: new URLSearchParams(fields),
  });
  return {
    status: response.status,
    location: response.headers.get('location') ?? '',
    cookie: response.headers.get('set-cookie') ?? '',
    text: await response.text(),
  };
}

const eventTypes = async (id: string) => {
  const { body } = await send(api, 'GET', `/sessions/${id}/events?limit=500`);
  return (body.data as { type: string }[]).map(({ type }) => type);
};

describe('forms', () => {
  it('do nothing without the token of a page of ours', async () => {
    const id = await create({ auto_compact_enabled: false });
    for (const token of ['', 'forged', (await tokenOf(`/inspect/sessions/${id}`)).slice(1)]) {
      const refused = await post(`/inspect/sessions/${id}/compact`, { token, mode: 'micro' });
      expect(refused.status).toBe(403);
      expect(refused.text).toContain('This form was made by an older page');
    }
    expect(await eventTypes(id)).not.toContain('compaction.requested');
  });

  it('do nothing when another site sends them, also one on another port of this machine', async () => {
    const id = await create({ auto_compact_enabled: false });
    const token = await tokenOf(`/inspect/sessions/${id}`);
    for (const origin of ['http://localhost:3000', 'http://127.0.0.1:1', 'null']) {
      const headers = { origin, 'sec-fetch-site': 'same-site' };
      const refused = await post(`/inspect/sessions/${id}/compact`, { token }, headers);
      expect(refused.status).toBe(403);
    }
    const rebound = await fetch(`${api.url}/`, {
      headers: { accept: 'text/html', origin: 'https://x.test' },
    });
    expect(rebound.status).toBe(403);
    expect(await eventTypes(id)).not.toContain('compaction.requested');
  });

  it('say which field is wrong', async () => {
    const id = await create({ auto_compact_enabled: false });
    const token = await tokenOf(`/inspect/sessions/${id}`);
    const refused = await post(`/inspect/sessions/${id}/fork`, { token, at: 'x' });
    expect(refused.status).toBe(400);
    expect(refused.text).toContain('must be a whole number');
    const missing = await post(`/inspect/sessions/${id}/compactions/none/revert`, { token });
    expect(missing.status).toBe(404);
  });
});

describe('what can be done', () => {
  it('is to compact, and to undo it', async () => {
    const id = await create({ auto_compact_enabled: false });
    const token = await tokenOf(`/inspect/sessions/${id}`);
    const asked = await post(`/inspect/sessions/${id}/compact`, { token, mode: 'full', focus: '' });
    expect(asked.status).toBe(303);
    expect(asked.location).toMatch(
      /^\/inspect\/sessions\/[^/]+\/compactions\/[^/?]+\?done=requested$/,
    );
    await api.work(api.dispatched.at(-1));
    const path = asked.location.replace(/\?.*/, '');
    const undone = await post(`${path}/revert`, { token });
    expect(undone.location).toBe(`${path}?done=reverted`);
    const { text } = await send(api, 'GET', undone.location, { headers: { accept: 'text/html' } });
    expect(text).toContain('The compaction is undone');
    const types = await eventTypes(id);
    expect(types).toContain('compaction.completed');
    expect(types.at(-1)).toBe('compaction.reverted');
    const again = await post(`${path}/revert`, { token });
    expect(again.status).toBe(409);
  });

  it('is to undo what came last first', async () => {
    const id = await create({ auto_compact_enabled: false });
    const token = await tokenOf(`/inspect/sessions/${id}`);
    const summarise = async () => {
      const { location } = await post(`/inspect/sessions/${id}/compact`, { token, mode: 'full' });
      await api.work(api.dispatched.at(-1));
      return location.replace(/\?.*/, '');
    };
    const first = await summarise();
    const more = Array.from({ length: 8 }, (_, n) => user(`And ${n}? ${'more '.repeat(200)}`));
    await send(api, 'POST', `/sessions/${id}/items`, { body: more });
    const second = await summarise();
    const read = async (path: string) =>
      (await send(api, 'GET', path, { headers: { accept: 'text/html' } })).text;
    expect(await read(first)).toContain(`To undo it, undo <a href="${second}">the later one</a>`);
    expect(await read(first)).not.toContain('Undo this compaction');
    expect((await post(`${first}/revert`, { token })).status).toBe(409);
    expect((await post(`${second}/revert`, { token })).status).toBe(303);
    expect(await read(first)).toContain('Undo this compaction');
    expect((await post(`${first}/revert`, { token })).status).toBe(303);
  });

  it('is to propose, to apply and to discard', async () => {
    const id = await create({ auto_compact_enabled: false });
    const token = await tokenOf(`/inspect/sessions/${id}`);
    const propose = async () => {
      const fields = { token, mode: 'full', propose: 'yes' };
      const { location } = await post(`/inspect/sessions/${id}/compact`, fields);
      await api.work(api.dispatched.at(-1));
      return location.replace(/\?.*/, '');
    };
    const first = await propose();
    const page = await send(api, 'GET', first, { headers: { accept: 'text/html' } });
    expect(page.text).toContain('proposal, open');
    expect((await post(`${first}/discard`, { token })).location).toBe(`${first}?done=discarded`);
    const read = async (path: string) =>
      (await send(api, 'GET', path, { headers: { accept: 'text/html' } })).text;
    expect(await read(first)).toContain('somebody discarded the proposal');
    const overtaken = await propose();
    await compacted(id, { mode: 'full' });
    expect(await read(overtaken)).toContain('another compaction came before it was applied');
    const second = await propose();
    expect((await post(`${second}/apply`, { token })).location).toBe(`${second}?done=applied`);
    expect((await eventTypes(id)).slice(-1)).toEqual(['compaction.completed']);
  });

  it('is to fork at any version', async () => {
    const id = await create({ auto_compact_enabled: false });
    const token = await tokenOf(`/inspect/sessions/${id}`);
    const forked = await post(`/inspect/sessions/${id}/fork`, { token, at: '3', as: 'the-fork' });
    expect(forked.location).toBe('/inspect/sessions/the-fork?done=forked');
    expect((await send(api, 'GET', '/sessions/the-fork')).status).toBe(200);
  });

  it('is to pin an item or a text, and to take the pin away', async () => {
    const id = await create({ auto_compact_enabled: false });
    const session = `/inspect/sessions/${id}`;
    const read = async (path: string) =>
      (await send(api, 'GET', path, { headers: { accept: 'text/html' } })).text;
    const token = await tokenOf(session);
    const item = `${session}/items/3`;
    expect(await read(session)).not.toContain('id="pinned"');
    expect(await read(item)).toContain('Pin this item');
    const pinned = await post(`${session}/pins`, { token, seq: '3' });
    expect(pinned.location).toBe(`${item}?done=pinned`);
    expect(await read(pinned.location)).toContain('It is pinned: it stands word for word');
    const words = { token, text: 'Never touch vendor/.\r\nNor <b>dist</b>.' };
    expect((await post(`${session}/pins`, words)).location).toBe(`${session}?done=pinned`);
    const { body } = await send(api, 'GET', `/sessions/${id}/pins`);
    const pins = body.data as { id: string; seq: number | null; text: string | null }[];
    expect(pins.map(({ seq, text }) => ({ seq, text }))).toEqual([
      { seq: 3, text: null },
      { seq: null, text: 'Never touch vendor/.\nNor <b>dist</b>.' },
    ]);
    const listed = await read(session);
    expect(listed).toContain(`<a href="${item}">item #3</a>`);
    expect(listed).toContain('Never touch vendor/. Nor &lt;b&gt;dist&lt;/b&gt;.');
    expect(await read(item)).not.toContain('Pin this item');
    expect(await read(`${session}/context`)).toContain('</span>pinned</span>');
    // A summary of everything leaves both where they are.
    await compacted(id, { mode: 'full' });
    expect(await read(`${session}/context`)).toContain('Never touch vendor/.');
    const remove = (pin: { id: string } | undefined, fields: Fields = {}) =>
      post(`${session}/pins/${pin?.id}/remove`, { token, ...fields });
    expect((await remove(pins[0], { seq: '3' })).location).toBe(`${item}?done=unpinned`);
    expect((await remove(pins[1])).location).toBe(`${session}?done=unpinned`);
    expect(await read(session)).not.toContain('id="pinned"');
    expect((await send(api, 'GET', `/sessions/${id}/pins`)).body.data).toEqual([]);
    expect((await remove(pins[1])).status).toBe(404);
    for (const fields of [{}, { text: ' \r\n' }, { seq: 'x' }]) {
      expect((await post(`${session}/pins`, { token, ...fields })).status).toBe(400);
    }
    expect((await post(`${session}/pins`, { token, seq: '1' })).status).toBe(404);
    expect((await post(`${session}/pins`, { token: 'forged', seq: '3' })).status).toBe(403);
  });

  it('is to import a transcript, again when it has grown', async () => {
    const lines = [user('Import me, needle-99.'), assistant('Done.')];
    const upload = async (items: object[], token: string) => {
      const form = new FormData();
      form.set('token', token);
      form.set('file', new File([JSON.stringify(items)], 'my chat.json'));
      const headers = { 'sec-fetch-site': 'same-origin' };
      const init = { method: 'POST', body: form, headers, redirect: 'manual' as const };
      const response = await fetch(`${api.url}/inspect/import`, init);
      return {
        status: response.status,
        location: response.headers.get('location'),
        text: await response.text(),
      };
    };
    const token = await tokenOf('/inspect/import');
    expect((await upload(lines, 'forged')).status).toBe(403);
    const first = await upload(lines, token);
    expect(first.location).toBe('/inspect/sessions/my-chat?done=imported');
    const grown = await upload([...lines, user('And more.')], token);
    expect(grown.location).toBe('/inspect/sessions/my-chat?done=imported');
    const { body } = await send(api, 'GET', '/sessions/my-chat');
    expect(body.counts).toMatchObject({ items: 3 });
    const wrong = await upload([{ nothing: 'known' }], token);
    expect(wrong.status).toBe(400);
    expect(wrong.text).toContain('is in no known transcript format');
  });
});

describe('with keys', () => {
  const keys = [
    { name: 'red', key: 'key-of-red' },
    { name: 'blue', key: 'key-of-blue' },
  ];

  it('lets in who has one, to the own sessions only, until the key is taken away', async () => {
    const closed = await startApi({ keys });
    try {
      const html = { accept: 'text/html' };
      const asked = await fetch(`${closed.url}/inspect/sessions/mine`, {
        headers: html,
        redirect: 'manual',
      });
      expect(asked.headers.get('location')).toBe(
        '/inspect/login?next=%2Finspect%2Fsessions%2Fmine',
      );
      const wrong = await post('/inspect/login', { key: 'key-of-nobody' }, {}, closed);
      expect(wrong.status).toBe(401);
      expect(wrong.text).toContain('does not know this key');
      expect(wrong.cookie).toBe('');
      const long = await post('/inspect/login', { key: 'k'.repeat(200_000) }, {}, closed);
      expect(long.status).toBe(413);
      const broken = { key: 'key-of-red', next: '/inspect/\r\nX-Own: 1' };
      expect((await post('/inspect/login', broken, {}, closed)).location).toBe('/');
      const items = { body: [user('Only for red.')], headers: { 'x-api-key': 'key-of-red' } };
      await send(closed, 'POST', '/sessions/mine/items', items);
      const cookieOf = async (key: string) => {
        const { location, cookie } = await post(
          '/inspect/login',
          { key, next: '//evil.test' },
          {},
          closed,
        );
        expect(location).toBe('/');
        expect(cookie).toMatch(/HttpOnly; SameSite=Strict/);
        expect(cookie).not.toContain(key);
        return cookie.split(';')[0] ?? '';
      };
      const [red, blue] = [await cookieOf('key-of-red'), await cookieOf('key-of-blue')];
      const see = (cookie: string, path: string, of = closed) =>
        send(of, 'GET', path, { headers: { ...html, cookie } });
      expect((await see(red, '/')).text).toContain('mine');
      const empty = (await see(blue, '/')).text;
      expect(empty).toContain('No sessions yet');
      expect(empty).toContain('x-palimpsest-key');
      expect((await see(blue, '/inspect/sessions/mine')).status).toBe(404);
      expect((await see(red.replace('red', 'blue'), '/inspect/sessions/mine')).text).toContain(
        'Log in',
      );
      // It opens pages, not the API.
      expect((await see(red, '/sessions/mine')).status).toBe(401);
      const token = await tokenOf('/inspect/sessions/mine', { cookie: red }, closed);
      const mine = '/inspect/sessions/mine/fork';
      expect((await post(mine, { token }, { cookie: blue }, closed)).status).toBe(403);
      expect((await post(mine, { token }, { cookie: red }, closed)).status).toBe(303);
      expect((await post(mine, { token }, {}, closed)).status).toBe(401);
      closed.advance(13 * 3600 * 1000);
      expect((await see(red, '/inspect/sessions/mine')).text).toContain('Log in');
    } finally {
      await closed.close();
    }
    const rotated = await startApi({ keys: [{ name: 'red', key: 'another-key' }] });
    try {
      const { cookie } = await post('/inspect/login', { key: 'another-key' }, {}, rotated);
      expect(cookie).toContain('palimpsest=');
    } finally {
      await rotated.close();
    }
  });

  it('takes no log-in of another key of the same name', async () => {
    const before = await startApi({ keys: [{ name: 'red', key: 'old-key' }] });
    const { cookie } = await post('/inspect/login', { key: 'old-key' }, {}, before);
    await before.close();
    const after = await startApi({ keys: [{ name: 'red', key: 'new-key' }] });
    try {
      const headers = { accept: 'text/html', cookie: cookie.split(';')[0] ?? '' };
      const { text } = await send(after, 'GET', '/', { headers });
      expect(text).toContain('Log in');
    } finally {
      await after.close();
    }
  });
});

it('without the inspector there are no pages', async () => {
  expect(readSettings({}).has_inspector).toBe(true);
  expect(readSettings({ PALIMPSEST_INSPECTOR: 'off' }).has_inspector).toBe(false);
  const bare = await startApi({ hasInspector: false });
  try {
    const headers = { accept: 'text/html' };
    expect((await send(bare, 'GET', '/', { headers })).body).toMatchObject({ name: 'palimpsest' });
    expect((await send(bare, 'GET', '/inspect/import', { headers })).status).toBe(404);
  } finally {
    await bare.close();
  }
});

it('the compaction that is looked at can be cancelled', async () => {
  const id = await create({ auto_compact_enabled: false });
  const token = await tokenOf(`/inspect/sessions/${id}`);
  const { location } = await post(`/inspect/sessions/${id}/compact`, { token });
  const path = location.replace(/\?.*/, '');
  const page = await send(api, 'GET', path, { headers: { accept: 'text/html' } });
  expect(page.text).toContain('it is queued now');
  expect((await post(`${path}/cancel`, { token })).location).toBe(`${path}?done=cancelled`);
  expect(await compacted(id, { mode: 'micro' })).not.toBe('');
});
