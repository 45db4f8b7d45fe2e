import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { freshDatabase } from '../support/servers/fresh.ts';
import { freePort } from '../support/servers/waiting.ts';
import { ServiceProcess } from '../support/service-process.ts';

const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
const WAIT = { timeout: 30_000, interval: 100 };
const itemsSchema = z.object({
  data: z.array(z.object({ item: z.object({ content: z.string() }) })),
});

const folder = mkdtempSync(join(tmpdir(), 'palimpsest-watch-'));
let service: ServiceProcess | null = null;
let watching: ChildProcess | null = null;
afterEach(async () => {
  watching?.kill('SIGKILL');
  await service?.dispose();
  rmSync(folder, { recursive: true, force: true });
});

/** A line of a Claude Code session. */
function line(index: number, content: string): string {
  const role = index % 2 === 0 ? 'user' : 'assistant';
  const parentUuid = index === 0 ? null : `u${index - 1}`;
  const timestamp = `2026-01-01T00:0${index}:00.000Z`;
  return `${JSON.stringify({ type: role, uuid: `u${index}`, parentUuid, timestamp, message: { role, content } })}\n`;
}

describe('sync --watch against a service on PostgreSQL', () => {
  it('follows a file over a restart of the service, and doubles and loses nothing', async () => {
    const { url: database, drop } = await freshDatabase();
    // It has to come back where it was.
    const port = String(await freePort());
    service = await ServiceProcess.start({ DATABASE_URL: database, PORT: port }, drop);
    const { url } = service;
    const said = async () => {
      const answer = await fetch(`${url}/sessions/watched/items`);
      return answer.ok
        ? itemsSchema.parse(await answer.json()).data.map(({ item }) => item.content)
        : [];
    };
    const file = join(folder, 'watched.jsonl');
    writeFileSync(file, line(0, 'Why?') + line(1, 'Because.'));
    watching = spawn(process.execPath, [CLI, 'sync', file, '--watch', '--json'], {
      env: { PATH: process.env.PATH, PALIMPSEST_URL: url },
      stdio: 'ignore',
    });
    await vi.waitFor(async () => expect(await said()).toEqual(['Why?', 'Because.']), WAIT);
    appendFileSync(file, line(2, 'And then?'));
    await vi.waitFor(async () => expect(await said()).toHaveLength(3), WAIT);
    await service.stop();
    // Nobody hears of this one.
    appendFileSync(file, line(3, 'Nothing.'));
    await service.restart();
    appendFileSync(file, line(4, 'I see.'));
    const all = ['Why?', 'Because.', 'And then?', 'Nothing.', 'I see.'];
    await vi.waitFor(async () => expect(await said()).toEqual(all), WAIT);
    watching.kill('SIGINT');
    expect(await once(watching, 'exit')).toEqual([0, null]);
  });
});
