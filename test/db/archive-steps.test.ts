import { readdirSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import type { Archive } from '../../src/app/ports/archive.ts';
import type { SessionRef } from '../../src/app/ports/event-store.ts';
import type { SearchableStore } from '../../src/app/ports/search-index.ts';
import type { FolderArchive } from '../../src/db/archive/folder-archive.ts';
import { sweepArchive } from '../../src/db/archive/sweep-archive.ts';
import { withArchive } from '../../src/db/archive/with-archive.ts';
import {
  everyRow,
  inFolder,
  openPlain,
  openWith,
  putAway,
  ref,
  write,
} from '../support/archive-lab.ts';
import { openLab } from '../support/backup-lab.ts';

// A process that is killed does nothing more: each of its steps is the last one, once before it was done
// and once after.

const { folder, fresh, places, dispose } = openLab();
afterAll(dispose);

/** More steps than there are. */
const MOST_STEPS = 40;

class Killed extends Error {}

/** Lets so many steps be done; the one after them is done (`after`) or not, and says nothing more. */
class Life {
  #left: number;
  readonly #after: boolean;

  constructor(steps: number, after: boolean) {
    this.#left = steps;
    this.#after = after;
  }

  get isOver(): boolean {
    return this.#left < 0;
  }

  async step<T>(run: () => Promise<T>): Promise<T> {
    this.#left -= 1;
    if (this.#left < -1) throw new Killed();
    if (this.#left >= 0) return run();
    if (this.#after) await run();
    throw new Killed();
  }

  /** The object, each of whose methods is a step. */
  of<T extends object>(target: T): T {
    return new Proxy(target, {
      get: (_, name) => {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== 'function') return member;
        return (...asked: unknown[]) => this.step(() => member.apply(target, asked));
      },
    });
  }
}

const rowsOf = (store: SearchableStore) => store.rows(ref('chat'), everyRow);

/** Files that are there: none before the folder is made. */
function filesIn({ place }: Archive): string[] {
  try {
    return readdirSync(place);
  } catch {
    return [];
  }
}

const JOBS: [string, (store: SearchableStore, archive: Archive) => Promise<unknown>][] = [
  ['archives it', (store, archive) => putAway(store, archive, 'chat')],
  ['brings it back', rowsOf],
  ['erases it', (store) => store.erase(ref('chat'))],
];

describe.each(['sqlite', 'postgres'] as const)(
  'on %s, a process that is killed while it',
  (kind) => {
    test.each(JOBS)('%s leaves all of a session, or nothing', async (name, job) => {
      const url = await places[kind]();
      let steps = 0;
      for (const after of [false, true]) {
        for (steps = 0; steps < MOST_STEPS; steps += 1) {
          const archive = inFolder(folder, fresh('archive').slice(folder.length + 1));
          const store = await openWith(url, archive);
          await write(store, 'chat', ['one', 'two']);
          const rows = await rowsOf(store);
          if (name !== 'archives it') await putAway(store, archive, 'chat');
          const life = new Life(steps, after);
          const isOver = await runUntilKilled(url, archive, life, job);
          await check(store, archive, rows, name);
          // The next round begins with an empty store.
          await store.erase(ref('chat'));
          await store.close();
          if (!isOver) break;
        }
        // There were steps, and at last the job was done.
        expect(steps).toBeGreaterThan(3);
        expect(steps).toBeLessThan(MOST_STEPS);
      }
    });
  },
);

function fail(error: unknown): never {
  throw error;
}

async function runUntilKilled(
  url: string,
  archive: FolderArchive,
  life: Life,
  job: (store: SearchableStore, archive: Archive) => Promise<unknown>,
): Promise<boolean> {
  const plain = await openPlain(url);
  const mortal = life.of(archive);
  const store = withArchive(
    new Proxy(plain, {
      get: (target, name) => {
        if (name === 'archived') return life.of(plain.archived);
        if (name === 'erase') return (one: SessionRef) => life.step(() => plain.erase(one));
        const member: unknown = Reflect.get(target, name, target);
        return typeof member === 'function' ? member.bind(target) : member;
      },
    }),
    { archive: mortal, onLeft: () => {} },
  );
  await job(store, mortal).catch((error) => {
    if (!life.isOver) throw error;
  });
  await plain.close();
  return life.isOver;
}

async function check(
  store: SearchableStore,
  archive: Archive,
  rows: Awaited<ReturnType<typeof rowsOf>>,
  job: string,
): Promise<void> {
  if (job === 'erases it') {
    // Not answered: asked for again.
    await store.erase(ref('chat'));
    expect(await store.head(ref('chat'))).toBe(null);
  } else {
    expect(await store.verify()).toEqual({ sessions: 1, events: 3, problems: [] });
    expect(await rowsOf(store)).toEqual(rows);
  }
  await sweepArchive(store, archive, fail, Date.now() + 86_400_000);
  expect(filesIn(archive)).toEqual([]);
  expect(await store.archived.filesOf(ref('chat'))).toEqual([]);
}
