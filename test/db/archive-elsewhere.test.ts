import { afterAll, describe, expect, test, vi } from 'vitest';
import type { SessionRef } from '../../src/app/ports/event-store.ts';
import { type BringBackElsewhere, withArchive } from '../../src/db/archive/with-archive.ts';
import {
  everyRow,
  inFolder,
  isArchived,
  openPlain,
  openWith,
  putAway,
  ref,
  write,
} from '../support/archive-lab.ts';
import { openLab } from '../support/backup-lab.ts';

const { folder, fresh, places, dispose } = openLab();
afterAll(dispose);

const MANY = Array.from({ length: 1_001 }, (_, index) => `text ${index}`);
const LONG = ['much '.repeat(500_000)];

/** A store whose session is in the archive, beside the store of another thread. */
async function archived(texts: readonly string[], elsewhere?: BringBackElsewhere) {
  const url = await places.sqlite();
  const archive = inFolder(folder, fresh('archive').slice(folder.length + 1));
  const there = await openWith(url, archive);
  await write(there, 'chat', texts);
  const rows = await there.rows(ref('chat'), everyRow);
  await putAway(there, archive, 'chat');
  const inThread = vi.fn(async (asked: SessionRef) => {
    await there.events(asked, { after: 0, limit: 1 });
  });
  const here = withArchive(await openPlain(url), {
    archive,
    onLeft: () => {},
    elsewhere: elsewhere ?? inThread,
  });
  const close = () => Promise.all([here.close(), there.close()]);
  return { here, rows, inThread, close };
}

describe('an archived session that is read again', () => {
  test.each([
    ['of many events', MANY],
    ['of one long event', LONG],
  ])('is brought back by another thread, %s', async (_, texts) => {
    const { here, rows, inThread, close } = await archived(texts);
    const reads = [here.rows(ref('chat'), everyRow), here.rows(ref('chat'), everyRow)];
    expect(await Promise.all(reads)).toEqual([rows, rows]);
    // Who waits for the same session waits for the same thread.
    expect(inThread).toHaveBeenCalledTimes(1);
    expect(await isArchived(here, 'chat')).toBe(false);
    expect((await here.verify()).problems).toEqual([]);
    await close();
  });

  test('is brought back at once where it is small', async () => {
    const { here, rows, inThread, close } = await archived(['one', 'two']);
    expect(await here.rows(ref('chat'), everyRow)).toEqual(rows);
    expect(inThread).not.toHaveBeenCalled();
    await close();
  });

  test('is brought back here where there are no threads', async () => {
    const { here, rows, close } = await archived(MANY, () => null);
    expect(await here.rows(ref('chat'), everyRow)).toEqual(rows);
    await close();
  });

  test('stays in the archive where the other thread cannot bring it back', async () => {
    const failing = () => Promise.reject(new Error('the thread has died'));
    const { here, close } = await archived(MANY, failing);
    await expect(here.rows(ref('chat'), everyRow)).rejects.toThrow('the thread has died');
    expect(await isArchived(here, 'chat')).toBe(true);
    await close();
  });
});
