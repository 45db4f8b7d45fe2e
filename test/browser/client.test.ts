import { readFileSync } from 'node:fs';
import { createServer, request as forward } from 'node:http';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ROOT } from '../house/sources.ts';
import { openBrowser } from '../support/browser/open-browser.ts';
import { close, listen } from '../support/listening.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import { startService } from '../support/start-service.ts';

/** A backend as docs/client.md asks for one: it has the page and the modules, and hands on `/api`. */
const backend = createServer((request, response) => {
  const path = request.url ?? '/';
  if (path.startsWith('/api/')) {
    const { method, headers } = request;
    const passed = forward(service.url + path.slice(4), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    passed.once('error', () => response.destroy());
    response.once('close', () => passed.destroy());
    request.pipe(passed);
    return;
  }
  const [, name] = /^\/client\/([\w-]+\.js)$/.exec(path) ?? [];
  if (name === undefined) {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>x</title>');
    return;
  }
  response.writeHead(200, { 'content-type': 'text/javascript' });
  response.end(readFileSync(join(ROOT, 'dist/client', name)));
});

const PROGRAM = `(async () => {
  const { createClient, ProblemError } = await import('/client/client.js');
  const palimpsest = createClient({ url: '/api' });
  const items = [{ role: 'user', content: 'Why does the build fail?' }];
  const { context } = await palimpsest.syncSession({ id: 'page', body: { items } });
  const seen = [];
  const stop = new AbortController();
  for await (const event of palimpsest.follow({ id: 'page', types: 'item.appended' }, stop)) {
    seen.push(event.data.item.content);
    if (seen.length === 2) stop.abort();
    else await palimpsest.appendItems({ id: 'page', body: { role: 'assistant', content: 'A file.' } });
  }
  const read = [];
  for await (const { item } of palimpsest.each('listItems', { id: 'page', limit: 1 })) read.push(item.role);
  const missing = await palimpsest.getSession({ id: 'nobody' }).catch((error) => error);
  const problem = missing instanceof ProblemError && missing.code;
  return { context: context.items.length, seen, read, problem };
})()`;

let browser: Browser;
let service: ServiceProcess;
beforeAll(async () => {
  browser = await openBrowser();
  service = await startService();
});
afterAll(async () => {
  await browser?.close();
  await service?.dispose();
  await close(backend);
});

it('palimpsest/client works in a page as a plain module: calls, pages, events and problems', async () => {
  const page = await browser.newPage();
  await page.goto(await listen(backend));
  expect(await page.evaluate(PROGRAM)).toEqual({
    context: 1,
    seen: ['Why does the build fail?', 'A file.'],
    read: ['user', 'assistant'],
    problem: 'session_not_found',
  });
});
