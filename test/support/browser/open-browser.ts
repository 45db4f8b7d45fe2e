import { type Browser, chromium } from 'playwright-core';
import { chromiumPath } from '../servers/chromium.ts';

/** A browser that asks nobody but the pages under test. */
export async function openBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: await chromiumPath(),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}
