import { afterAll, expect, test } from 'vitest';
import { append, created, item } from '../contracts/session-events.ts';
import { LONG_AGO, openPlain, ref, write } from '../support/archive-lab.ts';
import { openLab } from '../support/backup-lab.ts';

const { places, dispose } = openLab();
afterAll(dispose);

const ids = ({ data }: { data: { session_id: string }[] }) =>
  data.map(({ session_id }) => session_id);

test.each(['sqlite', 'postgres'] as const)(
  'sessions that are behind are found without those that are not, on %s',
  async (kind) => {
    const store = await openPlain(await places[kind]());
    const { search } = store;
    for (const id of ['one', 'two', 'three', 'four']) await write(store, id, ['indexed']);
    expect(await search.behind(null, 0, 2)).toEqual({ data: [], next: null });
    for (const id of ['four', 'two', 'three']) {
      await store.commit(ref(id), append(item('new')), { at: LONG_AGO });
    }
    await store.commit(ref('new', 'other'), append(created), { at: LONG_AGO });
    const first = await search.behind('local', 0, 2);
    expect(ids(first)).toEqual(['two', 'three']);
    expect(first.next).not.toBe(null);
    const second = await search.behind('local', first.next ?? 0, 2);
    expect([ids(second), second.next]).toEqual([['four'], null]);
    expect(ids(await search.behind(null, 0, 9))).toEqual(['two', 'three', 'four', 'new']);
    expect(ids(await search.behind('other', 0, 9))).toEqual(['new']);
    await store.close();
  },
);
