import { describe, expect, it } from 'vitest';
import type { Item } from '../../../src/domain/items/item.ts';
import { assistant, attachment, call, ofTokens, tool, user } from '../../support/items.ts';
import { append, compact, compactByItself, last, recordOf, StubModel } from '../lab.ts';
import { GOOD, openLab } from './lab.ts';

/** Messages of user and agent in turn, each with its number. */
function messages(count: number, tokens = 100): Item[] {
  return Array.from({ length: count }, (_, n) => {
    const text = `Message ${n + 1}. ${ofTokens(tokens)}`;
    return n % 2 === 0 ? user(text) : assistant(text);
  });
}

/** What stays of a session with these items when it is compacted in full. */
async function compacted(items: Item[], config = {}) {
  const lab = await openLab(config);
  const model = StubModel.of(lab, GOOD);
  await append(lab, ...items);
  const events = await compact(lab, 'full');
  const { entries } = await lab.view();
  const kept = entries.filter(({ origin }) => origin === 'log').map(({ item }) => item);
  return { events, model, entries, kept };
}

describe('the cutoff', () => {
  it('TI-10, TI-11, TI-12, TI-15: 30 messages: 18 are summarised, the last 12 stay', async () => {
    const items = messages(30);
    const { model, kept } = await compacted(items);
    expect(recordOf(model.prompt)).toHaveLength(18);
    expect(model.prompt).toContain('Message 18.');
    expect(model.prompt).not.toContain('Message 19.');
    expect(kept).toEqual(items.slice(18));
  });

  it.each([
    [13, 1],
    [14, 2],
    [100, 88],
  ])('TI-10: of %i messages %i are summarised', async (count, covered) => {
    // Long ones: a single one has to be worth a summary.
    const items = messages(count, 600);
    const { kept } = await compacted(items);
    expect(kept).toEqual(items.slice(covered));
  });

  it('TI-11: protected_messages says how many', async () => {
    const items = messages(30);
    const { kept } = await compacted(items, { protected_messages: 5 });
    expect(kept).toEqual(items.slice(25));
  });

  it('TI-10: attachments are no messages', async () => {
    const items = [...messages(20), attachment('todo', [{ content: 'a', status: 'pending' }])];
    const { kept } = await compacted(items);
    expect(kept).toEqual(items.slice(8));
  });

  it('TI-13: a call whose result is the first protected message stays with it', async () => {
    const items = [...messages(18), ...tool('t', 'Read', 50), ...messages(11)];
    expect(items).toHaveLength(31);
    const { model, kept } = await compacted(items);
    expect(kept).toEqual(items.slice(18));
    expect(kept).toHaveLength(13);
    expect(model.prompt).not.toContain('tool call');
  });

  it('TI-13: calls without a result yet are protected, however many messages follow', async () => {
    const items = [...messages(6), call('open', 'Bash')];
    const { kept } = await compacted(items, { protected_messages: 0 });
    expect(kept).toEqual([call('open', 'Bash')]);
  });
});

describe('when everything is protected', () => {
  it('TI-14: twelve messages that are too large: as many stay as fit', async () => {
    const lab = await openLab();
    const model = StubModel.of(lab, GOOD);
    const items = messages(8, 20_000);
    const { report } = last(await compactByItself(lab, ...items), 'compaction.completed').data;
    const { entries } = await lab.view();
    expect(entries.map(({ origin }) => origin)).toEqual([
      'boundary',
      'summary',
      ...Array<string>(5).fill('log'),
    ]);
    expect(entries.slice(2).map(({ item }) => item)).toEqual(items.slice(3));
    expect(model.prompt.includes('Message 3.')).toBe(true);
    expect(model.prompt.includes('Message 4.')).toBe(false);
    expect(report.is_above_threshold).toBe(false);
  });

  it('TI-14: the newest message is never summarised while it fits', async () => {
    const lab = await openLab();
    StubModel.of(lab, GOOD);
    const newest = user(`The paste. ${ofTokens(60_000)}`);
    await compactByItself(lab, ...messages(11, 6_000), newest);
    expect((await lab.view()).entries.at(-1)?.item).toEqual(newest);
  });

  it('TI-14: by hand, the first message alone is summarised', async () => {
    const items = messages(8, 2_000);
    const { kept } = await compacted(items);
    expect(kept).toEqual(items.slice(1));
  });
});

describe('the context afterwards', () => {
  it('TI-17, TI-18, TI-19: system prompt, summary, the last 12 messages as they were', async () => {
    const lab = await openLab({}, { initial_context: [user('You are a coding agent.')] });
    StubModel.of(lab, GOOD);
    const items = [
      user('read main.rs'),
      ...tool('main', 'Read', 1_000, { file_path: 'main.rs' }),
      attachment('plan', 'First main.rs.'),
      attachment('todo', [{ content: 'fix it', status: 'pending' }]),
      ...messages(40),
      user('now fix the bug'),
      ...tool('fix', 'Edit', 20, { file_path: 'main.rs' }),
    ];
    await append(lab, ...items);
    await compact(lab, 'full');
    const { entries } = await lab.view();
    const expected = ['initial', 'boundary', 'summary', ...Array<string>(12).fill('log')];
    expect(entries.map(({ origin }) => origin)).toEqual(expected);
    expect(entries[0]?.item).toEqual(user('You are a coding agent.'));
    expect(entries.slice(-12).map(({ item }) => item)).toEqual(items.slice(-12));
    const texts = JSON.stringify(entries.map(({ item }) => item));
    expect(texts).not.toContain('read main.rs');
    expect(texts).not.toContain('fix it');
  });

  it('TI-18: but for the latest request, where it is in the old part', async () => {
    const request = user('Now fix the bug in main.rs.');
    const work = Array.from({ length: 10 }, (_, n) => tool(`t${n}`, 'Read', 300)).flat();
    const { entries } = await compacted([...messages(20), request, ...work]);
    const expected = ['boundary', 'preserved', 'summary', ...Array<string>(12).fill('log')];
    expect(entries.map(({ origin }) => origin)).toEqual(expected);
    expect(entries[1]?.item).toEqual(request);
  });
});
