import type { Browser, FileChooser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openBrowser } from '../support/browser/open-browser.ts';
import { syntheticSession } from '../support/browser/synthetic-session.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import { startService } from '../support/start-service.ts';

/** Everything that the pages are for, done with the keys of a keyboard and nothing else. */

let browser: Browser;
let service: ServiceProcess;
let page: Page;

beforeAll(async () => {
  browser = await openBrowser();
  service = await startService({ PALIMPSEST_SUMMARIZATION_MODEL: 'extractive' });
  page = await browser.newPage({ baseURL: service.url });
});
afterAll(async () => {
  await browser?.close();
  await service?.dispose();
});

/** What has the focus: its element, what it is called, and whether one sees that it has it. */
const FOCUSED = `(() => {
  const one = document.activeElement;
  const name = one.getAttribute('aria-label') ?? one.labels?.[0]?.textContent ?? one.textContent ?? '';
  const { outlineStyle, outlineWidth } = getComputedStyle(one);
  const isSeen = outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2;
  return { tag: one.tagName.toLowerCase(), name: name.trim(), isSeen };
})()`;
type Focused = { tag: string; name: string; isSeen: boolean };

/** Presses Tab until an element of this name has the focus. */
async function tabTo(tag: string, name: string | RegExp): Promise<void> {
  const passed: string[] = [];
  for (let step = 0; step < 150; step++) {
    await page.keyboard.press('Tab');
    const now = (await page.evaluate(FOCUSED)) as Focused;
    if (now.tag === 'body') continue;
    expect(now).toMatchObject({ isSeen: true });
    passed.push(`${now.tag} ${now.name.slice(0, 40)}`);
    const isIt = typeof name === 'string' ? now.name === name : name.test(now.name);
    if (now.tag === tag && isIt) return;
  }
  throw new Error(`Tab never comes to ${tag} ${name}: ${passed.join(', ')}`);
}

const press = (key: string) => page.keyboard.press(key);
const sees = (text: string | RegExp) => page.getByText(text).first().waitFor();
const heading = (name: string | RegExp) => page.getByRole('heading', { name }).first().waitFor();

it('imports a transcript', async () => {
  // Asked for before everything else: a key that overtakes the browser's taking note of it opens a real dialogue.
  const chosen = new Promise<FileChooser>((resolve) => page.once('filechooser', resolve));
  await page.goto('/');
  await press('Tab');
  expect(await page.evaluate(FOCUSED)).toMatchObject({ name: 'Skip to the content' });
  await press('Enter');
  await tabTo('input', /A file of Claude Code/);
  await press('Space');
  await (await chosen).setFiles({
    name: 'nightly.json',
    mimeType: 'application/json',
    buffer: Buffer.from(JSON.stringify(syntheticSession(120))),
  });
  await tabTo('button', 'Import');
  await press('Enter');
  await sees('The transcript is imported');
});

it('asks what a compaction would do', async () => {
  await tabTo('summary', 'Dry run');
  await press('Enter');
  await tabTo('select', 'How');
  await page.keyboard.type('summarise');
  await tabTo('button', 'Try');
  await press('Enter');
  await heading('It would summarise');
});

it('moves the slider', async () => {
  await tabTo('a', 'Context');
  await press('Enter');
  await heading('What the model sees now');
  await tabTo('input', 'Version');
  await press('ArrowLeft');
  await sees('the context exactly as it was then');
  const at = Number(/at=(\d+)/.exec(page.url())?.[1]);
  // The slider keeps the focus on what is shown anew.
  await press('ArrowLeft');
  await expect.poll(() => page.url()).toContain(`at=${at - 1}`);
});

it('compacts', async () => {
  await tabTo('a', 'Timeline');
  await press('Enter');
  await heading('Tokens over versions');
  await tabTo('summary', 'Compact now');
  await press('Enter');
  await tabTo('select', 'How');
  await page.keyboard.type('summarise');
  await tabTo('button', 'Compact now');
  await press('Enter');
  await heading(/Compaction.*summarised/);
});

it('opens a compaction from the chart, and what it took away', async () => {
  await tabTo('a', 'Timeline');
  await press('Enter');
  await heading('Tokens over versions');
  await tabTo('a', /^Compaction at version/);
  await press('Enter');
  await heading('Before and after');
  await tabTo('a', /^#\d+$/);
  await press('Enter');
  await heading('Where it is now');
  await tabTo('a', 'by this compaction');
  await press('Enter');
  await heading('Before and after');
});

it('undoes it', async () => {
  await tabTo('summary', 'Undo this compaction');
  await press('Enter');
  await tabTo('button', 'Undo this compaction');
  await press('Enter');
  await sees('The compaction is undone');
});

it('searches, and pins what it has found', async () => {
  await tabTo('input', 'Search all sessions');
  await page.keyboard.type('E_CONN_3');
  await press('Enter');
  await page.locator('mark').first().waitFor();
  await tabTo('a', /#\d+$/);
  await press('Enter');
  await heading('Where it is now');
  await tabTo('summary', 'Pin this item');
  await press('Enter');
  await tabTo('button', 'Pin this item');
  await press('Enter');
  await sees('It is pinned: it stands word for word');
  await tabTo('summary', 'Unpin');
  await press('Enter');
  await tabTo('button', 'Unpin');
  await press('Enter');
  await sees('It is pinned no more');
});
