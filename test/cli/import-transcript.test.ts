import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { batches } from '../../src/app/import-batches.ts';
import type { SearchableStore } from '../../src/app/ports/search-index.ts';
import { importTranscript } from '../../src/cli/import-transcript.ts';
import type { Item } from '../../src/domain/items/item.ts';
import { readTranscripts } from '../../src/importers/read-transcripts.ts';
import { type ApiServer, send, startApi } from '../support/api-server.ts';
import { assistant, user } from '../support/items.ts';
import { openTestStore } from '../support/open-test-store.ts';

function sizes(items: Item[]): number[] {
  return [...batches({ items, format: 'anthropic' })].map((batch) => batch.length);
}

const talk = (length: number): Item[] => Array.from({ length }, () => assistant('Go on.'));

describe('the portions of an import', () => {
  it('hold eight items each', () => {
    expect(sizes(talk(20))).toEqual([8, 8, 4]);
    expect(sizes([])).toEqual([]);
  });

  it('do not end with a command that something follows: it is plain text by then', () => {
    const command = user('/compact');
    expect(sizes([...talk(7), command, ...talk(4)])).toEqual([9, 3]);
    expect(sizes([...talk(7), command, command, ...talk(8)])).toEqual([10, 7]);
    expect(sizes([...talk(7), command])).toEqual([8]);
  });
});

describe('an import that is not alone with its session', () => {
  let api: ApiServer;
  let store: SearchableStore;
  beforeAll(async () => {
    store = await openTestStore();
    api = await startApi({ store });
  });
  afterAll(() => api.close());

  const chat = Array.from({ length: 30 }, (_, index) =>
    index % 2 === 0 ? user(`Question ${index}?`) : assistant(`Answer ${index}.`),
  );

  function transcript(name: string, items: Item[] = chat) {
    const [read] = readTranscripts(`${name}.json`, JSON.stringify(items));
    if (read === undefined) throw new Error('nothing was read');
    return read;
  }

  /** Something happens between the first and the second portion. */
  function target(between: () => Promise<unknown>) {
    let appends = 0;
    return {
      request: async (path: string, init?: RequestInit) => {
        const isAppend = path.endsWith('/items') && init?.method === 'POST';
        if (isAppend && ++appends === 2) await between();
        return fetch(api.url + path, init);
      },
      place: 'the service',
      local: null,
      close: async () => {},
    };
  }

  const run = (name: string, between: () => Promise<unknown> = async () => {}) =>
    importTranscript(target(between), transcript(name), { idPrefix: '' }, () => {});

  async function logOf(id: string): Promise<Item[]> {
    const { body } = await send(api, 'GET', `/sessions/${id}/items?limit=200`);
    return (body.data as { item: Item }[]).map(({ item }) => item);
  }

  it('doubles nothing where the same transcript is imported at the same moment', async () => {
    const done = await run('twice', () => run('twice'));
    expect(done).toMatchObject({ id: 'twice', items: 30, appended: 8 });
    expect(await logOf('twice')).toEqual(chat);
  });

  it('says what it has added itself where another one has told a part of it', async () => {
    const items = chat.slice(8, 12);
    const done = await run('partly', () =>
      send(api, 'POST', '/sessions/partly/items', { body: { items } }),
    );
    expect(done).toMatchObject({ items: 30, appended: 26 });
    expect(await logOf('partly')).toEqual(chat);
  });

  it('leaves what was said otherwise meanwhile as it is', async () => {
    const items = [user('Something else.')];
    const failed = run('other', () =>
      send(api, 'POST', '/sessions/other/items', { body: { items } }),
    );
    await expect(failed).rejects.toThrow('another one than that of session "other"');
    expect(await logOf('other')).toEqual([...chat.slice(0, 8), ...items]);
  });

  it('does not make half a session of one that is erased meanwhile', async () => {
    const failed = run('erased', () => send(api, 'DELETE', '/sessions/erased'));
    await expect(failed).rejects.toThrow('"erased" was erased while it was imported');
    expect((await send(api, 'GET', '/sessions/erased')).status).toBe(404);
  });

  it('goes on in a session that was made anew meanwhile', async () => {
    await run('anew', async () => {
      await send(api, 'DELETE', '/sessions/anew');
      api.advance(1000);
      await run('anew');
    });
    expect(await logOf('anew')).toEqual(chat);
  });

  it('goes on by itself where only the service has written', async () => {
    const body = { text: 'Use tabs.' };
    const done = await run('pinned', () => send(api, 'POST', '/sessions/pinned/pins', { body }));
    expect(done).not.toHaveProperty('appended');
    expect(await logOf('pinned')).toEqual(chat);
  });

  it('erases what it has begun, where it cannot wait for a compaction of that', async () => {
    const long = chat.map((item) => ({ ...item, content: 'A word or two. '.repeat(6_000) }));
    const { request, ...rest } = target(async () => {});
    const failing = {
      ...rest,
      request: async (path: string, init?: RequestInit) => {
        if (path.endsWith('wait=compaction')) throw new Error('the connection broke');
        return request(path, init);
      },
    };
    const failed = importTranscript(failing, transcript('long', long), { idPrefix: '' }, () => {});
    await expect(failed).rejects.toThrow('the connection broke');
    expect((await send(api, 'GET', '/sessions/long')).status).toBe(404);
  });

  it('takes up a compaction that others have left, instead of waiting for ever', async () => {
    const { request, ...rest } = target(async () => {});
    await run('left');
    let isLeft = true;
    const taken: string[][] = [];
    const left = {
      ...rest,
      request: async (path: string, init?: RequestInit) => {
        const answer = await request(path, init);
        const isSession = path === '/sessions/left' && init === undefined;
        if (!isSession && !path.endsWith('/sync')) return answer;
        const told = (await answer.json()) as Record<string, unknown>;
        const under_way = isLeft ? { id: 'cut-off' } : null;
        return Response.json(
          isSession
            ? { ...told, running_compaction: under_way }
            : { ...told, compaction: under_way },
        );
      },
      local: {
        store,
        server: {},
        takeUp: (...job: [string, string]) => {
          taken.push(job);
          isLeft = false;
        },
      },
    };
    const more = transcript('left', [...chat, user('And now?')]);
    const done = await importTranscript(left, more, { idPrefix: '' }, () => {});
    expect(done).toMatchObject({ items: 31, appended: 1 });
    expect(taken).toEqual([['left', 'cut-off']]);
  });

  it('erases nothing that others have said, where it fails', async () => {
    const items = chat.slice(8);
    const failing = target(async () => {
      await send(api, 'POST', '/sessions/failing/items', { body: { items } });
      throw new Error('the connection broke');
    });
    const failed = importTranscript(failing, transcript('failing'), { idPrefix: '' }, () => {});
    await expect(failed).rejects.toThrow('the connection broke');
    expect(await logOf('failing')).toEqual(chat);
  });
});
