import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type Anthropic from '@anthropic-ai/sdk';
import type OpenAI from 'openai';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { GatewayLab } from '../../support/gateway/lab.ts';

const ROOT = join(import.meta.dirname, '../../..');
const PAGE = readFileSync(join(ROOT, 'docs/gateway.md'), 'utf8');

let lab: GatewayLab;
beforeEach(async () => {
  lab = await GatewayLab.open();
});
afterEach(() => lab.close());

/** The code of the page in a language, with the address of the lab in place of the service's. */
function code(language: string): string[] {
  const blocks = PAGE.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'));
  return [...blocks].map(([, block]) => (block ?? '').replaceAll('http://127.0.0.1:8787', lab.url));
}

it('the lines for TypeScript work', async () => {
  const [lines] = code('ts');
  const folder = await mkdtemp(join(ROOT, 'node_modules', '.gateway-docs-'));
  try {
    // The SDKs take their keys from the environment, which a test has not.
    const keyed = lines?.replaceAll('({ baseURL', "({ apiKey: 'sk-own', baseURL");
    const file = join(folder, 'page.mjs');
    await writeFile(file, `${keyed}\nexport { anthropic, openai };\n`);
    const page: { anthropic: Anthropic; openai: OpenAI } = await import(/* @vite-ignore */ file);
    const messages = [{ role: 'user' as const, content: 'Hello' }];
    const message = await page.anthropic.messages.create({ model: 'm', max_tokens: 9, messages });
    expect(message.content).toMatchObject([{ text: 'Done.' }]);
    const completion = await page.openai.chat.completions.create({ model: 'm', messages });
    expect(completion.choices[0]?.message.content).toBe('Done.');
  } finally {
    await rm(folder, { recursive: true });
  }
});

it('the lines for Python name the same addresses', () => {
  const urls = (text: string | undefined) => text?.match(/http:[^'"]+/g);
  expect(urls(code('python')[0])).toEqual(urls(code('ts')[0]));
});

/** What the lines for curl print. */
async function printed(place: number): Promise<string> {
  const lines = code('bash').filter((block) => block.startsWith('curl'))[place] ?? '';
  const { stdout } = await promisify(execFile)('sh', ['-c', lines], {
    env: { PATH: process.env.PATH, OPENAI_API_KEY: 'sk-own' },
  });
  return stdout;
}

it('the lines for curl that switch recall on work', async () => {
  expect(await printed(1)).toContain('Done.');
  expect(JSON.stringify(lab.provider.received[0]?.body.tools)).toContain('palimpsest_recall');
});

it('the lines for curl work', async () => {
  const stdout = await printed(0);
  expect(stdout).toMatch(/palimpsest-status: forwarded/);
  expect(stdout).toContain('Done.');
  expect(lab.provider.received[0]?.headers.authorization).toBe('Bearer sk-own');
});
