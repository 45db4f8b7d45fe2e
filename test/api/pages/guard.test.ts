import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApp } from '../../../src/api/create-app.ts';
import { type ApiServer, send, startApi } from '../../support/api-server.ts';
import { user } from '../../support/items.ts';

/** SPEC 2, section 27: the guard of `Host` and `Origin` covers pages, `/mcp` and the gateway. */

let api: ApiServer;
let app: ReturnType<typeof createApp>;
beforeAll(async () => {
  api = await startApi();
  app = createApp(api.deps);
  await send(api, 'POST', '/sessions/s/items', { body: [user('Hello')] });
});
afterAll(() => api.close());

const HERE = 'http://127.0.0.1:8787';
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

async function statusOf(path: string, init: RequestInit = {}, site = HERE): Promise<number> {
  return (await app.request(new Request(site + path, init))).status;
}

/** Each form that the pages have, with an address in place of its pattern. */
function forms(): string[] {
  const paths = app.routes
    .filter(({ method, path }) => method === 'POST' && path.startsWith('/inspect/'))
    .map(({ path }) => path.replace(':id', 's').replace(':cid', 'c').replace(':pin_id', 'p'));
  return [...new Set(paths)];
}

describe('without keys', () => {
  it.each([
    ['GET', '/'],
    ['GET', '/inspect/import'],
    ['GET', '/inspect/search'],
    ['GET', '/inspect/sessions/s'],
    ['GET', '/inspect/sessions/s/live?after=1'],
    ['GET', '/inspect/no-such-page'],
    ['POST', '/inspect/sessions/s/compact'],
    ['POST', '/mcp'],
    ['POST', '/mcp/s'],
    ['POST', '/v1/messages'],
    ['POST', '/v1/responses'],
    ['POST', '/v1/chat/completions'],
    ['GET', '/sessions'],
  ])('%s %s is for this machine, and for no page of another', async (method, path) => {
    const init = { method, headers: { accept: 'text/html' } };
    // A name of somebody else's that leads to this machine.
    expect(await statusOf(path, init, 'http://rebound.example:8787')).toBe(403);
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
    ]) {
      const status = await statusOf(path, { method, headers: { ...init.headers, ...headers } });
      expect({ headers, status }).toEqual({ headers, status: 403 });
    }
  });

  it('each form refuses what has no token, and what comes from elsewhere', async () => {
    const own = { ...FORM, 'sec-fetch-site': 'same-origin' };
    const found = forms();
    expect(found.length).toBeGreaterThan(9);
    for (const path of found) {
      const foreign = { ...FORM, origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'same-site' };
      const status = await statusOf(path, { method: 'POST', headers: foreign, body: 'token=x' });
      expect({ path, status }).toEqual({ path, status: 403 });
      // Whoever logs in has no token yet.
      if (path === '/inspect/login') continue;
      const upload = new FormData();
      upload.set('file', new File(['[]'], 'chat.json'));
      const isUpload = path === '/inspect/import';
      const init = isUpload
        ? { body: upload, headers: { 'sec-fetch-site': 'same-origin' } }
        : { body: 'seq=2', headers: own };
      const forged = await statusOf(path, { method: 'POST', ...init });
      expect({ path, forged }).toEqual({ path, forged: 403 });
    }
    const { body } = await send(api, 'GET', '/sessions/s');
    expect(body.version).toBe(2);
  });
});
