import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBrowser } from '../support/browser/open-browser.ts';
import { syntheticSession } from '../support/browser/synthetic-session.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import { startService } from '../support/start-service.ts';

let browser: Browser;
let service: ServiceProcess;
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

beforeAll(async () => {
  browser = await openBrowser();
  service = await startService({ PALIMPSEST_SUMMARIZATION_MODEL: 'extractive' });
});
afterAll(async () => {
  await browser?.close();
  await service?.dispose();
});

/** A page of a browser of its own; what the page itself complains of otherwise makes the test fail. */
async function onPage(
  options: BrowserContextOptions,
  act: (page: Page) => Promise<void>,
  expected: unknown[] = [],
) {
  const context = await browser.newContext({ baseURL: service.url, ...options });
  const complaints: string[] = [];
  try {
    const page = await context.newPage();
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    await act(page);
  } finally {
    await context.close();
  }
  expect(complaints).toEqual(expected);
}

/** What keeps people from using a page, as far as a program can tell. */
async function barriers(page: Page): Promise<string[]> {
  // The policy of the pages allows no script from elsewhere, which this one is.
  const results = (await page.evaluate(
    `${AXE}; axe.run({ resultTypes: ['violations'] })`,
  )) as AxeResults;
  return results.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${page.url()} ${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

const post = (path: string, body: object, headers: Record<string, string> = {}) =>
  fetch(service.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

describe('a newcomer', () => {
  it('imports a transcript, and finds out and undoes what happened to it', async () => {
    await onPage({}, async (page) => {
      await page.goto('/');
      await page.getByText('No sessions yet').waitFor();
      await page.getByLabel(/A file of Claude Code/).setInputFiles({
        name: 'nightly.json',
        mimeType: 'application/json',
        buffer: Buffer.from(JSON.stringify(syntheticSession(160))),
      });
      await page.getByRole('button', { name: 'Import' }).click();
      await page.getByText('The transcript is imported').waitFor();

      // The timeline, and a compaction of it.
      const marks = page.locator('svg.plot a.mark');
      expect(await marks.count()).toBeGreaterThan(0);
      await page.getByRole('link', { name: 'Context' }).first().click();
      await page.getByRole('heading', { name: 'What the model sees now' }).waitFor();

      // The slider shows another version at once.
      await page.getByLabel('Version').focus();
      await page.keyboard.press('Home');
      await page.getByText('the context exactly as it was then').waitFor();
      expect(page.url()).toContain('at=1');
      // And an hour ago, which is before it began.
      await page.getByRole('link', { name: 'an hour ago' }).click();
      await page.getByText('Version 1 of').waitFor();

      // What the service did by itself, and why.
      await page.getByRole('link', { name: 'Timeline' }).click();
      await page
        .getByRole('row')
        .filter({ hasText: 'the context reached its threshold' })
        .first()
        .getByRole('link')
        .click();
      await page.getByText('The service began it by itself').waitFor();

      // A summary, watched while it is made, and the source of one of its facts.
      const summarise = async () => {
        await page.getByRole('link', { name: 'Timeline' }).click();
        await page.getByText('Compact now').first().click();
        await page.getByLabel('How').first().selectOption('full');
        await page.getByRole('button', { name: 'Compact now' }).click();
        await page.getByRole('heading', { name: /Compaction.*summarised/ }).waitFor();
      };
      await summarise();
      await page.getByRole('heading', { name: 'The summary · each source' }).waitFor();
      const compaction = page.url();
      await page.locator('.source a').first().click();
      await page.getByRole('heading', { name: 'Where it is now' }).waitFor();

      // What was cleared or summarised long ago is found.
      await page.getByLabel('Search all sessions').fill('E_CONN_3');
      await page.keyboard.press('Enter');
      await page.locator('mark').first().waitFor();

      // Undone, and made again.
      await page.goto(compaction);
      await page.getByText('Undo this compaction').first().click();
      await page.getByRole('button', { name: 'Undo this compaction' }).click();
      await page.getByText('The compaction is undone').waitFor();
      await summarise();
    });
  });

  it('sees what is appended without loading the page again', async () => {
    await post('/sessions/live/items', { role: 'user', content: 'First.' });
    await onPage({}, async (page) => {
      await page.goto('/inspect/sessions/live');
      await page.getByText('1 item', { exact: true }).waitFor();
      await page.getByRole('status').filter({ hasText: 'live' }).waitFor();
      await post('/sessions/live/items', { role: 'assistant', content: 'Second.' });
      await page.getByText('2 items', { exact: true }).waitFor();
    });
  });

  it('keeps what it shows, and asks again, where it has asked too often', async () => {
    await post('/sessions/often/items', { role: 'user', content: 'First.' });
    const follow = async (page: Page) => {
      await page.goto('/inspect/sessions/often');
      await page.getByRole('status').filter({ hasText: 'live' }).waitFor();
      const body = '<main>Too many requests</main>';
      const refuse = { status: 429, contentType: 'text/html', body };
      await page.route('**/inspect/sessions/often', (route) => route.fulfill(refuse), { times: 1 });
      await post('/sessions/often/items', { role: 'assistant', content: 'Second.' });
      await page.getByRole('status').filter({ hasText: 'tried again' }).waitFor();
      await page.getByText('2 items', { exact: true }).waitFor();
    };
    await onPage({}, follow, [expect.stringContaining('429')]);
  });

  it('takes neither the focus nor a marked text from who reads on', async () => {
    const say = (content: string) => post('/sessions/reading/items', { role: 'user', content });
    await say('First.');
    await onPage({}, async (page) => {
      const status = (hasText: string) => page.getByRole('status').filter({ hasText }).waitFor();
      await page.goto('/inspect/sessions/reading/context');
      await status('live');
      await page.getByRole('link', { name: 'Item 2:' }).focus();
      await say('Second.');
      await page.getByText('Second.').waitFor();
      expect(await page.evaluate('document.activeElement.textContent')).toBe('#2');
      await page.evaluate("getSelection().selectAllChildren(document.querySelector('main pre'))");
      await say('Third.');
      await status('there is news');
      expect(await page.evaluate('getSelection().toString()')).toBe('First.');
      await page.evaluate('getSelection().removeAllRanges()');
      await page.getByText('Third.').waitFor();
    });
  });

  it('follows a session only where somebody looks', async () => {
    const say = (content: string) => post('/sessions/looked-at/items', { role: 'user', content });
    await say('First.');
    await onPage({}, async (page) => {
      const dot = page.locator('.live-dot');
      await page.goto('/inspect/sessions/looked-at/context');
      await dot.filter({ hasText: 'live' }).waitFor();
      const turn = (isHidden: boolean) =>
        page.evaluate(`Object.defineProperty(document, 'hidden', { configurable: true, value: ${isHidden} });
          document.dispatchEvent(new Event('visibilitychange'))`);
      await turn(true);
      await dot.waitFor({ state: 'hidden' });
      await say('Second.');
      await turn(false);
      await page.getByText('Second.').waitFor();
      // Kept by the browser, and gone back to.
      const transition = (type: string) =>
        page.evaluate(`dispatchEvent(new PageTransitionEvent('${type}', { persisted: true }))`);
      await transition('pagehide');
      await say('Third.');
      await transition('pageshow');
      await page.getByText('Third.').waitFor();
      await say('Fourth.');
      await page.getByText('Fourth.').waitFor();
    });
  });

  it('says so when what it follows is gone', async () => {
    await post('/sessions/gone/items', { role: 'user', content: 'First.' });
    const follow = async (page: Page) => {
      const status = (hasText: string) => page.getByRole('status').filter({ hasText });
      await page.goto('/inspect/sessions/gone');
      await status('live').waitFor();
      await fetch(`${service.url}/sessions/gone`, { method: 'DELETE' });
      await status('no longer live').waitFor();
    };
    await onPage({}, follow, [expect.stringContaining('404')]);
  });
});

describe('everybody', () => {
  const session = '/inspect/sessions/walked';
  const LONGEST_ID = 'i'.repeat(128);
  let closed: ServiceProcess;
  beforeAll(async () => {
    closed = await startService({ PALIMPSEST_API_KEYS: 'red:key-of-red' });
    await post('/sessions', { id: 'walked', context_window: 40_000 });
    const items = syntheticSession(90);
    const settled = { prefer: 'wait=60' };
    for (let at = 0; at < items.length; at += 20)
      await post('/sessions/walked/items', items.slice(at, at + 20), settled);
    await post('/sessions/walked/compact', { mode: 'full' }, settled);
    const text = `Keep ${'the/public/api/'.repeat(20)}as it is.`;
    expect((await post('/sessions/walked/pins', { text })).status).toBe(201);
    await post(`/sessions/${LONGEST_ID}/items`, { role: 'user', content: 'Why?' });
  });
  afterAll(() => closed?.dispose());

  /** Each page there is, by its address; also of a service that is empty and asks for keys. */
  const pages = async (page: Page) => {
    await page.goto(session);
    const cells = page.locator('table[class=list] tbody a');
    const links = await cells.evaluateAll((all) => all.map((link) => link.getAttribute('href')));
    const compaction =
      (await cells.filter({ hasText: 'summarised' }).first().getAttribute('href')) ?? '';
    return [
      '/',
      session,
      `${session}?done=pinned`,
      `${session}/context`,
      `${session}/context?at=3`,
      `${session}/log`,
      `${session}/items/3`,
      `${session}/items/5`,
      `${session}/search`,
      `${session}/search?q=parser`,
      `${session}/search?q=nowhere-at-all`,
      compaction,
      `${compaction}/covered`,
      String(links.at(-1)),
      `${session}/dry-run?mode=full`,
      '/inspect/search?q=printer.ts',
      `/inspect/sessions/${LONGEST_ID}`,
      '/inspect/import',
      '/inspect/sessions/nobody',
      `${session}/context?at=x`,
      `${closed.url}/inspect/login`,
    ];
  };

  it.each(['light', 'dark'] as const)(
    'can use each page: axe, %s, on a phone and on a desk',
    async (colorScheme) => {
      const context = await browser.newContext({ baseURL: service.url, colorScheme });
      const see = async (page: Page, path: string) => {
        // 320: a desk at 400 %, and the narrowest of phones.
        for (const width of [320, 390, 1280]) {
          await page.setViewportSize({ width, height: 844 });
          await page.locator('main').waitFor();
          // What is folded away is looked at as well.
          await page.evaluate(
            "document.querySelectorAll('details').forEach((one) => { one.open = true })",
          );
          expect(await barriers(page)).toEqual([]);
          const scroll = await page.evaluate('document.documentElement.scrollWidth');
          expect({ path, scroll }).toEqual({ path, scroll: width });
        }
      };
      try {
        const page = await context.newPage();
        for (const path of await pages(page)) {
          await page.goto(path);
          await see(page, path);
        }
        // Refused, and in: an empty service.
        await page.goto(`${closed.url}/inspect/login`);
        await page.getByLabel('Key').fill('key-of-nobody');
        await page.keyboard.press('Enter');
        await page.getByRole('alert').waitFor();
        await see(page, 'a key that is refused');
        await page.getByLabel('Key').fill('key-of-red');
        await page.keyboard.press('Enter');
        await page.getByText('No sessions yet').waitFor();
        await see(page, 'an empty service');
      } finally {
        await context.close();
      }
    },
    300_000,
  );

  it('does without a script', async () => {
    await onPage({ javaScriptEnabled: false }, async (page) => {
      await page.goto('/inspect/sessions/walked/context?at=3');
      await page.getByText('the context exactly as it was then').waitFor();
      await page.getByRole('button', { name: 'Show' }).click();
      await page.getByRole('link', { name: 'Now', exact: true }).click();
      await page.getByRole('heading', { name: 'What the model sees now' }).waitFor();
    });
  });
});

describe('with keys', () => {
  it('asks who it is, and shows nobody the sessions of another', async () => {
    const closed = await startService({ PALIMPSEST_API_KEYS: 'red:key-of-red,blue:key-of-blue' });
    try {
      await fetch(`${closed.url}/sessions/mine/items`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': 'key-of-red' },
        body: JSON.stringify({ role: 'user', content: 'Only for red.' }),
      });
      await onPage({ baseURL: closed.url }, async (page) => {
        await page.goto('/inspect/sessions/mine');
        await page.getByLabel('Key').fill('key-of-red');
        await page.getByRole('button', { name: 'Log in' }).click();
        await page.getByRole('heading', { name: 'Only for red.' }).waitFor();
        await page.getByRole('button', { name: 'Log out red' }).click();
        await page.getByLabel('Key').fill('key-of-blue');
        await page.getByRole('button', { name: 'Log in' }).click();
        await page.getByText('No sessions yet').waitFor();
      });
    } finally {
      await closed.dispose();
    }
  });
});
