import { rmSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import type { InProcess } from '../../../src/in-process.ts';
import { startInProcess } from '../../../src/in-process.ts';
import { inFolder, longAgo, openPlain, putAway } from '../../support/archive-lab.ts';
import { on, openLab } from '../../support/backup-lab.ts';

const { fresh, places, dispose } = openLab();
afterAll(dispose);

const MARK = '▤ in the archive opening it brings it back';
const BROUGHT_BACK = 'This session was in the archive. Opening it has brought it back';

/** A page in words. */
async function page({ fetch }: InProcess, path: string) {
  const headers = { accept: 'text/html' };
  const answer = await fetch(new Request(`http://127.0.0.1${path}`, { headers }));
  const text = (await answer.text()).replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');
  return { status: answer.status, text };
}

describe.each(['sqlite', 'postgres'] as const)('archived sessions on the pages, on %s', (kind) => {
  it('are marked in the list, come back when they are opened, and say so', async () => {
    const url = await places[kind]();
    const folder = fresh('archive');
    for (const id of ['kept', 'away']) await longAgo(url, id);
    const archive = inFolder(folder, '.');
    await archive.prepare();
    const store = await openPlain(url);
    await putAway(store, archive, 'away');
    await store.close();
    const service = await startInProcess({
      ...on(url),
      PALIMPSEST_ARCHIVE: folder,
      LOG_LEVEL: 'silent',
    });
    try {
      const list = async () => (await page(service, '/')).text;
      expect(await list()).toMatch(new RegExp(`away 5 items .* ${MARK} .* kept 5 items`));
      expect((await list()).split(MARK)).toHaveLength(2);
      expect((await page(service, '/inspect/sessions/kept')).text).not.toContain(BROUGHT_BACK);
      expect(await list()).toContain(MARK);
      expect((await page(service, '/inspect/sessions/away')).text).toContain(BROUGHT_BACK);
      expect((await page(service, '/inspect/sessions/away')).text).not.toContain(BROUGHT_BACK);
      expect(await list()).not.toContain(MARK);
    } finally {
      await service.stop();
    }
  });

  it('say what is wrong where the archive cannot be reached', async () => {
    const url = await places[kind]();
    const folder = fresh('archive');
    await longAgo(url, 'away');
    const archive = inFolder(folder, '.');
    await archive.prepare();
    const store = await openPlain(url);
    await putAway(store, archive, 'away');
    await store.close();
    rmSync(folder, { recursive: true });
    const settings = { ...on(url), PALIMPSEST_ARCHIVE: folder, LOG_LEVEL: 'silent' };
    const service = await startInProcess(settings);
    try {
      expect((await page(service, '/')).text).toContain(MARK);
      const { status, text } = await page(service, '/inspect/sessions/away');
      expect(status).toBe(503);
      expect(text).toMatch(/Archive cannot be used .*archive/);
      expect((await page(service, '/')).text).toContain(MARK);
    } finally {
      await service.stop();
    }
  });
});
