import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { openBrowser } from '../support/browser/open-browser.ts';
import { ScriptedAgent } from '../support/browser/scripted-agent.ts';
import { syntheticSession } from '../support/browser/synthetic-session.ts';
import { ScriptedProvider } from '../support/gateway/provider.ts';
import { ServiceProcess } from '../support/service-process.ts';

/**
 * An agent has worked through the gateway for two hours and was compacted again and again. A person who
 * was not there asks the pages what happened, and looks at nothing else.
 */

const NAME = 'nightly-build';
const HEADERS = { 'x-palimpsest-session': NAME, 'x-palimpsest-context-window': '25000' };
const CLOCK = new URL('../support/shifted-clock.mjs', import.meta.url).href;
const TWO_HOURS_MS = 7_200_000;
const ROUNDS = 64;

let provider: ScriptedProvider;
let earlier: ServiceProcess;
let service: ServiceProcess;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  provider = await ScriptedProvider.start();
  const agent = new ScriptedAgent(provider, syntheticSession(ROUNDS));
  const variables = {
    PALIMPSEST_SUMMARIZATION_MODEL: 'extractive',
    PALIMPSEST_UPSTREAM_ANTHROPIC: provider.url,
  };
  const shifted = `--import=${CLOCK}?ms=${-TWO_HOURS_MS}`;
  earlier = await ServiceProcess.start({ ...variables, NODE_OPTIONS: shifted });
  await agent.workUntil(Math.floor(agent.steps / 2), earlier.url, HEADERS);
  await hasSettled(earlier, agent.lastMark);
  await earlier.stop();
  const store = `file:${earlier.folder}/palimpsest.db`;
  service = await ServiceProcess.start({ ...variables, DATABASE_URL: store });
  await agent.workUntil(agent.steps, service.url, HEADERS);
  await hasSettled(service, agent.lastMark);
  browser = await openBrowser();
  page = await browser.newPage({ baseURL: service.url });
});
afterAll(async () => {
  await browser?.close();
  await service?.dispose();
  await earlier?.dispose();
  await provider?.close();
});

const sessionsSchema = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      version: z.number(),
      running_compaction: z.unknown().nullable(),
    }),
  ),
});

/**
 * The last answer is in the log, which decides at once whether to compact, and nothing is under way: from
 * here on nothing changes by itself.
 */
async function hasSettled({ url }: ServiceProcess, lastMark: string): Promise<void> {
  const settled = async () => {
    const listed = await (await fetch(`${url}/sessions`)).json();
    const [session] = sessionsSchema.parse(listed).data;
    if (session === undefined) throw new Error('there is no session');
    expect(session.running_compaction).toBeNull();
    const after = Math.max(0, session.version - 10);
    const items = await fetch(`${url}/sessions/${session.id}/items?after=${after}`);
    const isRecorded = (await items.text()).includes(JSON.stringify(lastMark));
    expect({ lastMark, isRecorded }).toEqual({ lastMark, isRecorded: true });
  };
  await vi.waitFor(settled, { timeout: 30_000, interval: 100 });
}

const heading = (name: string | RegExp) => page.getByRole('heading', { name });
const tab = (name: string) =>
  page.getByRole('navigation', { name: 'Session' }).getByRole('link', { name });
/** What a term of a list of terms is told to be. */
const told = (term: string) => page.locator(`dt:text-is("${term}") + dd`).innerText();

/** The rows of the table of compactions, newest first. */
const compactions = () => page.getByRole('table', { name: /Compactions/ }).locator('tbody tr');

async function openSession(): Promise<void> {
  await page.goto('/');
  await page.getByRole('row').filter({ hasText: NAME }).getByRole('link').first().click();
  await heading('Tokens over versions').waitFor();
}

/** Opens the newest compaction that this has come of. */
async function openCompaction(outcome: string): Promise<void> {
  await openSession();
  await compactions().filter({ hasText: outcome }).first().getByRole('link').click();
  await heading('Why').waitFor();
}

it('was it compacted, when and why?', async () => {
  await openSession();
  expect(await compactions().count()).toBeGreaterThan(3);
  for (const row of await compactions().all()) {
    expect(await row.innerText()).toContain('by itself');
    expect(await row.innerText()).toContain('the context reached its threshold');
    expect(await row.locator('time').getAttribute('datetime')).toMatch(/^\d{4}-\d\d-\d\dT/);
  }
  await openCompaction('summarised');
  await page.getByText('The service began it by itself').waitFor();
  expect(await told('reason')).toBe('the context reached its threshold');
});

it('what was cleared?', async () => {
  await openCompaction('results cleared');
  const list = page.locator('.side').first().locator('.pieces li');
  await page.getByText(/\d+ tool results? cleared or shortened/).waitFor();
  const place = await list.first().getByRole('link').innerText();
  await list.first().getByRole('link').click();
  await heading(`${place} tool result`).waitFor();
  await page.getByText('result replaced by a digest').first().waitFor();
  // The original stands below, whole.
  await page.getByText(/= compute\(59, "src/).waitFor();
});

it('what does the summary say, and where does each fact come from?', async () => {
  await openCompaction('summarised');
  const summary = page.locator('.summary-text');
  const line = summary.locator('p', { hasText: 'E_CONN_' }).first();
  const [error = ''] = /E_CONN_\d+/.exec(await line.innerText()) ?? [];
  expect(error).not.toBe('');
  const sources = line.locator('.source a');
  const found: string[] = [];
  const addresses: (string | null)[] = [];
  for (const source of await sources.all()) addresses.push(await source.getAttribute('href'));
  for (const address of addresses) {
    await page.goto(String(address));
    found.push(await page.locator('.entry').innerText());
  }
  expect(found.some((original) => original.includes(error))).toBe(true);
});

it('what did it cost, and what does it save?', async () => {
  await openCompaction('summarised');
  expect(await told('written by')).toBe('extractive');
  expect(await told('cost')).toBe('$0');
  expect(await told('saves per call')).toMatch(/^[\d,]+ tokens, \$0\.\d+$/);
  await openSession();
  expect(await told('Saved so far')).toMatch(/^[\d,]+ tokens not sent again$/);
});

it('what does the model see now?', async () => {
  await openSession();
  await tab('Context').click();
  await heading('What the model sees now').waitFor();
  await heading(/^[\d,]+ of 25,000 tokens/).waitFor();
  await page.getByRole('link', { name: 'this compaction' }).waitFor();
  // It begins with the summary, and ends with what was said last.
  await page.locator('.entry .tag.summarised', { hasText: 'summary' }).first().waitFor();
  await page.getByRole('link', { name: 'the newest' }).click();
  await page.locator('.entry', { hasText: 'The build is green again' }).waitFor();
});

it('what did it see an hour ago?', async () => {
  await openSession();
  await tab('Context').click();
  await page.getByRole('link', { name: 'an hour ago' }).click();
  await page.getByText('the context exactly as it was then').waitFor();
  await page.getByRole('link', { name: 'the newest' }).click();
  await page.waitForURL(/[?&]page=/);
  // The first half of the work was done two hours ago.
  const steps = page.locator('.entry', { hasText: /Step \d+: I look at/ });
  const at = /Step (\d+):/.exec(await steps.last().innerText())?.[1];
  expect(Math.abs(Number(at) - ROUNDS / 2)).toBeLessThan(3);
});

it('where is this file name now?', async () => {
  await openSession();
  await tab('Search').click();
  await page.getByLabel(/Words/).fill('printer.ts');
  await page.getByLabel('Where it is now').selectOption('summarised');
  await page.getByRole('button', { name: 'Search' }).click();
  await heading(/found/).waitFor();
  expect(await page.locator('mark').first().innerText()).toContain('printer');
  await page.locator('.entry').first().getByRole('link').first().click();
  await page.getByText('The model sees it only as far as a summary tells of it').waitFor();
});

it('can it be undone?', async () => {
  await openSession();
  await tab('Context').click();
  const compacted = await contextTokens();
  await page.getByRole('link', { name: 'this compaction' }).click();
  await page.locator('summary', { hasText: 'Undo this compaction' }).click();
  const undone = new URL(page.url()).pathname;
  await page.getByRole('button', { name: 'Undo this compaction' }).click();
  await page.getByText('The compaction is undone').waitFor();
  await heading(/reverted/).waitFor();
  await tab('Context').click();
  expect(await contextTokens()).toBeGreaterThan(compacted);
  expect(await page.locator(`a[href="${undone}"]`).count()).toBe(0);
});

async function contextTokens(): Promise<number> {
  const words = await heading(/^[\d,]+ of 25,000 tokens/).innerText();
  return Number(words.replace(/ .*/s, '').replaceAll(',', ''));
}
