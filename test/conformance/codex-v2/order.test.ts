import { describe, expect, it } from 'vitest';
import type { Item } from '../../../src/domain/items/item.ts';
import { attachment, GHOST, ofTokens } from '../../support/items.ts';
import type { SessionLab } from '../../support/session-lab.ts';
import { append, compact, compactByItself, StubModel } from '../lab.ts';
import {
  assistant,
  call,
  EVERYTHING,
  GOOD,
  openLab,
  origins,
  TALK,
  textOf,
  tool,
  user,
} from './lab.ts';

const ghost = (id: string): Item => ({ ...GHOST, ghost_commit: { id } });

describe('the order after a compaction', () => {
  it('CV-140, CV-141, CV-201: initial context, boundary, the user, summary, files, todos, plan, ghosts, new messages', async () => {
    const prompt: Item = { type: 'message', role: 'developer', content: 'You fix parsers.' };
    const lab = await openLab({}, { initial_context: [prompt] });
    StubModel.of(lab, GOOD);
    await append(lab, ghost('g1'), ...EVERYTHING);
    await compact(lab, 'full');
    await append(lab, user('And now?'));
    const { entries } = await lab.view();
    expect(entries.map(({ origin }) => origin)).toEqual([
      'initial',
      'boundary',
      'preserved',
      'summary',
      'file',
      'todo',
      'plan',
      'ghost',
      'log',
    ]);
    expect(entries[0]?.item).toEqual(prompt);
    expect(entries.at(-1)?.item).toEqual(user('And now?'));
  });

  it('CV-140, CV-141: old messages stay in the log, and out of the context', async () => {
    const lab = await openLab();
    StubModel.of(lab, GOOD);
    await append(lab, assistant(`The old answer. ${ofTokens(3_000)}`));
    await compact(lab, 'full');
    expect(JSON.stringify((await lab.view()).entries)).not.toContain('The old answer.');
    expect(JSON.stringify(await lab.events())).toContain('The old answer.');
  });

  it('CV-140: but the results that the agent has not read yet, in the middle of its work', async () => {
    const lab = await openLab();
    StubModel.of(lab, GOOD);
    const unread = tool('log', 'shell', 1_000);
    await compactByItself(lab, user('Fix it.'), assistant(ofTokens(141_000)), ...unread);
    const { entries } = await lab.view();
    expect(entries.map(({ origin }) => origin)).toEqual([
      'boundary',
      'preserved',
      'summary',
      'log',
      'log',
    ]);
    expect(entries.slice(-2).map(({ item }) => item)).toEqual(unread);
  });

  it('CV-145: what comes before the worker begins is compacted with the rest', async () => {
    const lab = await openLab({ preserve_user_messages: false });
    const model = StubModel.of(lab, GOOD);
    await append(lab, ...TALK);
    const requested = await lab.request('full');
    if (!requested.ok) throw new Error(requested.rejection.detail);
    await append(lab, user('One more thing.'));
    await lab.work(requested.value.id);
    expect(model.prompt).toContain('One more thing.');
    expect(await origins(lab)).toEqual(['boundary', 'preserved', 'summary']);
  });

  it('CV-145: what comes while the model answers stands after all that', async () => {
    const lab = await openLab();
    const model = StubModel.of(lab, GOOD);
    await append(lab, ...TALK);
    const summarize = model.ask.bind(model);
    model.ask = async (request) => {
      await append(lab, user('One more thing.'), ghost('late'));
      return summarize(request);
    };
    await compact(lab, 'full');
    expect(model.prompt).not.toContain('One more thing.');
    const { entries } = await lab.view();
    expect(entries.slice(-2)).toMatchObject([
      { origin: 'log', item: user('One more thing.') },
      { origin: 'log', item: ghost('late') },
    ]);
  });
});

describe('ghost snapshots', () => {
  const ghosts = async (lab: SessionLab) =>
    (await lab.view()).entries.flatMap(({ item, origin }) =>
      item.type === 'ghost_snapshot' ? [[origin, item.ghost_commit]] : [],
    );

  it('CV-08, CV-144, CV-201: all of them, in their order, over two compactions', async () => {
    const lab = await openLab();
    StubModel.of(lab, GOOD);
    await append(lab, ghost('g1'), ...TALK, ghost('g2'));
    await compact(lab, 'full');
    const first = ['g1', 'g2'].map((id) => ['ghost', { id }]);
    expect(await ghosts(lab)).toEqual(first);
    await append(lab, assistant(ofTokens(3_000)), ghost('g3'));
    await compact(lab, 'full');
    expect(await ghosts(lab)).toEqual([...first, ['ghost', { id: 'g3' }]]);
  });

  it('CV-144: one after the cut stays in its place', async () => {
    const lab = await openLab();
    StubModel.of(lab, GOOD);
    await append(lab, ghost('g1'), ...TALK, call('open', 'shell'), ghost('g2'));
    await compact(lab, 'full');
    expect(await ghosts(lab)).toEqual([
      ['ghost', { id: 'g1' }],
      ['log', { id: 'g2' }],
    ]);
    expect((await origins(lab)).slice(-3)).toEqual(['ghost', 'log', 'log']);
  });
});

describe('preserved messages of the user', () => {
  /** What a full compaction preserves: texts and tokens. */
  async function preserved(items: Item[], budget?: number) {
    const lab = await openLab(budget === undefined ? {} : { user_message_max_tokens: budget });
    StubModel.of(lab, GOOD);
    await append(lab, assistant(ofTokens(3_000)), ...items);
    await compact(lab, 'full');
    return (await lab.view()).entries.filter(({ origin }) => origin === 'preserved');
  }

  it('CV-142: they stand between boundary and summary', async () => {
    const lab = await openLab();
    StubModel.of(lab, GOOD);
    await append(lab, ...TALK, user('And the lexer.'));
    await compact(lab, 'full');
    expect(await origins(lab)).toEqual(['boundary', 'preserved', 'preserved', 'summary']);
    const off = await openLab({ preserve_user_messages: false });
    StubModel.of(off, GOOD);
    await append(off, ...TALK);
    await compact(off, 'full');
    // The latest one stays in any case.
    expect(await origins(off)).toEqual(['boundary', 'preserved', 'summary']);
  });

  it('CV-69, CV-142, CV-143: newest first, up to 20,000 tokens, in their order', async () => {
    const sizes = [9_000, 6_000, 7_000, 7_000];
    const items = sizes.flatMap((size, n) => [user(`${n}. ${ofTokens(size)}`), assistant('Yes.')]);
    const found = await preserved(items);
    expect(found.map(({ item }) => textOf(item).slice(0, 2))).toEqual(['1.', '2.', '3.']);
    const sum = found.reduce((total, { tokens }) => total + tokens, 0);
    expect(sum).toBeLessThanOrEqual(20_000);
    expect(sum).toBeGreaterThan(19_900);
  });

  it('CV-143: one that fills the budget is whole, and an older one that would fit is not taken', async () => {
    // As it was posted: one that is cut would lose its fields.
    const exact = user(ofTokens(500), { id: 'msg_1' });
    expect((await preserved([user('Old.'), exact], 500)).map(({ item }) => item)).toEqual([exact]);
    const long = user(ofTokens(700));
    const found = await preserved([user('Old.'), long, exact], 600);
    expect(found).toHaveLength(2);
    expect(found[0]?.tokens).toBeLessThanOrEqual(100);
    expect(textOf(found[0]?.item ?? {})).toContain('left out');
    expect(found[1]?.item).toEqual(exact);
  });

  it('CV-12, CV-143: the one that crosses the budget keeps head and tail', async () => {
    const long = user(`The first words. ${ofTokens(3_000)} The last words.`);
    const [cut] = await preserved([long], 500);
    expect(textOf(cut?.item ?? {})).toMatch(
      /^The first words\. abc [\s\S]*\n\[… about \d+ tokens left out …\]\n[\s\S]*abc {2}The last words\.$/,
    );
    expect(cut?.tokens).toBeLessThanOrEqual(500);
    expect(cut?.tokens).toBeGreaterThan(490);
  });

  it('CV-69, CV-143: outputs of tools, meta messages and earlier summaries are none', async () => {
    const others = [
      user('Internal.', { is_meta: true }),
      user('A summary.', { is_compact_summary: true }),
      ...tool('t', 'shell', 10),
      attachment('memory', 'Remember this.'),
    ];
    expect(await preserved(others)).toEqual([]);
    const lab = await openLab();
    StubModel.of(lab, GOOD);
    for (const name of ['one', 'two']) {
      await append(lab, user(`Message ${name}.`), assistant(ofTokens(3_000)));
      await compact(lab, 'full');
    }
    expect(await origins(lab)).toEqual(['boundary', 'preserved', 'preserved', 'summary']);
  });
});
