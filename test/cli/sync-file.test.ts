import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type ImportFlags, importFile } from '../../src/cli/import-files.ts';
import { syncFile } from '../../src/cli/sync-file.ts';
import { remoteTarget } from '../../src/cli/target.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import { type ApiServer, send, startApi } from '../support/api-server.ts';

let api: ApiServer;
const folder = mkdtempSync(join(tmpdir(), 'palimpsest-sync-'));
beforeAll(async () => {
  api = await startApi();
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await api.close();
});

const said: string[] = [];
beforeEach(() => {
  said.length = 0;
  vi.spyOn(console, 'log').mockImplementation((line: string) => said.push(line));
  vi.spyOn(console, 'error').mockImplementation((line: string) => said.push(line));
});

const flags: ImportFlags = { json: true };
const place = { target: async () => remoteTarget(api.url) };
const imported = (file: string) => importFile(place, file, flags);

/** Lines of a Claude Code session, a minute apart. */
function lines(...texts: string[]): string {
  return texts
    .map((text, index) => {
      const role = index % 2 === 0 ? 'user' : 'assistant';
      return JSON.stringify({
        type: role,
        uuid: `u${index}`,
        parentUuid: index === 0 ? null : `u${index - 1}`,
        timestamp: `2026-01-01T00:0${index}:00.000Z`,
        message: { role, content: text },
      });
    })
    .map((line) => `${line}\n`)
    .join('');
}

async function logOf(id: string): Promise<{ text: unknown; occurred_at: unknown }[]> {
  const reply = await send(api, 'GET', `/sessions/${id}/events?types=item.appended`);
  const events = reply.body.data as { data: { item: JsonObject; occurred_at?: string } }[];
  return events.map(({ data }) => ({ text: data.item.content, occurred_at: data.occurred_at }));
}

describe('import', () => {
  it('continues a transcript that has grown, and keeps when it was said', async () => {
    const file = join(folder, 'grown.jsonl');
    writeFileSync(file, lines('Why?', 'Because.'));
    expect(await imported(file)).toBe(true);
    expect(await imported(file)).toBe(true);
    writeFileSync(file, lines('Why?', 'Because.', 'And then?', 'Nothing.'));
    expect(await imported(file)).toBe(true);
    expect(said.map((line) => JSON.parse(line))).toMatchObject([
      { id: 'grown', items: 2 },
      { id: 'grown', items: 2, appended: 0 },
      { id: 'grown', items: 4, appended: 2 },
    ]);
    expect(await logOf('grown')).toEqual([
      { text: 'Why?', occurred_at: '2026-01-01T00:00:00.000Z' },
      { text: 'Because.', occurred_at: '2026-01-01T00:01:00.000Z' },
      { text: 'And then?', occurred_at: '2026-01-01T00:02:00.000Z' },
      { text: 'Nothing.', occurred_at: '2026-01-01T00:03:00.000Z' },
    ]);
  });

  it('refuses a transcript of another past under the same name', async () => {
    const file = join(folder, 'other.jsonl');
    writeFileSync(file, lines('Why?', 'Because.'));
    await imported(file);
    writeFileSync(file, lines('How?', 'So.', 'I see.'));
    expect(await imported(file)).toBe(false);
    expect(said.at(-1)).toContain(
      `${file}: 409: the history is another one than that of session "other" after version 1`,
    );
    expect(await logOf('other')).toHaveLength(2);
  });
});

describe('sync', () => {
  it('goes on in a fork where the past was changed', async () => {
    const file = join(folder, 'forked.jsonl');
    writeFileSync(file, lines('Why?', 'Because.'));
    await syncFile(place, file, flags, null);
    writeFileSync(file, lines('How?', 'So.', 'I see.'));
    expect(await syncFile(place, file, flags, null)).toBe(true);
    expect(JSON.parse(said.at(-1) ?? '')).toMatchObject({
      id: expect.stringMatching(/^forked-[0-9a-f]{16}$/),
      items: 3,
    });
  });

  it('follows a file that grows, until it is told to end', async () => {
    const file = join(folder, 'watched.jsonl');
    writeFileSync(file, lines('Why?'));
    const stop = new AbortController();
    const followed = syncFile(place, file, flags, stop.signal);
    await vi.waitFor(() => expect(said).toHaveLength(1), 20_000);
    const [, ...rest] = lines('Why?', 'Because.', 'Ah.').split('\n');
    appendFileSync(file, rest.join('\n'));
    await vi.waitFor(async () => expect(await logOf('watched')).toHaveLength(3), 20_000);
    stop.abort();
    expect(await followed).toBe(true);
  });
});
