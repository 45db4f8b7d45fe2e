import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { isWithin, loadView } from '../../src/app/load-view.ts';
import type { EventStore } from '../../src/app/ports/event-store.ts';
import { openSqliteStore } from '../../src/db/sqlite/sqlite-store.ts';
import type { NewEvent } from '../../src/domain/session/events.ts';
import { append } from '../contracts/session-events.ts';
import { AT, appended, created } from '../support/given.ts';
import { ofTokens, user } from '../support/items.ts';

const REF = { tenant: 'acme', session_id: 's' };

let store: EventStore;
beforeEach(async () => {
  store = await openSqliteStore({ path: ':memory:' });
  await write(created(), appended(user('old 1')), appended(user('old 2')));
});
afterEach(() => store.close());

async function write(...events: NewEvent[]): Promise<void> {
  await store.commit(REF, append(...events), { at: AT });
}

/** Lets `meanwhile` happen once, between the first look at the head and the events that follow. */
function between(meanwhile: () => Promise<unknown>): void {
  const { head } = store;
  vi.spyOn(store, 'head').mockImplementationOnce(async (ref) => {
    const found = await head.call(store, ref);
    await meanwhile();
    return found;
  });
}

const texts = async () => (await loadView(store, REF))?.entries.map(({ item }) => item.content);

describe('a view that is read while its session', () => {
  it('is erased is none', async () => {
    between(() => store.erase(REF));
    expect(await loadView(store, REF)).toBeNull();
  });

  it('is erased and created anew is that of the new one, and never of both', async () => {
    between(async () => {
      await store.erase(REF);
      await write(created({ model: 'another' }), appended(user('new')));
    });
    expect(await texts()).toEqual(['new']);
  });

  it('grows is that of the version that was looked at', async () => {
    between(() => write(appended(user('later'))));
    expect(await texts()).toEqual(['old 1', 'old 2']);
  });
});

it('a log that lacks what its context is built on is damaged', async () => {
  const head = await store.head(REF);
  if (head === null) throw new Error('the session is missing');
  const base = { compaction_id: 'c', version: 2, through: 1 };
  vi.spyOn(store, 'head').mockResolvedValue({ ...head, state: { ...head.state, base } });
  await expect(loadView(store, REF)).rejects.toThrow('the event of version 2');
});

describe('a view of many items', () => {
  it('is read in pages, and others have their turn in between', async () => {
    await write(...Array.from({ length: 4_500 }, (_, n) => appended(user(`new ${n}`))));
    const { events } = store;
    const pages: number[] = [];
    let turns = 0;
    vi.spyOn(store, 'events').mockImplementation(async (...args) => {
      const page = await events.apply(store, args);
      if (page.length > 1) pages.push(page.length);
      setImmediate(() => turns++);
      return page;
    });
    const found = (await texts()) ?? [];
    expect(found).toHaveLength(4_502);
    expect(found.slice(-2)).toEqual(['new 4498', 'new 4499']);
    expect(pages).toEqual([2_000, 2_000, 502]);
    expect(turns).toBeGreaterThanOrEqual(2);
  });
});

describe('a context is within a size', () => {
  const SIZE = { events: 4, bytes: 10_000, values: 200, tokens: 100 };
  const picture = {
    role: 'user',
    content: [
      {
        type: 'image',
        source: { type: 'base64', media_type: 'image/png', data: 'A'.repeat(12_000) },
      },
    ],
  };

  it.each([
    { what: 'as long as nothing passes it', items: [user('new')], is: true },
    { what: 'but not with too many events', items: [user('1'), user('2')], is: false },
    { what: 'but not with too many tokens', items: [user(ofTokens(101))], is: false },
    {
      what: 'but not with too many bytes before its last event',
      items: [picture, user('1')],
      is: false,
    },
    {
      what: 'but not with too many JSON values',
      items: [{ ...user('1'), list: Array.from({ length: 200 }, () => 1) }],
      is: false,
    },
  ])('$what', async ({ items, is }) => {
    const size = items.includes(picture) ? { ...SIZE, events: 5, tokens: 10_000 } : SIZE;
    await write(...items.map(appended));
    expect(await isWithin(store, REF, size)).toBe(is);
  });
});
