// The pictures of the docs: real pages of a made-up session, in docs/images.
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { openBrowser } from '../test/support/browser/open-browser.ts';
import { syntheticSession } from '../test/support/browser/synthetic-session.ts';
import { ServiceProcess } from '../test/support/service-process.ts';

const FOLDER = fileURLToPath(new URL('../docs/images/', import.meta.url));
const SIZE = { width: 1200, height: 860 };

mkdirSync(FOLDER, { recursive: true });
const service = await ServiceProcess.start({ PALIMPSEST_SUMMARIZATION_MODEL: 'extractive' });
const browser = await openBrowser();
try {
  const post = async (path: string, body: object) => {
    const answer = await fetch(service.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', prefer: 'wait=60' },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
  };
  const session = '/sessions/nightly-build';
  await post('/sessions', { id: 'nightly-build', context_window: 40_000 });
  const items = syntheticSession(90);
  for (let at = 0; at < items.length; at += 8)
    await post(`${session}/items`, items.slice(at, at + 8));
  await post(`${session}/compact`, { mode: 'full' });
  await post(`${session}/items`, syntheticSession(6));

  const shoot = async (name: string, path: string, colorScheme: 'light' | 'dark' = 'light') => {
    const page = await browser.newPage({ baseURL: service.url, viewport: SIZE, colorScheme });
    await page.goto(path);
    if (name === 'compaction') {
      await page.locator('table tbody a').first().click();
      await page.getByRole('heading', { name: 'Before and after' }).waitFor();
    }
    await page.screenshot({ path: `${FOLDER}${name}.png` });
    await page.close();
  };
  await shoot('timeline', `/inspect${session}`);
  await shoot('context', `/inspect${session}/context`, 'dark');
  await shoot('compaction', `/inspect${session}`);
} finally {
  await browser.close();
  await service.dispose();
}
