import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiServer, send, startApi } from '../support/api-server.ts';
import { call, result, user } from '../support/items.ts';
import { connectMcp, type McpClient } from '../support/mcp-client.ts';
import { palimpsest } from '../support/palimpsest-command.ts';

const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'palimpsest-mcp-'));

let api: ApiServer;
beforeAll(async () => {
  api = await startApi({ keys: [{ name: 'alice', key: 'key-of-alice' }] });
  await send(api, 'POST', '/sessions/s/items', {
    body: [user('Read.'), call('t1', 'Read'), result('t1', 'The original.')],
    headers: { 'x-api-key': 'key-of-alice' },
  });
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await api.close();
});

function started(args: string[], environment: Record<string, string>): Promise<McpClient> {
  const env = { PATH: process.env.PATH ?? '', LOG_LEVEL: 'silent', ...environment };
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [CLI, 'mcp', ...args],
    env,
  });
  return connectMcp(transport);
}

function runMcp() {
  return spawn(process.execPath, [CLI, 'mcp', 's', '--url', api.url], {
    env: { PATH: process.env.PATH ?? '', PALIMPSEST_API_KEY: 'key-of-alice' },
  });
}

describe('palimpsest mcp', () => {
  it('passes the calls of a client on to the service', async () => {
    const mcp = await started(['s', '--url', api.url], { PALIMPSEST_API_KEY: 'key-of-alice' });
    expect((await mcp.client.listTools()).tools.map(({ name }) => name)).toContain('recall');
    const told = await Promise.all(
      Array.from({ length: 20 }, () => mcp.call('recall', { tool_use_id: 't1' })),
    );
    for (const { text } of told) expect(text).toMatch(/, result of t1\]\nThe original\.$/);
    expect(await mcp.call('recall', {})).toMatchObject({ isError: true });
    await mcp.close();
  });

  it('says to the client what is wrong with the way to the service', async () => {
    await expect(started(['s', '--url', api.url], { PALIMPSEST_API_KEY: 'wrong' })).rejects.toThrow(
      'the server does not know this key',
    );
    await expect(started(['s', '--url', 'http://127.0.0.1:9'], {})).rejects.toThrow(
      'cannot be reached',
    );
  });

  it('opens the store where no service is named', async () => {
    const environment = { DATABASE_URL: `file:${join(folder, 'palimpsest.db')}` };
    const file = join(import.meta.dirname, '../fixtures/transcripts/claude-code.jsonl');
    const imported = await palimpsest(['import', file, '--json'], environment);
    const { id } = JSON.parse(imported.stdout.split('\n')[0] ?? '');
    const mcp = await started([id], { ...environment, PALIMPSEST_THREADS: '0' });
    expect((await mcp.call('recall', { items: '2' })).text).toMatch(/^\[item 2, /);
    await mcp.close();
  });

  it('gives up a message that does not end, and says so on one line', async () => {
    const run = runMcp();
    const told = text(run.stderr);
    // It ends before all of it is read.
    run.stdin.on('error', () => {});
    run.stdin.write(`"\x1b[31m${'x'.repeat(11_000_000)}`);
    const [code] = await once(run, 'exit');
    expect(code).toBe(1);
    const lines = (await told).trimEnd().split('\n');
    expect(lines.at(-1)).toBe('the input was given up: a message of it does not end');
    expect(lines.join('')).not.toContain('\x1b');
  });

  it('answers a last line that does not end', async () => {
    const run = runMcp();
    const told = text(run.stdout);
    run.stdin.end(JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'ping' }));
    expect(JSON.parse(await told)).toEqual({ jsonrpc: '2.0', id: 7, result: {} });
  });

  it('refuses what cannot be a session', async () => {
    const { code, stderr } = await palimpsest(['mcp', 'a/b']);
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('"a/b" cannot be the id'),
    });
  });
});
