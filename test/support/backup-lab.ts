import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeBackup } from '../../src/cli/backup.ts';
import { restoreBackup } from '../../src/cli/restore.ts';
import type { DatabaseSettings } from '../../src/config.ts';
import { type InProcess, startInProcess } from '../../src/in-process.ts';
import { openStore } from '../../src/open-store.ts';
import { AT, append, cancelled, created, item, requested } from '../contracts/session-events.ts';
import { freshDatabase } from './servers/fresh.ts';

export const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));

export const on = (DATABASE_URL: string) => ({ DATABASE_URL });

export function settings(url: string): DatabaseSettings {
  return url.startsWith('file:')
    ? { kind: 'sqlite', path: url.slice('file:'.length), synchronous: 'FULL' }
    : { kind: 'postgres', url };
}

export const backUp = (url: string, file: string) =>
  makeBackup(settings(url), file, new AbortController().signal);

export const restore = (file: string, url: string) =>
  restoreBackup(settings(url), file, new AbortController().signal);

/** A folder for files, and places for stores that nobody has used; gone after `dispose`. */
export function openLab() {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-backup-'));
  const drops: (() => Promise<void>)[] = [];
  let names = 0;
  const fresh = (ending: string) => join(folder, `${names++}.${ending}`);
  return {
    folder,
    fresh,
    drafts: () => readdirSync(folder).filter((name) => name.endsWith('.partial')),
    places: {
      sqlite: async () => `file:${fresh('db')}`,
      postgres: async () => {
        const { url, drop } = await freshDatabase();
        drops.push(drop);
        return url;
      },
    },
    dispose: async () => {
      for (const drop of drops) await drop();
      rmSync(folder, { recursive: true });
    },
  };
}

/** A session of five events. */
export async function conversation(url: string, id = 'chat', text = 'Do not touch vendor/.') {
  const store = await openStore(settings(url), () => {});
  await store.commit(
    { tenant: 'local', session_id: id },
    append(created, item(text), requested('c-1'), cancelled('c-1'), item('bye')),
    { at: AT },
  );
  await store.close();
}

/** Hash and data of every row of all sessions, newest session first. */
export async function rowsIn(url: string): Promise<Map<string, string[]>> {
  const store = await openStore(settings(url), () => {});
  try {
    const { data } = await store.sessions('local', { limit: 100 });
    const found = new Map<string, string[]>();
    for (const { ref } of data) {
      const rows = await store.rows(ref, { after: 0, limit: 100_000 });
      const texts = rows.map((row) => `${row.hash} ${row.data}`);
      found.set(ref.session_id, texts);
    }
    return found;
  } finally {
    await store.close();
  }
}

/** Asks the service on a store, which runs in this process. */
export async function onService<T>(
  url: string,
  ask: (service: InProcess) => Promise<T>,
): Promise<T> {
  const service = await startInProcess(on(url));
  try {
    return await ask(service);
  } finally {
    await service.stop();
  }
}

/** Runs a line of a shell on a store; answers its exit code and all that it has said. */
export async function inShell(line: string, url: string, cwd: string) {
  const env = { PATH: process.env.PATH, LOG_LEVEL: 'silent', ...on(url) };
  const child = spawn('sh', ['-c', line], { cwd, env });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  }
  const code = await new Promise((resolve) => child.once('close', resolve));
  return { code, said };
}
