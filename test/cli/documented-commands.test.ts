import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readText } from '../house/sources.ts';
import { exampleChat } from '../support/example-chat.ts';
import { freePort } from '../support/servers/waiting.ts';

const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));

const page = readText('docs/command-line.md');
const examples = [...page.matchAll(/```console\n([^`]*)```/g)].flatMap(([, block = '']) =>
  block
    .split(/^\$ /m)
    .slice(1)
    .map((one) => {
      const [command = '', ...output] = one.trimEnd().split('\n');
      return { command, output };
    }),
);

let folder: string;
let port: number;
beforeAll(async () => {
  port = await freePort();
  folder = mkdtempSync(join(tmpdir(), 'palimpsest-examples-'));
  writeFileSync(join(folder, 'chat-7.json'), exampleChat());
});
afterAll(() => rmSync(folder, { recursive: true }));

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
/** What stands for this id on the page. */
const PRINTED = '01936f5e-7d0a-7c2e-9d5b-0b5f3c1d2e4f';
let realId = PRINTED;

/** A line as the page has it: with its id, and with the time of its examples. */
function asPrinted(line: string): string {
  return line
    .replace(UUID, PRINTED)
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d/g, '2026-01-02 03:04')
    .replaceAll(folder, '/var/lib/palimpsest')
    .replace(/[\d,]+ MB free/, '76,886 MB free')
    .replace(`${port} of`, '8787 of');
}

/** Runs a line of the page in a shell, as on a terminal of 80 columns. */
function run(command: string): ChildProcess & { output: () => string } {
  const [words = '', ...rest] = command.replaceAll(PRINTED, realId).split(' -- ');
  const isReading = /^palimpsest (?:list|show|context|diff|search|compact|revert|doctor|trace)\b/;
  const isOpen = isReading.test(words) && !/ --(?:json|text)\b/.test(words);
  const asked = [isOpen ? `${words} --text` : words, ...rest].join(' -- ');
  // The shell is replaced: a signal reaches the command.
  const start = asked.includes(' | ') ? '' : 'exec ';
  const line = asked.replace(/^palimpsest/, `${start}"${process.execPath}" "${CLI}"`);
  // Through one pipe, as on a terminal: of two nobody knows what came first.
  const child = spawn('sh', ['-c', `exec 2>&1; ${line}`], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      COLUMNS: '80',
      PORT: String(port),
      LOG_LEVEL: 'silent',
      DATABASE_URL: `file:${join(folder, 'palimpsest.db')}`,
      PALIMPSEST_THREADS: '0',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (piece: string) => (text += piece));
  return Object.assign(child, { output: () => text });
}

describe('docs/command-line.md', () => {
  it('has examples of every command that reads, and of those that keep a session', () => {
    const shown = new Set(examples.map(({ command }) => command.split(' ')[1]));
    const all =
      'doctor import list sync compact show diff trace context search revert verify reindex export';
    expect(all.split(' ').filter((name) => !shown.has(name))).toEqual([]);
  });

  // In the order of the page: each begins with what the one before has left.
  it.each(examples)('$command', async ({ command, output }) => {
    const child = run(command);
    if (command.includes('--watch')) {
      child.stdout?.once('data', () => child.kill('SIGINT'));
    }
    const code = await new Promise((resolve) => child.once('close', resolve));
    const lines = child
      .output()
      .trimEnd()
      .split('\n')
      .filter((line, index) => line !== '' || index > 0);
    realId = child.output().match(UUID)?.[0] ?? realId;
    // A line of `…` stands for the rest.
    const open = output.findIndex((line) => line.trim() === '…');
    const printed = open < 0 ? output : output.slice(0, open);
    const actual = lines.map(asPrinted);
    expect(open < 0 ? actual : actual.slice(0, open)).toEqual(printed);
    expect(code).toBe(0);
  });
});
